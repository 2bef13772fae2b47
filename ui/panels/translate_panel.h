#pragma once
#include <QElapsedTimer>
#include <QHash>
#include <QWidget>

#include "core/run/serve_protocol.h"
#include "ui/data/values.h"

class QComboBox;
class QLabel;
class QPlainTextEdit;
class QPushButton;
class QSpinBox;
class QTableWidget;
class QVBoxLayout;

namespace strata::ui {
class EmptyStack;
class EngineClient;
class HeatMapView;
class TokenStrip;

// Translates typed text with a run's model: n-best list, log-probability of each token, hop
// weights. Works through `strata-run serve`; a new request cancels earlier ones.
class TranslatePanel : public QWidget {
  Q_OBJECT
 public:
  TranslatePanel(EngineClient* engine, QAction* runDemo, QWidget* parent = nullptr);

  void setRuns(const QVector<RunRow>& runs);  // runs that have a checkpoint, newest first
  void showRun(qint64 run);
  void setText(const QString& text);
  void translate();
  void cancel();
  void setExamples(qint64 run, const QStringList& sentences);  // of the run's validation set
  void tryExample();  // translates the next of them, as soon as they have arrived

  const std::vector<Hypothesis>& hypotheses() const { return hypotheses_; }
  bool isEmpty() const;
  bool isBusy() const { return call_ != 0; }
  bool isUpToDate() const { return !isBusy() && !exampleWanted_; }
  QString error() const { return error_; }  // of the last translation; empty: none

 signals:
  // What a translation recorded of the decoder, if its run records it: best hypothesis first.
  void translated(qint64 run, const std::vector<strata::ui::RecordedHypothesis>& hypotheses);
  void failed(const QString& message);
  void examplesRequested(qint64 run);

 private:
  QWidget* makeInput();
  void addButtons(QVBoxLayout* layout, QWidget* input);
  QWidget* makeOutput();
  void receive(serve::TranslateReply reply);
  // What panels draw of a hypothesis.
  SentenceRecordings sentenceOf(const Hypothesis& hypothesis) const;
  void announce();
  void finish(const QString& status);
  void showHypothesis(int index);

  EngineClient* engine_;
  QComboBox *runs_, *checkpoint_;
  QPlainTextEdit* source_;
  QSpinBox *beam_, *nbest_;
  QPushButton *translate_, *cancel_, *example_;
  QLabel *best_, *status_, *mapTitle_;
  QTableWidget* table_;
  TokenStrip* strip_;
  HeatMapView* map_;
  EmptyStack* stack_;
  std::vector<Hypothesis> hypotheses_;
  std::vector<std::string> sourceTokens_;
  QElapsedTimer clock_;
  qint64 call_ = 0;                      // in progress; 0: none
  qint64 translatedRun_ = 0;             // of the latest call
  QHash<qint64, QStringList> recorded_;  // names of what a run's decoder records, see RunRow
  QStringList examples_;
  qsizetype nextExample_ = 0;
  bool exampleWanted_ = false;
  QString error_;
};

}  // namespace strata::ui
