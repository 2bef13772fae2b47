#pragma once
#include "ui/data/run_readers.h"
#include "ui/panels/measured_panel.h"

class QComboBox;
class QLabel;

namespace strata::ui {
class HeatMapView;

// Who reads whom: how much the layers that read several earlier ones side by side take from each
// of them. What has been measured is shown at once; a button measures the rest.
class ReadersPanel : public ReportPanel<RunReaders> {
  Q_OBJECT
 public:
  explicit ReadersPanel(QAction* runDemo, QWidget* parent = nullptr);

  QStringList arguments() const override;

  Here here() const override;
  Json saveState() const override;
  void restoreState(const Json& state) override;

 private:
  QWidget* makeActions();
  QWidget* makePicture();
  void showFound() override;
  QString caption() const override;
  QString lacking() const override;
  LackPage::Remedy remedy() override;
  QString howMeasured() const override;
  void listMaps();
  void draw();
  void readOut(int row, int column);
  ReadMeasure measure() const;
  double value(ReadMeasure measure, int row, int column) const;  // NaN: it does not read it

  QComboBox *map_, *measure_;
  QLabel *readout_, *equation_;
  HeatMapView* picture_;

  ReadMap drawn_;
  QString wantedMap_;
};

}  // namespace strata::ui
