#pragma once
#include "ui/data/run_layers.h"
#include "ui/data/values.h"
#include "ui/panels/measured_panel.h"

class QComboBox;
class QLabel;
class QTabWidget;

namespace strata::ui {
class CategoryPlot;
class HeatMapView;
class ReportTable;

// What the layers of a run's model are and know: how similar the levels of its encoder and decoder
// are, and what its own output layer makes of each level of the decoder. What has been measured is
// shown at once; a button measures the rest.
class LayersPanel : public ReportPanel<RunLayers> {
  Q_OBJECT
 public:
  explicit LayersPanel(QAction* runDemo, QWidget* parent = nullptr);

  QStringList arguments() const override;

  Here here() const override;
  Json saveState() const override;
  void restoreState(const Json& state) override;

 private:
  void follow(const Selection& choice) override;
  QWidget* makeActions();
  QWidget* makeSimilarity();
  QWidget* makeLens();
  void showFound() override;
  QString caption() const override;
  QString howMeasured() const override;
  void drawSimilarity();
  void drawLens();
  void drawMeans();
  void listSentences();
  void showSentence(const QString& text);
  LensMeasure measure() const;
  const LensSentence* sentence() const;  // null: none
  void exportPictures(const QString& path);

  QComboBox *measure_, *sentences_;
  QLabel *similarityReadout_, *lensReadout_;
  QTabWidget* pictures_;
  HeatMapView *similarity_, *lens_;
  CategoryPlot* means_;
  ReportTable* table_;

  qint64 wantedSentence_ = 0;  // of the set, from 0
  QString wantedText_;         // chosen elsewhere
};

}  // namespace strata::ui
