#include "ui/connect/ask.h"
#include "ui/connect/exchange.h"
#include "ui/connect/services.h"
#include "ui/panels/attention_override.h"
#include "ui/panels/next_words.h"
#include "ui/panels/run_translations.h"
#include "ui/panels/translate_panel.h"
#include "ui/rpc/latest_call.h"

namespace strata::ui {

namespace {

QString methodOf(const serve::TranslateRequest& request) {
  return request.isForced() ? QStringLiteral("force") : QStringLiteral("translate");
}

void connectOverride(AttentionOverride* view, EngineClient* engine) {
  auto *load = new LatestCall(engine, view), *unchanged = new LatestCall(engine, view),
       *changed = new LatestCall(engine, view);
  const auto failed = [view](const QString& message) { view->setProblem(message); };
  QObject::connect(
      view, &AttentionOverride::mapsRequested, load,
      [view, load, failed](const ModelChoice& model) {
        load->send(
            QStringLiteral("load"), serve::LoadRequest{model}.json(),
            [view](const Json& reply) { view->setMaps(serve::LoadReply::read(reply)); }, failed);
      });
  QObject::connect(
      view, &AttentionOverride::unchangedRequested, unchanged,
      [view, unchanged, failed](const serve::TranslateRequest& request) {
        unchanged->send(
            methodOf(request), request.json(),
            [view](const Json& reply) { view->setUnchanged(serve::TranslateReply::read(reply)); },
            failed);
      });
  QObject::connect(
      view, &AttentionOverride::changedRequested, changed,
      [view, changed, failed](const serve::TranslateRequest& request) {
        changed->send(
            methodOf(request), request.json(),
            [view](const Json& reply) { view->setChanged(serve::TranslateReply::read(reply)); },
            failed);
      });
  for (LatestCall* call : {unchanged, changed})
    QObject::connect(view, &AttentionOverride::cancelRequested, call, &LatestCall::cancel);
}

}  // namespace

void connectEngine(TranslatePanel* panel, EngineClient* engine) {
  connectOverride(panel->attentionOverride(), engine);
  auto* call = new LatestCall(engine, panel);
  QObject::connect(panel, &TranslatePanel::translationRequested, call,
                   [panel, call](const serve::TranslateRequest& request) {
                     call->send(
                         methodOf(request), request.json(),
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
  QObject::connect(panel, &TranslatePanel::nextWordsRequested, step,
                   [panel, step](const serve::StepRequest& request) {
                     step->send(
                         QStringLiteral("step"), request.json(),
                         [panel](const Json& reply) {
                           panel->nextWords()->setReply(serve::StepReply::read(reply));
                         },
                         [panel](const QString& message) { panel->setNextWordsError(message); });
                   });
}

Panel* makeTranslate(const Services& services, QWidget* parent) {
  auto* panel = new TranslatePanel(services.runDemo, parent);
  WorkspaceService* workspace = services.workspace;
  QObject::connect(workspace, &WorkspaceService::runsChanged, panel,
                   [panel](const QVector<RunRow>& runs) {
                     panel->setImported(runs);
                     panel->setRuns(translatingRuns(runs));
                   });
  askOnChoice<ExamplesOf>(workspace, panel, &TranslatePanel::examplesRequested,
                          &TranslatePanel::setExamples);
  QObject::connect(panel, &TranslatePanel::translated, services.exchange, &Exchange::translated);
  connectEngine(panel, services.engine);
  return panel;
}

}  // namespace strata::ui
