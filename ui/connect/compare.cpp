#include "ui/connect/services.h"
#include "ui/data/comparison_service.h"
#include "ui/data/workspace_service.h"
#include "ui/panels/compare_panel.h"
#include "ui/panels/sentence_view.h"
#include "ui/rpc/set_translations.h"

namespace strata::ui {
namespace {

void connectComparisons(ComparePanel* panel, ComparisonService* service) {
  using Service = ComparisonService;
  const auto request = [&](auto signal, auto call) {
    QObject::connect(panel, signal, service, call);
  };
  const auto answer = [&](auto signal, auto show) {
    QObject::connect(service, signal, panel, show);
  };
  request(&ComparePanel::listRequested, &Service::list);
  request(&ComparePanel::compareRequested, &Service::compare);
  request(&ComparePanel::filterRequested, &Service::filter);
  request(&ComparePanel::exportRequested, &Service::exportTo);
  request(&ComparePanel::importSystemRequested, &Service::importSystem);
  request(&ComparePanel::importTestSetRequested, &Service::importTestSet);
  request(&ComparePanel::trashSystemRequested, &Service::trashSystem);
  answer(&Service::listed, &ComparePanel::setList);
  answer(&Service::compared, &ComparePanel::setComparison);
  answer(&Service::compareFailed, &ComparePanel::setComparisonError);
  QObject::connect(service, &Service::filtered, panel->sentences(), &SentenceView::setFiltered);
  QObject::connect(service, &Service::filterFailed, panel->sentences(),
                   &SentenceView::setFilterError);
  answer(&Service::exported, &ComparePanel::confirmExport);
  answer(&Service::imported, &ComparePanel::confirmImport);
  answer(&Service::testSetImported, &ComparePanel::confirmTestSet);
  answer(&Service::failed, &ComparePanel::failed);
}

}  // namespace

Panel* makeCompare(const Services& services, QWidget* parent) {
  auto* panel = new ComparePanel(services.runDemo, parent);
  WorkspaceService* workspace = services.workspace;
  QObject::connect(workspace, &WorkspaceService::runsChanged, panel,
                   [panel](const QVector<RunRow>& runs) { panel->setRuns(translatingRuns(runs)); });
  // Systems are looked for from the moment that the workspace exists.
  QObject::connect(workspace, &WorkspaceService::opened, panel, [panel, workspace] {
    panel->refresh();
    QObject::connect(workspace, &WorkspaceService::runsChanged, panel, &ComparePanel::refresh);
  });
  QObject::connect(panel, &ComparePanel::translationRequested, services.translations,
                   &SetTranslations::add);
  QObject::connect(services.translations, &SetTranslations::finished, panel,
                   &ComparePanel::refresh);
  connectComparisons(panel, services.comparisons);
  return panel;
}

}  // namespace strata::ui
