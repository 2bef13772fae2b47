#include "ui/panels/run_translations.h"

#include <QLabel>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/data/text.h"
#include "ui/widgets/building.h"

namespace strata::ui {

RunTranslations::RunTranslations(QWidget* parent) : QWidget(parent) {
  auto* layout = makeLayout<QVBoxLayout>(this);
  table_ = named(makePlainTable({tr("run"), tr("score"), tr("translation")}, this),
                 "translateRunsTable", tr("Translations by the drawn runs"));
  table_->setColumnWidth(0, 180);
  table_->setColumnWidth(1, 84);
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

// Answers of runs that stay are kept.
void RunTranslations::list() {
  if (std::exchange(asked_, -1) >= 0) emit cancelRequested();
  const QVector<Row> before = std::exchange(rows_, {});
  int left = 0;
  if (!request_.text.empty()) {
    for (const RunRow& run : runs_) {
      const bool isOwn = run.id == own_.run;
      if (!isOwn && !drawn_.contains(run.id)) continue;
      if (!isOwn && rows_.size() - left >= kMostRuns) continue;
      Row row{.run = run.id};
      for (const Row& each : before) {
        if (each.run == run.id) row = each;
      }
      if (isOwn) row = own_;
      row.name = run.name;
      if (isOwn) {
        rows_.prepend(row);
        left = 1;
      } else {
        rows_ << row;
      }
    }
  }
  table_->setRowCount(int(rows_.size()));
  for (int row = 0; row < int(rows_.size()); ++row) fill(row);
  hint_->setText(
      tr("The runs drawn in the list at the left (the eye), %1 at most, with the same beam.")
          .arg(kMostRuns));
  ask();
}

void RunTranslations::fill(int row) {
  const Row& shown = rows_[row];
  int column = 0;
  for (const QString& text : {shown.name, shown.score, shown.text}) {
    auto* item = new QTableWidgetItem(text);
    item->setToolTip(text);
    table_->setItem(row, column++, item);
  }
}

void RunTranslations::ask() {
  if (asked_ >= 0 || !isVisible()) return;
  const auto next = std::ranges::find(rows_, false, &Row::answered);
  if (next == rows_.end()) return;
  asked_ = int(next - rows_.begin());
  serve::TranslateRequest request = request_;
  request.model.run = std::to_string(next->run);
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
  rows_[asked_].answered = true;
  rows_[asked_].text = message;
  fill(std::exchange(asked_, -1));
  ask();
}

void RunTranslations::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  ask();
}

}  // namespace strata::ui
