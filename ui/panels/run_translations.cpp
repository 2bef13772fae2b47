#include "ui/panels/run_translations.h"

#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/data/text.h"
#include "ui/widgets/building.h"
#include "ui/widgets/checkpoint_box.h"
#include "ui/widgets/translations_table.h"

namespace strata::ui {

RunTranslations::RunTranslations(QWidget* parent) : QWidget(parent) {
  auto* layout = makeLayout<QVBoxLayout>(this);
  table_ = named(new TranslationsTable({tr("run"), tr("score"), tr("translation")}, this),
                 "translateRunsTable", tr("Translations by the drawn runs"));
  layout->addWidget(table_, 1);
  hint_ = named(styled(new QLabel(this), "muted"), "translateRunsHint");
  hint_->setWordWrap(true);
  hint_->setContentsMargins(8, 2, 8, 4);
  layout->addWidget(hint_);
  list();
}

void RunTranslations::setRuns(const QVector<RunRow>& runs) {
  const auto ids = [](const QVector<RunRow>& all) {
    QVector<std::pair<qint64, QString>> found;
    for (const RunRow& run : all) found.push_back({run.id, run.name});
    return found;
  };
  const bool same = ids(runs) == ids(runs_);
  runs_ = runs;
  if (!same) list();
}

void RunTranslations::setDrawn(const QVector<qint64>& runs) {
  if (runs == drawn_) return;
  drawn_ = runs;
  list();
}

void RunTranslations::setSentence(const serve::TranslateRequest& request, const Hypothesis& best) {
  request_ = request;
  request_.search.nbest = 1;
  request_.record.clear();
  request_.latest = false;  // it would cancel a translation of Translate itself
  own_ = {.run = qs(request.model.run).toLongLong(),
          .checkpoint = qs(request.model.checkpoint),
          .text = qs(best.text),
          .score = QString::number(best.score, 'f', 3),
          .answered = true};
  rows_.clear();
  list();
}

void RunTranslations::clear() {
  request_ = {};
  rows_.clear();
  list();
}

// The run that Translate shows, then those drawn.
QVector<RunTranslations::Row> RunTranslations::wanted() const {
  QVector<Row> own, others;
  for (const RunRow& run : runs_) {
    const bool isOwn = run.id == own_.run;
    if (!isOwn && (!drawn_.contains(run.id) || others.size() >= kMostRuns)) continue;
    const auto before = std::ranges::find(rows_, run.id, &Row::run);
    Row row = isOwn ? own_ : before != rows_.end() ? *before : rowOf(run);
    row.name = CheckpointBox::isStep(row.checkpoint)
                   ? tr("%1, %2").arg(run.name, CheckpointBox::textOf(row.checkpoint))
                   : run.name;
    (isOwn ? own : others) << row;
  }
  return own + others;
}

// Not answered yet, unless there is nothing to ask.
RunTranslations::Row RunTranslations::rowOf(const RunRow& run) const {
  if (const auto same = sameCheckpoint(qs(request_.model.checkpoint), run))
    return {.run = run.id, .checkpoint = *same};
  return {.run = run.id,
          .text = tr("It has no checkpoint as early as this."),
          .answered = true,
          .refused = true};
}

void RunTranslations::list() {
  if (std::exchange(asked_, -1) >= 0) emit cancelRequested();
  rows_ = request_.text.empty() ? QVector<Row>() : wanted();
  table_->setRowCount(int(rows_.size()));
  for (int row = 0; row < int(rows_.size()); ++row) fill(row);
  hint_->setText(
      tr("The runs drawn in the list at the left (the eye), %1 at most, with the same beam.")
          .arg(kMostRuns) +
      QLatin1Char(' ') + TranslationsTable::legend());
  ask();
}

void RunTranslations::fill(int row) {
  const Row& shown = rows_[row];
  table_->setTranslation(row,
                         {shown.name, shown.score, shown.text, shown.answered && !shown.refused});
}

void RunTranslations::ask() {
  if (asked_ >= 0 || !isVisible()) return;
  const auto next = std::ranges::find(rows_, false, &Row::answered);
  if (next == rows_.end()) return;
  asked_ = int(next - rows_.begin());
  serve::TranslateRequest request = request_;
  request.model = {.run = std::to_string(next->run), .checkpoint = toStd(next->checkpoint)};
  emit requested(request);
}

void RunTranslations::setTranslation(const serve::TranslateReply& reply) {
  if (asked_ < 0) return;
  Row& row = rows_[asked_];
  row.answered = true;
  if (!reply.hypotheses.empty()) {
    row.text = qs(reply.hypotheses.front().text);
    row.score = QString::number(reply.hypotheses.front().score, 'f', 3);
  }
  fill(std::exchange(asked_, -1));
  ask();
}

void RunTranslations::setTranslationError(const QString& message) {
  if (asked_ < 0) return;
  rows_[asked_].answered = rows_[asked_].refused = true;
  rows_[asked_].text = message;
  fill(std::exchange(asked_, -1));
  ask();
}

void RunTranslations::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  ask();
}

}  // namespace strata::ui
