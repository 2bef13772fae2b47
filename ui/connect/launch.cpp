#include <algorithm>

#include "core/base/key_path.h"
#include "ui/connect/ask.h"
#include "ui/connect/exchange.h"
#include "ui/connect/services.h"
#include "ui/data/text.h"
#include "ui/panels/config_model.h"
#include "ui/panels/launch_panel.h"
#include "ui/panels/queue_view.h"
#include "ui/rpc/gpu_watch.h"
#include "ui/rpc/latest_call.h"
#include "ui/rpc/runner_call.h"

namespace strata::ui {

void connectEngine(LaunchPanel* panel, EngineClient* engine) {
  using Request = LaunchPanel::Request;
  // One call in progress of each kind of request.
  const auto sender = [panel, engine](Request kind) {
    auto* call = new LatestCall(engine, panel);
    return [panel, call, kind](const char* method, const Json& request, EngineClient::Done done) {
      call->send(QLatin1String(method), request, std::move(done),
                 [panel, kind](const QString& message) { panel->setRequestError(kind, message); });
    };
  };
  QObject::connect(
      panel, &LaunchPanel::presetsRequested, panel, [panel, send = sender(Request::kPresets)] {
        send("presets", Json::object(),
             [panel](const Json& reply) { panel->setPresets(serve::PresetsReply::read(reply)); });
      });
  QObject::connect(panel, &LaunchPanel::countsRequested, panel,
                   [panel, send = sender(Request::kCounts)](const serve::PresetsRequest& request) {
                     send("presets", request.json(), [panel](const Json& reply) {
                       panel->setCounts(serve::PresetsReply::read(reply));
                     });
                   });
  QObject::connect(panel, &LaunchPanel::schemaRequested, panel,
                   [panel, send = sender(Request::kSchema)](const QString& preset) {
                     send("schema", {{"preset", toStd(preset)}},
                          [panel](const Json& reply) { panel->setSchema(reply); });
                   });
  QObject::connect(panel, &LaunchPanel::dryRunRequested, panel,
                   [panel, send = sender(Request::kDryRun)](const serve::DryRunRequest& request) {
                     send("dryRun", request.json(), [panel](const Json& reply) {
                       panel->setEstimate(serve::DryRunReply::read(reply));
                     });
                   });
}

// The queue's order and places, and the GPUs that it can use.
void connectQueue(QueueView* queue, WorkspaceService* workspace) {
  using Service = WorkspaceService;
  QObject::connect(workspace, &Service::activityChanged, queue, &QueueView::setActivity);
  QObject::connect(workspace, &Service::queueSettingsChanged, queue, &QueueView::setSettings);
  QObject::connect(queue, &QueueView::moved, workspace, &Service::moveInQueue);
  QObject::connect(queue, &QueueView::settingsChosen, workspace, &Service::setQueueSettings);
  auto* gpus = new GpuWatch(queue);
  QObject::connect(queue, &QueueView::shown, gpus, [gpus] { gpus->setWanted(true); });
  QObject::connect(gpus, &GpuWatch::changed, queue, [gpus, queue](const auto& found) {
    gpus->setWanted(false);
    queue->setGpus(int(found.size()));
  });
}

// `strata-run sweep` queues a sweep: what Copy command gives is what is done.
void connectSweep(LaunchPanel* panel, const QString& workspace) {
  auto* call = new RunnerCall(workspace, panel);
  QObject::connect(panel, &LaunchPanel::sweepRequested, call, [call](const QStringList& command) {
    call->start(QStringList{QStringLiteral("--json")} + command);
  });
  QObject::connect(call, &RunnerCall::finished, panel, [panel, workspace](const QByteArray& text) {
    const Json runs = parseJson(text.toStdString(), "the reply of strata-run sweep").at("runs");
    const auto queued = std::ranges::count_if(runs, [](const Json& run) {
      return run.at("outcome") == "queued" || run.at("outcome") == "resumed";
    });
    panel->setSweepQueued(int(queued), int(runs.size()));
    startWorker(panel, workspace);
  });
  QObject::connect(call, &RunnerCall::failed, panel, &LaunchPanel::setSweepFailed);
}

void copyRun(LaunchPanel* panel, const RunConfiguration& run) {
  const Json* dataset = findAt(run.config, "data.dataset");
  panel->copyRun(run.preset, dataset ? configText(*dataset) : QString(), run.config);
  emit panel->showRequested(panel->name());
}

Panel* makeLaunch(const Services& services, QWidget* parent) {
  auto* panel = new LaunchPanel(services.runDemo, parent);
  WorkspaceService* workspace = services.workspace;
  QObject::connect(workspace, &WorkspaceService::datasetsChanged, panel, &LaunchPanel::setDatasets);
  QObject::connect(panel, &LaunchPanel::startRequested, workspace,
                   [workspace](const LaunchRequest& request) {
                     Json config = request.config;
                     config["data"]["dataset"] = toStd(request.dataset);
                     if (request.evenIfSame)
                       workspace->startRun(request.name, request.preset, config);
                     else
                       workspace->startNewRun(request.name, request.preset, config);
                   });
  QObject::connect(services.exchange, &Exchange::datasetChosen, panel,
                   [panel](const QString& dataset) { panel->choose({}, dataset); });
  QObject::connect(services.exchange, &Exchange::settingWanted, panel, &LaunchPanel::showSetting);
  QObject::connect(services.exchange, &Exchange::copyWanted, panel,
                   [=](qint64 run, const QString& from) {
                     ask(workspace, panel, ConfigurationOf{run, from}, &copyRun);
                   });
  QObject::connect(workspace, &WorkspaceService::queued, panel, &LaunchPanel::setQueued);
  QObject::connect(workspace, &WorkspaceService::sameRunFound, panel, &LaunchPanel::setSameRun);
  QObject::connect(workspace, &WorkspaceService::failed, panel, &LaunchPanel::setStartFailed);
  connectQueue(panel->queue(), workspace);
  connectSweep(panel, workspace->root());
  connectEngine(panel, services.engine);
  return panel;
}

}  // namespace strata::ui
