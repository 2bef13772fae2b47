#include "ui/panels/recordings_panel.h"

#include <QBoxLayout>
#include <QScopedValueRollback>

#include "core/inside/target_attention.h"
#include "ui/data/imported_runs.h"
#include "ui/data/text.h"
#include "ui/widgets/recorded_steps.h"

namespace strata::ui {
namespace {

// Without what tokenizers add and change, to find a sentence by its text.
QString squeezed(QString text) {
  text.remove(QStringLiteral("@@")).remove(QStringLiteral("</s>"));
  text.removeIf([](QChar c) { return c.isSpace(); });
  return text.toCaseFolded();
}

}  // namespace

void RecordingsPanel::addSteps(QBoxLayout* bar, const QString& prefix, Steps steps) {
  recorded_ = new RecordedSteps(prefix, steps, bar->parentWidget());
  bar->addWidget(recorded_, 1);
  connect(recorded_, &RecordedSteps::picked, this, &RecordingsPanel::share);
  connect(recorded_, &RecordedSteps::runChosen, this, [this](qint64 run) {
    current_ = std::make_shared<StepRecordings>();
    wantedStep_ = -1;
    emit runChosen(run);
  });
  connect(recorded_, &RecordedSteps::stepChosen, this, [this](qint64 run, qint64 step) {
    wantedStep_ = step;
    emit recordingsRequested(run, step);
  });
}

void RecordingsPanel::setRuns(const QVector<RunRow>& runs) {
  runs_ = newestFirst(runs);
  recorded_->setRuns(runs_);
  setEmpty(recorded_->isEmpty());
  if (lacking_ == 0 || !recorded_->follow({.run = lacking_})) return;
  lacking_ = 0;  // it has recorded something meanwhile
  setLack({});
}

void RecordingsPanel::follow(const Selection& choice) {
  const bool shown = recorded_->follow(choice);
  if (choice.run) {
    const RunRow* run = findRun(runs_, *choice.run);
    lacking_ = shown || !run ? 0 : run->id;
    const RunRow* other = recorded_->newest();
    if (lacking_ != 0)
      setLack(lackOf(*run), other ? remedyOf(other->id, other->name) : LackPage::Remedy());
  }
  if (!choice.sentence) return;
  sentence_ = *choice.sentence;
  index_ = -1;
  showChosenSentence();
}

void RecordingsPanel::showChosenSentence() {
  const QScopedValueRollback showing(showing_, true);
  const QString wanted = squeezed(sentence_);
  const auto& all = current_->sentences;
  const auto fits = [&](int index) {
    return index >= 0 && index < int(all.size()) &&
           squeezed(sentenceText(all[std::size_t(index)].source)) == wanted;
  };
  int index = index_;
  if (!fits(index)) index = 0;
  while (index < int(all.size()) && !fits(index)) ++index;
  if (!wanted.isEmpty() && index < int(all.size())) showSentence(index);
}

void RecordingsPanel::shareSentence(const std::vector<std::string>& source, int index) {
  if (showing_) return;
  sentence_ = listedText(source);
  index_ = index;
  share({.sentence = sentence_});
}

QString RecordingsPanel::lackOf(const RunRow& run) const {
  if (const QString lack = importedLackOf(run); !lack.isEmpty()) return lack;
  return tr("%1 has recorded nothing for this view.").arg(run.name);
}

void RecordingsPanel::setRecordings(const SharedRecordings& recordings) {
  if (recordings->runId != recorded_->run() || recordings->step != wantedStep_)
    return;  // the selection has changed meanwhile
  wantedStep_ = -1;
  current_ = recordings;
  showRecordings();
  showChosenSentence();
}

QString RecordingsPanel::listedText(const std::vector<std::string>& tokens) {
  QStringList words = qs(joinedWords(tokens, wordStarts(tokens)));
  if (words.size() > 1 && words.last() == QLatin1String("</s>")) words.removeLast();
  for (QString& word : words) word = wordText(toStd(word));
  return words.join(QLatin1Char(' '));
}

SelectionChoices RecordingsPanel::choices() const {
  SelectionChoices known;
  for (const SentenceRecordings& sentence : current_->sentences)
    known.sentences << listedText(sentence.source);
  return known;
}

void RecordingsPanel::showExample() {
  if (lack().isEmpty()) return;
  setLack({});
  emit selected({.run = recorded_->run()});
}

bool RecordingsPanel::isUpToDate() const {
  return isEmpty() || !lack().isEmpty() || (recorded_->step() >= 0 && wantedStep_ < 0);
}

}  // namespace strata::ui
