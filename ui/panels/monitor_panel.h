#pragma once
#include <vector>

#include "core/base/system_use.h"
#include "core/store/alerts.h"
#include "core/store/run_activity.h"
#include "ui/panels/panel.h"

class QLabel;
class QProgressBar;
class QSpinBox;
class QTreeWidget;
class QTreeWidgetItem;

namespace strata::ui {

// What is being trained now: how fast, how far, how long; how busy the computer is; and alerts that
// lead to the run and step that they concern.
class MonitorPanel : public Panel {
  Q_OBJECT
 public:
  explicit MonitorPanel(QWidget* parent = nullptr);

  void setActivity(const std::vector<RunActivity>& runs);
  void setAlerts(const std::vector<Alert>& alerts);
  void setSystemUse(const SystemUse& use);
  void setGpus(const std::vector<GpuUse>& gpus, const QString& problem);

  bool isUpToDate() const override { return arrived_; }
  Here here() const override;
  Json saveState() const override;
  void restoreState(const Json& state) override;

 signals:
  void rulesChanged(const strata::AlertRules& rules);
  void forgetRequested(qint64 run);  // whose folder is missing
  void resumeRequested(qint64 run);  // whose process has died
  void watching(bool visible);

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  struct Gauge {
    QProgressBar* bar = nullptr;
    QLabel* text = nullptr;
  };

  QWidget* makeDevices(QWidget* parent);
  Gauge addGauge(QWidget* parent, const char* name, const QString& title);
  QWidget* makeRuns(QWidget* parent);
  QWidget* makeAlerts(QWidget* parent);
  void fill(QTreeWidgetItem* item, const RunActivity& run);
  void addAlert(const Alert& alert);
  void fitAlerts();
  void lead(const Alert& alert);
  void sayNews(const std::vector<Alert>& alerts);

  Gauge processor_, memory_, disk_, gpu_;
  QLabel *noRuns_, *noAlerts_;
  QTreeWidget *runs_, *alerts_;
  QSpinBox* validations_;
  std::vector<RunActivity> activity_;
  std::vector<Alert> found_;
  bool arrived_ = false, knowsAlerts_ = false;
};

}  // namespace strata::ui
