#pragma once
#include <QElapsedTimer>
#include <QHash>

#include "core/run/serve_protocol.h"
#include "ui/data/values.h"
#include "ui/panels/panel.h"

class QAction;
class QComboBox;
class QLabel;
class QPlainTextEdit;
class QPushButton;
class QSpinBox;
class QTableWidget;
class QVBoxLayout;

namespace strata::ui {
class HeatMapView;
class RunBox;
class TokenStrip;

// Translates typed text with a run's model: n-best list, log-probability of each token, hop
// weights. It requests translations by a signal; a new request cancels earlier ones.
class TranslatePanel : public Panel {
  Q_OBJECT
 public:
  explicit TranslatePanel(QAction* runDemo, QWidget* parent = nullptr);

  void setRuns(const QVector<RunRow>& runs);  // runs that have a checkpoint, newest first
  void setText(const QString& text);
  void translate();
  void cancel();
  void setExamples(qint64 run, const QStringList& sentences);  // of the run's validation set
  // Answers to the latest request; ignored if it has been cancelled.
  void setTranslation(serve::TranslateReply reply);
  void setTranslationError(const QString& message);

  const std::vector<Hypothesis>& hypotheses() const { return hypotheses_; }
  bool isBusy() const { return busy_; }
  bool isUpToDate() const override { return !isBusy() && !exampleWanted_; }
  QString error() const override { return error_; }  // of the last translation; empty: none
  void showExample() override;  // translates the next one, as soon as they have arrived
  Json saveState() const override;
  void restoreState(const Json& state) override;

 signals:
  // What a translation recorded of the decoder, if its run records it: best hypothesis first.
  void translated(qint64 run, const std::vector<std::string>& source,
                  const std::vector<strata::Hypothesis>& hypotheses);
  void translationRequested(const strata::serve::TranslateRequest& request);
  void cancelRequested();
  void examplesRequested(qint64 run);

 private:
  void follow(const Selection& choice) override;
  QWidget* makeInput();
  void addButtons(QVBoxLayout* layout, QWidget* input);
  QWidget* makeOutput();
  void chooseRun();
  qint64 run() const;  // 0: none
  void finish(const QString& status);
  void showHypothesis(int index);
  void showMap();  // if there is one

  RunBox* runs_;
  QComboBox* checkpoint_;
  QPlainTextEdit* source_;
  QSpinBox *beam_, *nbest_;
  QPushButton *translate_, *cancel_, *example_;
  QLabel *best_, *status_, *mapTitle_;
  QTableWidget* table_;
  TokenStrip* strip_;
  HeatMapView* map_;
  std::vector<Hypothesis> hypotheses_;
  std::vector<std::string> sourceTokens_;
  QElapsedTimer clock_;
  bool busy_ = false;                    // a request is in progress
  qint64 translatedRun_ = 0;             // of the latest request
  QHash<qint64, QStringList> recorded_;  // names of what a run's decoder records, see RunRow
  QStringList examples_;
  qsizetype nextExample_ = 0;
  bool exampleWanted_ = false;
  qint64 restored_ = 0;  // the last session's run, until the runs arrive
  QString error_;
};

}  // namespace strata::ui
