#include "ui/connect/exchange.h"
#include "ui/connect/services.h"
#include "ui/data/workspace_service.h"
#include "ui/panels/run_translations.h"
#include "ui/panels/translate_panel.h"
#include "ui/rpc/latest_call.h"

namespace strata::ui {

void connectEngine(TranslatePanel* panel, EngineClient* engine) {
  auto* call = new LatestCall(engine, panel);
  QObject::connect(
      panel, &TranslatePanel::translationRequested, call,
      [panel, call](const serve::TranslateRequest& request) {
        call->send(
            request.prefix.empty() ? QStringLiteral("translate") : QStringLiteral("force"),
            request.json(),
            [panel](const Json& reply) {
              panel->setTranslation(serve::TranslateReply::read(reply));
            },
            [panel](const QString& message) { panel->setTranslationError(message); });
      });
  QObject::connect(panel, &TranslatePanel::cancelRequested, call, &LatestCall::cancel);
  auto* other = new LatestCall(engine, panel);
  QObject::connect(
      panel, &TranslatePanel::otherRequested, other,
      [panel, other](const serve::TranslateRequest& request) {
        other->send(
            QStringLiteral("translate"), request.json(),
            [panel](const Json& reply) {
              panel->others()->setTranslation(serve::TranslateReply::read(reply));
            },
            [panel](const QString& message) { panel->others()->setTranslationError(message); });
      });
  QObject::connect(panel, &TranslatePanel::otherCancelRequested, other, &LatestCall::cancel);
  auto* step = new LatestCall(engine, panel);
  QObject::connect(
      panel, &TranslatePanel::nextWordsRequested, step,
      [panel, step](const serve::StepRequest& request) {
        step->send(
            QStringLiteral("step"), request.json(),
            [panel](const Json& reply) { panel->setNextWords(serve::StepReply::read(reply)); },
            [panel](const QString& message) { panel->setNextWordsError(message); });
      });
}

Panel* makeTranslate(const Services& services, QWidget* parent) {
  auto* panel = new TranslatePanel(services.runDemo, parent);
  WorkspaceService* workspace = services.workspace;
  QObject::connect(workspace, &WorkspaceService::runsChanged, panel,
                   [panel](const QVector<RunRow>& runs) { panel->setRuns(translatingRuns(runs)); });
  QObject::connect(panel, &TranslatePanel::examplesRequested, workspace,
                   &WorkspaceService::loadExamples);
  QObject::connect(workspace, &WorkspaceService::examplesLoaded, panel,
                   &TranslatePanel::setExamples);
  QObject::connect(panel, &TranslatePanel::translated, services.exchange, &Exchange::translated);
  connectEngine(panel, services.engine);
  return panel;
}

}  // namespace strata::ui
