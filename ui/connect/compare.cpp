#include <QQueue>
#include <QTimer>
#include <QUndoCommand>
#include <QUndoStack>
#include <memory>

#include "ui/connect/run_commands.h"
#include "ui/connect/services.h"
#include "ui/data/comparison_service.h"
#include "ui/data/job_list.h"
#include "ui/data/text.h"
#include "ui/data/workspace_service.h"
#include "ui/panels/compare_imports.h"
#include "ui/panels/compare_panel.h"
#include "ui/panels/sentence_view.h"
#include "ui/rpc/set_translations.h"

namespace strata::ui {
namespace {

constexpr int kFirstListMs = 400;  // not while the window opens

// Moves something to the trash; undo brings it back.
class Trash : public QUndoCommand {
 public:
  Trash(const QString& text, std::function<void()> trash, std::function<void()> restore)
      : QUndoCommand(text), trash_(std::move(trash)), restore_(std::move(restore)) {}

  void redo() override { trash_(); }
  void undo() override { restore_(); }

 private:
  std::function<void()> trash_, restore_;
};

void connectTrash(ComparePanel* panel, ComparisonService* service, QUndoStack* undo) {
  const auto push = [panel, undo](const QString& what, auto trash, auto restore) {
    undo->push(new Trash(ComparePanel::tr("Move %1 to the trash").arg(what), trash, restore));
    emit panel->notice(ComparePanel::tr("%1 is in the trash. Edit → Undo brings it back, as does "
                                        "Add systems → Restore from the trash.")
                           .arg(what));
  };
  QObject::connect(panel, &ComparePanel::trashSystemRequested, service,
                   [service, push](const QString& id) {
                     push(
                         id, [service, id] { service->trashSystem(id); },
                         [service, id] { service->restoreSystem(id); });
                   });
  QObject::connect(panel, &ComparePanel::trashScoresRequested, service,
                   [service, push](const QString& id, const QString& metric) {
                     push(
                         metric, [service, id, metric] { service->trashScores(id, metric); },
                         [service, id, metric] { service->restoreScores(id, metric); });
                   });
  QObject::connect(panel, &ComparePanel::restoreRequested, service,
                   &ComparisonService::restoreTrashed);
}

// Imports and exports in the list of jobs, until the service, which does one after the other, has
// answered. What an import lacks is said in its dialog, so it is not kept as failed.
void listJobs(ComparePanel* panel, ComparisonService* service, JobList* jobs) {
  const auto waiting = std::make_shared<QQueue<qint64>>(),
             writing = std::make_shared<QQueue<qint64>>();
  const auto importing = [=](const QString& name) {
    waiting->enqueue(jobs->add({.kind = JobKind::kImport, .name = name}));
  };
  const CompareImports* imports = panel->imports();
  QObject::connect(imports, &CompareImports::systemRequested, jobs,
                   [=](const NewSystem& system) { importing(qs(system.name)); });
  QObject::connect(imports, &CompareImports::testSetRequested, jobs,
                   [=](const NewTestSet& set) { importing(qs(set.name)); });
  QObject::connect(imports, &CompareImports::scoresRequested, jobs,
                   [=](const ScoresRequest& request) { importing(request.path); });
  const auto imported = [=] {
    if (!waiting->isEmpty()) jobs->end(waiting->dequeue());
  };
  using Service = ComparisonService;
  QObject::connect(service, &Service::imported, jobs, imported);
  QObject::connect(service, &Service::testSetImported, jobs, imported);
  QObject::connect(service, &Service::scoresImported, jobs, imported);
  QObject::connect(service, &Service::importFailed, jobs, imported);
  QObject::connect(panel, &ComparePanel::exportRequested, jobs,
                   [=](const ComparisonPointer&, const ExportTarget& target) {
                     writing->enqueue(jobs->add({.kind = JobKind::kExport, .name = target.path}));
                   });
  QObject::connect(service, &Service::exported, jobs, [=] { jobs->end(writing->dequeue()); });
  QObject::connect(service, &Service::exportFailed, jobs,
                   [=](const QString& message) { jobs->fail(writing->dequeue(), message); });
}

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
  answer(&Service::listed, &ComparePanel::setList);
  answer(&Service::compared, &ComparePanel::setComparison);
  answer(&Service::compareFailed, &ComparePanel::setComparisonError);
  QObject::connect(service, &Service::filtered, panel->sentences(), &SentenceView::setFiltered);
  QObject::connect(service, &Service::filterFailed, panel->sentences(),
                   &SentenceView::setFilterError);
  answer(&Service::exported, &ComparePanel::confirmExport);
  answer(&Service::exportFailed, &ComparePanel::failed);
  answer(&Service::failed, &ComparePanel::failed);
}

void connectImports(CompareImports* imports, ComparisonService* service) {
  using Service = ComparisonService;
  const auto request = [&](auto signal, auto call) {
    QObject::connect(imports, signal, service, call);
  };
  const auto answer = [&](auto signal, auto show) {
    QObject::connect(service, signal, imports, show);
  };
  request(&CompareImports::systemRequested, &Service::importSystem);
  request(&CompareImports::testSetRequested, &Service::importTestSet);
  request(&CompareImports::scoresPreviewRequested, &Service::previewScores);
  request(&CompareImports::scoresRequested, &Service::importScores);
  answer(&Service::imported, &CompareImports::confirmSystem);
  answer(&Service::testSetImported, &CompareImports::confirmTestSet);
  answer(&Service::scoresPreviewed, &CompareImports::setScoresPreview);
  answer(&Service::scoresImported, &CompareImports::confirmScores);
  answer(&Service::importFailed, &CompareImports::showError);
}

}  // namespace

Panel* makeCompare(const Services& services, QWidget* parent) {
  auto* panel = new ComparePanel(services.runDemo, parent);
  WorkspaceService* workspace = services.workspace;
  QObject::connect(workspace, &WorkspaceService::runsChanged, panel,
                   [panel](const QVector<RunRow>& runs) { panel->setRuns(translatingRuns(runs)); });
  // Systems are looked for from the moment that the workspace exists; the rail lists them, too.
  QObject::connect(workspace, &WorkspaceService::opened, panel, [=, all = services.comparisons] {
    QTimer::singleShot(kFirstListMs, all, &ComparisonService::list);
    QObject::connect(workspace, &WorkspaceService::runsChanged, panel, &ComparePanel::refresh);
  });
  QObject::connect(panel, &ComparePanel::translationRequested, services.translations,
                   &SetTranslations::add);
  QObject::connect(services.translations, &SetTranslations::finished, services.comparisons,
                   &ComparisonService::list);
  listJobs(panel, services.comparisons, services.jobs);
  connectComparisons(panel, services.comparisons);
  connectImports(panel->imports(), services.comparisons);
  connectTrash(panel, services.comparisons, services.commands->undoStack());
  return panel;
}

}  // namespace strata::ui
