#pragma once
#include "ui/data/run_layers.h"
#include "ui/data/values.h"
#include "ui/panels/panel.h"

class QComboBox;
class QLabel;
class QTabWidget;

namespace strata::ui {
class CategoryPlot;
class HeatMapView;
class MeasureButtons;
class MeasuredRunChoice;
class ReportTable;

// What the layers of a run's model are and know: how similar the levels of its encoder and decoder
// are, and what its own output layer makes of each level of the decoder. What has been measured is
// shown at once; a button measures the rest.
class LayersPanel : public Panel {
  Q_OBJECT
 public:
  explicit LayersPanel(QAction* runDemo, QWidget* parent = nullptr);

  void setRuns(const QVector<RunRow>& runs);
  void setLayers(const RunLayers& layers);
  void setProgress(qint64 run, double share);  // of what is being measured, 0 .. 1
  void setMeasured(qint64 run);
  void setCancelled(qint64 run);
  void setError(qint64 run, const QString& message);

  const LayersReport* shown() const { return shown_; }  // null: nothing is measured
  QStringList arguments() const;                        // of strata-run, for what is chosen

  bool isUpToDate() const override { return isEmpty() || arrived_; }
  Json saveState() const override;
  void restoreState(const Json& state) override;

 signals:
  void runChosen(qint64 run);
  void startRequested(qint64 run, const QString& name, const QStringList& arguments);
  void cancelRequested();

 private:
  void follow(const Selection& choice) override;
  QWidget* makeChoices();
  QWidget* makeActions();
  QWidget* makeSimilarity();
  QWidget* makeLens();
  void chooseRun();
  void showStored();
  void showChoice();
  void showReport();
  void drawSimilarity();
  void drawLens();
  void drawMeans();
  void listSentences();
  void showSentence(const QString& text);
  void showButtons();
  LensMeasure measure() const;
  const LensSentence* sentence() const;  // null: none
  const LayersReport* found() const;
  QString notMeasured() const;
  QString remarks() const;
  void exportPictures(const QString& path);

  MeasuredRunChoice* choice_;
  MeasureButtons* buttons_;
  QComboBox *measure_, *sentences_;
  QLabel *message_, *similarityReadout_, *lensReadout_;
  QTabWidget* pictures_;
  HeatMapView *similarity_, *lens_;
  CategoryPlot* means_;
  ReportTable* table_;

  RunLayers layers_;
  const LayersReport* shown_ = nullptr;  // of layers_
  qint64 measuring_ = 0;                 // the run; 0: none
  qint64 errorRun_ = 0;
  QString error_;
  qint64 wantedSentence_ = 0;  // of the set, from 0
  QString wantedText_;         // chosen elsewhere
  bool arrived_ = false, restored_ = false;
};

}  // namespace strata::ui
