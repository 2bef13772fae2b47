#pragma once
#include "ui/data/shared_recordings.h"
#include "ui/panels/panel.h"

class QBoxLayout;

namespace strata::ui {
class RecordedSteps;

// A panel that draws what a run has recorded at one of its steps. It requests recordings by a
// signal and receives values; it follows to a new step if it was at the last one.
class RecordingsPanel : public Panel {
  Q_OBJECT
 public:
  // As the workspace sends them. Those that have recordings for this panel are listed, the newest
  // first, which is selected if none is.
  void setRuns(const QVector<RunRow>& runs);
  void setRecordings(
      const SharedRecordings& recordings);  // ignored unless they were requested last

  bool isUpToDate() const override;           // the selection has arrived and is drawn
  SelectionChoices choices() const override;  // its sentences
  void showExample() override;  // of the newest run that has recordings for this panel

 signals:
  void runChosen(qint64 run);  // before its recordings are requested
  void recordingsRequested(qint64 run, qint64 step);

 protected:
  using Steps = QVector<qint64> RunDetails::*;
  using Panel::Panel;
  // Puts the selectors of run and step into a tool bar: of the steps that the panel draws. Their
  // object names start with `prefix`. Call once, in the constructor.
  void addSteps(QBoxLayout* bar, const QString& prefix, Steps steps);

  void follow(const Selection& choice) override;
  virtual void showRecordings() = 0;                // current() has changed
  virtual void showSentence(int index) = 0;         // of current(); it was chosen elsewhere
  virtual QString lackOf(const RunRow& run) const;  // why a run has nothing to show here
  // The user has chosen this sentence here; `index` of current() if it is known, since two may be
  // alike.
  void shareSentence(const std::vector<std::string>& source, int index = -1);
  // Tokens as words, without the end of the sentence.
  static QString listedText(const std::vector<std::string>& tokens);

  RecordedSteps* recorded() const { return recorded_; }
  // Empty until they arrive.
  const StepRecordings& current() const { return *current_; }
  const SharedRecordings& shared() const { return current_; }

 private:
  void showChosenSentence();

  RecordedSteps* recorded_ = nullptr;
  QVector<RunRow> runs_;  // newest first
  SharedRecordings current_ = std::make_shared<StepRecordings>();
  qint64 wantedStep_ = -1;  // requested, not yet received; -1: none
  qint64 lacking_ = 0;      // the chosen run, if it has nothing to show here; 0: it has
  QString sentence_;        // the chosen one; empty: none
  int index_ = -1;          // where it was chosen here; -1: elsewhere
  bool showing_ = false;    // a sentence that was chosen elsewhere
};

}  // namespace strata::ui
