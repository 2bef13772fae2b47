#include "ui/panels/samples_panel.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QListWidget>
#include <QSignalBlocker>
#include <QTextBrowser>
#include <QVBoxLayout>
#include <algorithm>

#include "core/metrics/word_diff.h"
#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/style/theme.h"
#include "ui/widgets/building.h"
#include "ui/widgets/run_box.h"

namespace strata::ui {
namespace {

QString cell(const QString& style, const QString& html) {
  return QStringLiteral("<td style='padding: 3px 10px; %1'>%2</td>").arg(style, html);
}

QString row(const QString& label, const QString& html) {
  const QString muted = QStringLiteral("color: %1; white-space: nowrap").arg(theme().muted.name());
  return QStringLiteral("<tr>%1%2</tr>").arg(cell(muted, label.toHtmlEscaped()), cell({}, html));
}

// The line with the words that the reference lacks in colour and underlined.
QString marked(const std::string& line, const std::string& reference) {
  const QStringList words = qs(line).split(QLatin1Char(' '));
  QStringList parts;
  for (const DiffRun& run : wordDiff(reference, line)) {
    const QString text =
        words.mid(qsizetype(run.rightBegin), qsizetype(run.rightEnd - run.rightBegin))
            .join(QLatin1Char(' '))
            .toHtmlEscaped();
    if (run.kind == DiffKind::kSame) parts << text;
    if (run.kind == DiffKind::kRight)
      parts << QStringLiteral("<span style='color: %1; text-decoration: underline'>%2</span>")
                   .arg(theme().bad.name(), text);
  }
  return parts.join(QLatin1Char(' '));
}

}  // namespace

SamplesPanel::SamplesPanel(QAction* runDemo, QWidget* parent)
    : Panel({QStringLiteral("samples"), QStringLiteral("translate"), tr("Samples")}, parent) {
  setObjectName(QStringLiteral("samplesPanel"));
  auto* content = new QWidget(this);
  auto* layout = makeLayout<QVBoxLayout>(content);
  auto* bar = makeBar(content);
  runs_ = named(new RunBox(content), "samplesRun", tr("Run"));
  bar->addWidget(runs_);
  changes_ = named(new QCheckBox(tr("Only where it changes"), content), "samplesChanges");
  changes_->setToolTip(tr("Leave out validations whose translation is that of the one before"));
  bar->addWidget(changes_);
  bar->addStretch();
  layout->addWidget(bar->parentWidget());
  sentences_ = named(new QListWidget(content), "samplesSentences", tr("Sentences"));
  sentences_->setTextElideMode(Qt::ElideRight);
  sentences_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  history_ = named(new QTextBrowser(content), "samplesHistory", tr("Translations over training"));
  styled(history_, "flat");
  history_->setOpenLinks(false);
  layout->addWidget(makeSplitter(Qt::Horizontal, content, {{sentences_, 260}, {history_, 740, 1}}),
                    1);
  setContent({tr("No samples yet"),
              tr("A run translates some sentences at each validation (validation.samples). How "
                 "their translations change while it learns is shown here."),
              {runDemo}},
             content);
  connect(runs_, &QComboBox::currentIndexChanged, this, &SamplesPanel::choose);
  connect(runs_, &QComboBox::activated, this, [this] { share({.run = runs_->run()}); });
  connect(changes_, &QCheckBox::toggled, this, &SamplesPanel::showSentence);
  connect(sentences_, &QListWidget::currentRowChanged, this, [this](int chosen) {
    showSentence();
    if (chosen >= 0) share({.sentence = qs(samples_[std::size_t(chosen)].source)});
  });
}

void SamplesPanel::setRuns(const QVector<RunRow>& runs) {
  const QVector<RunRow> shown = newestFirst(runs);
  setEmpty(shown.isEmpty());
  const qint64 chosen = runs_->run();
  runs_->setRuns(shown, chosen > 0 ? chosen : restoredRun_);
  if (runs_->run() != chosen) return choose();
  if (runs_->problem() != problem_) showSentence();  // its folder has gone
}

// All samples of a run are read: only for somebody who looks.
void SamplesPanel::choose() {
  arrived_ = false;
  if (isVisible()) emit runChosen(runs_->run());
}

void SamplesPanel::showEvent(QShowEvent* event) {
  Panel::showEvent(event);
  choose();
}

void SamplesPanel::hideEvent(QHideEvent* event) {
  Panel::hideEvent(event);
  emit runChosen(0);
}

SelectionChoices SamplesPanel::choices() const {
  SelectionChoices known;
  for (const SampledSentence& sample : samples_) known.sentences << qs(sample.source);
  return known;
}

void SamplesPanel::setSamples(qint64 run, const std::vector<SampledSentence>& sentences) {
  if (run != runs_->run()) return;
  const bool first = samples_.empty();
  const int before = first ? restoredSentence_ : sentences_->currentRow();
  arrived_ = true;
  samples_ = sentences;
  {
    const QSignalBlocker blocker(sentences_);
    sentences_->clear();
    for (const SampledSentence& sample : samples_) {
      auto* item = new QListWidgetItem(qs(sample.source), sentences_);
      item->setToolTip(tr("%1, sentence %2").arg(qs(sample.set)).arg(sample.sentence + 1));
    }
    sentences_->setCurrentRow(std::clamp(before, 0, std::max(0, sentences_->count() - 1)));
  }
  showSentence();
}

void SamplesPanel::showSentence() {
  problem_ = runs_->problem();
  if (!problem_.isEmpty()) return history_->setPlainText(problem_);
  const int chosen = sentences_->currentRow();
  if (chosen < 0) {
    history_->setPlainText(arrived_ ? tr("This run has translated no samples (yet).") : QString());
    return;
  }
  const SampledSentence& sample = samples_[std::size_t(chosen)];
  QString html = row(tr("source"), qs(sample.source).toHtmlEscaped()) +
                 row(tr("reference"), qs(sample.reference).toHtmlEscaped());
  const auto& all = sample.translations;
  for (std::size_t i = all.size(); i-- > 0;) {  // the newest first
    if (changes_->isChecked() && i > 0 && all[i].text == all[i - 1].text) continue;
    html += row(tr("step %1").arg(countText(all[i].step)), marked(all[i].text, sample.reference));
  }
  history_->setHtml(QStringLiteral("<table cellspacing='0'>%1</table>").arg(html));
}

void SamplesPanel::follow(const Selection& choice) {
  if (choice.run) runs_->showRun(*choice.run);
  for (std::size_t i = 0; choice.sentence && i < samples_.size(); ++i) {
    if (qs(samples_[i].source) == *choice.sentence) return sentences_->setCurrentRow(int(i));
  }
}

// The marked words of the newest translation.
Here SamplesPanel::here() const {
  Here here = Panel::here();
  const int chosen = sentences_->currentRow();
  if (chosen < 0 || samples_[std::size_t(chosen)].translations.empty()) return here;
  const SampledSentence& sample = samples_[std::size_t(chosen)];
  const std::string& newest = sample.translations.back().text;
  const QStringList words = qs(newest).split(QLatin1Char(' '));
  QStringList lacking;
  for (const DiffRun& run : wordDiff(sample.reference, newest)) {
    if (run.kind == DiffKind::kRight)
      lacking += words.mid(qsizetype(run.rightBegin), qsizetype(run.rightEnd - run.rightBegin));
  }
  here.place = tr("step %1: %2").arg(countText(sample.translations.back().step), qs(newest));
  here.add(QStringLiteral("M"),
           lacking.isEmpty() ? tr("none") : lacking.join(QStringLiteral(", ")));
  return here;
}

Json SamplesPanel::saveState() const {
  return {
      {"run", runs_->run() > 0 ? runs_->run() : restoredRun_},
      {"sentence", samples_.empty() ? restoredSentence_ : std::max(0, sentences_->currentRow())},
      {"changes", changes_->isChecked()}};
}

void SamplesPanel::restoreState(const Json& state) {
  const SavedState saved(state);
  restoredRun_ = saved.number("run").value_or(restoredRun_);
  restoredSentence_ = int(saved.number("sentence", 0, 10000).value_or(restoredSentence_));
  saved.check("changes", changes_);
}

void SamplesPanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) showSentence();
}

QString SamplesPanel::text() const {
  return history_->toPlainText();
}

}  // namespace strata::ui
