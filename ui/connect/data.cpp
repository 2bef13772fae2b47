#include "core/data/prepare_fields.h"
#include "ui/connect/exchange.h"
#include "ui/connect/services.h"
#include "ui/data/data_service.h"
#include "ui/data/text.h"
#include "ui/data/workspace_service.h"
#include "ui/panels/data_panel.h"
#include "ui/panels/import_form.h"
#include "ui/rpc/preparation.h"

namespace strata::ui {
namespace {

void connectForm(ImportForm* form, DataService* service) {
  using Service = DataService;
  QObject::connect(form, &ImportForm::guessRequested, service, &Service::guess);
  QObject::connect(form, &ImportForm::previewRequested, service, &Service::preview);
  QObject::connect(form, &ImportForm::previewStopped, service, &Service::stopPreview);
  QObject::connect(service, &Service::guessed, form, &ImportForm::setChosen);
  QObject::connect(service, &Service::guessFailed, form, &ImportForm::setError);
  QObject::connect(service, &Service::previewProgress, form, &ImportForm::setPreviewProgress);
  QObject::connect(service, &Service::previewed, form, &ImportForm::setPreview);
  QObject::connect(service, &Service::previewFailed, form, &ImportForm::setError);
}

void connectPreparation(DataPanel* panel, Preparation* preparation) {
  ImportForm* form = panel->form();
  QObject::connect(form, &ImportForm::prepareRequested, preparation,
                   [preparation](const PrepareCall& call) {
                     preparation->start(qs(call.options.name), qs(prepareArguments(call)));
                   });
  QObject::connect(form, &ImportForm::cancelRequested, preparation, &Preparation::cancel);
  QObject::connect(preparation, &Preparation::started, form, [form] { form->setPreparing(true); });
  QObject::connect(preparation, &Preparation::progressed, form, &ImportForm::setProgress);
  QObject::connect(preparation, &Preparation::cancelled, form, [panel, form](const QString& name) {
    form->setPreparing(false);
    emit panel->notice(DataPanel::tr("The preparation of %1 was cancelled.").arg(name));
  });
  QObject::connect(preparation, &Preparation::failed, form, [form](const QString& message) {
    form->setPreparing(false);
    form->setError(message);
  });
  QObject::connect(preparation, &Preparation::finished, panel,
                   [panel, form](const QString& name, bool unchanged) {
                     form->setPreparing(false);
                     panel->prepared(name, unchanged);
                   });
  preparation->resume();
}

}  // namespace

Panel* makeData(const Services& services, QWidget* parent) {
  auto* panel = new DataPanel(services.runDemo, parent);
  WorkspaceService* workspace = services.workspace;
  auto* service = new DataService(workspace->root(), panel);
  QObject::connect(workspace, &WorkspaceService::datasetsChanged, panel, &DataPanel::setDatasets);
  QObject::connect(panel, &DataPanel::describeRequested, service, &DataService::describe);
  QObject::connect(service, &DataService::described, panel, &DataPanel::setDescription);
  QObject::connect(service, &DataService::figuresRead, panel, &DataPanel::setFigures);
  QObject::connect(service, &DataService::describeFailed, panel, &DataPanel::setDescribeError);
  QObject::connect(panel, &DataPanel::trainRequested, services.exchange,
                   [panel, exchange = services.exchange](const QString& dataset) {
                     emit exchange->datasetChosen(dataset);
                     emit panel->showRequested(QStringLiteral("train"));
                   });
  connectForm(panel->form(), service);
  connectPreparation(panel, new Preparation(workspace->root(), services.jobs, panel));
  return panel;
}

}  // namespace strata::ui
