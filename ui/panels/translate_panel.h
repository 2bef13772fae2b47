#pragma once
#include <QElapsedTimer>
#include <QHash>
#include <optional>

#include "core/run/serve_protocol.h"
#include "ui/data/imported_runs.h"
#include "ui/data/values.h"
#include "ui/panels/panel.h"

class QAction;
class QLabel;
class QTabWidget;

namespace strata::ui {
class AlternativesTable;
class AttentionOverride;
class BeginningTree;
class CheckpointBox;
class NextWords;
class NoticeBar;
class RunBox;
class RunTranslations;
class SourceWords;
class TokenStrip;
class TranslateInput;
class TranslatedHops;
class TranslatedSentences;

// Translates typed text with a run's model, one sentence per line: n-best list and tree,
// log-probability of each token, the model's other words at a token, hop weights. A word chosen
// among these, a branch of the tree or words that are typed begin the next translation; a word of
// the source can be dropped or swapped with the next; weights of an attention can be given; the
// runs drawn translate the same sentence. It requests translations by a signal; a new request
// cancels earlier ones.
class TranslatePanel : public Panel {
  Q_OBJECT
 public:
  explicit TranslatePanel(QAction* runDemo, QWidget* parent = nullptr);

  void setRuns(const QVector<RunRow>& runs);  // runs that have a checkpoint, newest first
  void setImported(const QVector<RunRow>& all) { imported_.setRuns(all); }
  void setText(const QString& text);
  void translate();
  void cancel();
  void setExamples(const QStringList& sentences);  // of the run's validation set
  // Answers to the latest request; ignored if it has been cancelled.
  void setTranslation(serve::TranslateReply reply);
  void setTranslationError(const QString& message);
  void setNextWordsError(const QString& message);
  RunTranslations* others() const { return others_; }  // of the drawn runs
  AttentionOverride* attentionOverride() const { return override_; }
  NextWords* nextWords() const { return nextWords_; }

  const std::vector<Hypothesis>& hypotheses() const { return hypotheses_; }
  const QStringList& sentences() const;  // of the latest request
  // The verb of strata-run that prints the same translations, and its arguments.
  QStringList translateCommand() const;
  bool isBusy() const { return busy_; }
  bool isUpToDate() const override {
    return !isBusy() && !exampleWanted_ && !(hasWork() && isWatched());
  }
  QString error() const override { return error_; }  // of the last translation; empty: none
  SelectionChoices choices() const override;
  void showExample() override;  // translates the next one, as soon as they have arrived
  Here here() const override;
  Json saveState() const override;
  void restoreState(const Json& state) override;

 signals:
  // What a translation recorded of the decoder, if its run records it: best hypothesis first.
  void translated(qint64 run, const std::vector<std::string>& source,
                  const std::vector<strata::Hypothesis>& hypotheses);
  void translationRequested(const strata::serve::TranslateRequest& request);
  void cancelRequested();
  void nextWordsRequested(const strata::serve::StepRequest& request);
  void examplesRequested(qint64 run);
  // Of another run; the answer is for others().
  void otherRequested(const strata::serve::TranslateRequest& request);
  void otherCancelRequested();

 private:
  // What a translation begins with; empty: it is free.
  struct Beginning {
    QStringList tokens = {};  // of the model
    QString text = {};        // or as it was typed
    int sentence = -1;        // of which
    bool isEmpty() const { return tokens.isEmpty() && text.isEmpty(); }
  };

  void follow(const Selection& choice) override;
  void followSentence(const Selection& choice);
  QWidget* makeInput();
  QWidget* makeOutput();
  QWidget* makeViews(QWidget* parent);
  ModelChoice model() const;
  Beginning beginningOf(int sentence) const;
  serve::TranslateRequest requestOf(int sentence) const;
  void request(int sentence);                      // of sentences_
  void translateFrom(const Beginning& beginning);  // the current sentence
  void goOn();
  void showReply(int sentence);  // clears the output if there is none yet
  void clearOutput();
  void chooseToken(int token);  // of the strip
  void showBeginning(int sentence);
  void replaceSentence(const QString& sentence);  // the current one
  void chooseRun();
  void listCheckpoints();
  bool isOfChosenModel() const;  // the latest request
  qint64 run() const;            // 0: none
  void finish(const QString& status);
  void showHypothesis(int index);
  void showPart(const Selection& choice);  // hypothesis and word, as far as they are there

  RunBox* runs_;
  CheckpointBox* checkpoint_;
  TranslateInput* text_;
  QLabel* best_;
  TranslatedSentences* sentences_;  // of the latest request
  AlternativesTable* table_;
  QTabWidget* views_;
  BeginningTree* tree_;
  NextWords* nextWords_;
  AttentionOverride* override_;
  RunTranslations* others_;
  NoticeBar *refused_, *begins_;
  SourceWords* words_;
  TokenStrip* strip_;
  TranslatedHops* hops_;
  std::vector<Hypothesis> hypotheses_;
  std::vector<std::string> sourceTokens_;
  int asked_ = 0;  // the sentence in progress
  Beginning beginning_;
  QElapsedTimer clock_;
  bool busy_ = false;                       // a request is in progress
  qint64 translatedRun_ = 0;                // of the latest request
  QString translatedCheckpoint_;            // likewise
  QHash<qint64, QStringList> checkpoints_;  // selectors of each run's
  ImportedRuns imported_;
  qint64 unlisted_ = 0;                  // the chosen run, while it has no model; 0: it has
  Selection wanted_;                     // hypothesis and word of a translation yet to come
  QHash<qint64, QStringList> recorded_;  // names of what a run's decoder records, see RunRow
  QStringList examples_;
  qsizetype nextExample_ = 0;
  bool exampleWanted_ = false;
  qint64 restored_ = 0;  // the last session's run, until the runs arrive
  QString error_;
};

}  // namespace strata::ui
