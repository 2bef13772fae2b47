#pragma once
#include "ui/data/run_effects.h"
#include "ui/data/values.h"
#include "ui/panels/panel.h"

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QSpinBox;

namespace strata::ui {
class HeatMapView;
class RunBox;

// Who reads whom: how much the layers that read several earlier ones side by side take from each
// of them. What has been measured is shown at once; a button measures the rest.
class ReadersPanel : public Panel {
  Q_OBJECT
 public:
  explicit ReadersPanel(QAction* runDemo, QWidget* parent = nullptr);

  void setRuns(const QVector<RunRow>& runs);
  void setMeasured(const RunEffects& measured);
  void setProgress(qint64 run, double share);  // of what is being measured, 0 .. 1
  void setFinished(qint64 run);
  void setCancelled(qint64 run);
  void setError(qint64 run, const QString& message);

  const ReadersReport* shown() const { return shown_; }  // null: nothing is measured
  QStringList arguments() const;                         // of strata-run, for what is chosen

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
  QWidget* makePicture();
  void chooseRun();
  void listChoices();
  void listMaps();
  void showStored();
  void showChoice();
  void draw();
  void readOut(int row, int column);
  void showButtons();
  ReadMeasure measure() const;
  const ReadersReport* found() const;
  QString lacking() const;

  RunBox* runs_;
  QComboBox *checkpoint_, *set_, *map_, *measure_;
  QSpinBox* limit_;
  QPushButton *start_, *cancel_;
  QProgressBar* progress_;
  QLabel *message_, *readout_, *equation_;
  HeatMapView* picture_;
  QWidget* result_;

  RunEffects measured_;
  const ReadersReport* shown_ = nullptr;  // of measured_
  ReadMap drawn_;
  QVector<RunRow> listed_;
  qint64 measuring_ = 0;  // the run; 0: none
  qint64 errorRun_ = 0;
  QString error_;
  qint64 restoredRun_ = 0;  // the last session's, until it is in the list
  QString wantedCheckpoint_ = QStringLiteral("best"), wantedSet_, wantedMap_;
  bool arrived_ = false;
};

}  // namespace strata::ui
