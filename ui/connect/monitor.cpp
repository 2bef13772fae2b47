#include "ui/connect/services.h"
#include "ui/data/workspace_service.h"
#include "ui/panels/monitor_panel.h"
#include "ui/rpc/gpu_watch.h"

namespace strata::ui {

Panel* makeMonitor(const Services& services, QWidget* parent) {
  auto* panel = new MonitorPanel(parent);
  using Service = WorkspaceService;
  Service* workspace = services.workspace;
  QObject::connect(workspace, &Service::activityChanged, panel, &MonitorPanel::setActivity);
  QObject::connect(workspace, &Service::alertsChanged, panel, &MonitorPanel::setAlerts);
  QObject::connect(workspace, &Service::systemUseChanged, panel, &MonitorPanel::setSystemUse);
  QObject::connect(panel, &MonitorPanel::rulesChanged, workspace, &Service::setAlertRules);
  QObject::connect(panel, &MonitorPanel::forgetRequested, workspace, &Service::forgetRun);
  QObject::connect(panel, &MonitorPanel::resumeRequested, workspace,
                   [workspace](qint64 run) { workspace->command({run}, RunCommand::kResume); });
  auto* gpus = new GpuWatch(panel);
  QObject::connect(panel, &MonitorPanel::watching, gpus, &GpuWatch::setWanted);
  QObject::connect(gpus, &GpuWatch::changed, panel, &MonitorPanel::setGpus);
  return panel;
}

}  // namespace strata::ui
