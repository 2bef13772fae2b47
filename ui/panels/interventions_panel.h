#pragma once
#include "ui/data/run_effects.h"
#include "ui/data/values.h"
#include "ui/panels/panel.h"

class QComboBox;
class QLabel;
class QTabWidget;

namespace strata::ui {
class CategoryPlot;
class EffectScatter;
class MeasureButtons;
class MeasuredRunChoice;
class ReportTable;

// Weights are not importance: how much a run's model loses on its validation set without each of
// its parts, next to the weight that it gives them. What has been measured is shown at once; a
// button measures the rest.
class InterventionsPanel : public Panel {
  Q_OBJECT
 public:
  explicit InterventionsPanel(QAction* runDemo, QWidget* parent = nullptr);

  void setRuns(const QVector<RunRow>& runs);
  void setEffects(const RunEffects& effects);
  void setProgress(qint64 run, double share);  // of what is being measured, 0 .. 1
  void setMeasured(qint64 run);
  void setCancelled(qint64 run);
  void setError(qint64 run, const QString& message);

  const EffectsReport* shown() const { return shown_; }  // null: nothing is measured
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
  QWidget* makePictures();
  QWidget* makeSummary();
  void chooseRun();
  void showStored();
  void showChoice();
  void showReport();
  void draw(const EffectsReport& report);
  void drawScatter(const EffectsReport& report);
  void showButtons();
  EffectKind kind() const;
  EffectMode mode() const;
  const EffectsReport* found() const;
  QString lacking() const;
  void exportPicture(const QString& path);

  MeasuredRunChoice* choice_;
  MeasureButtons* buttons_;
  QComboBox *kind_, *mode_;
  QLabel *message_, *lists_;
  QTabWidget* pictures_;
  CategoryPlot* byLayer_;
  EffectScatter* byWeight_;
  ReportTable* table_;
  QWidget* results_;

  RunEffects effects_;
  const EffectsReport* shown_ = nullptr;  // of effects_
  qint64 measuring_ = 0;                  // the run; 0: none
  qint64 errorRun_ = 0;
  QString error_;
  bool arrived_ = false, restored_ = false;
};

}  // namespace strata::ui
