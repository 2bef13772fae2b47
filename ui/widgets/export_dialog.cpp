#include "ui/widgets/export_dialog.h"

#include <QAction>
#include <QFileDialog>
#include <utility>

#include "ui/data/text.h"
#include "ui/style/theme.h"
#include "ui/widgets/building.h"

namespace strata::ui {
void askForExport(QWidget* parent, ExportRequest request) {
  auto* dialog = new QFileDialog(parent, request.title);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setNameFilters({translated("PNG image (*.png)"), translated("SVG image (*.svg)"),
                          translated("PDF document (*.pdf)"),
                          QStringLiteral("%1 (*.csv)").arg(request.values)});
  dialog->setDefaultSuffix(QStringLiteral("png"));
  QObject::connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) {
    dialog->setDefaultSuffix(filter.section(QStringLiteral("*."), 1).chopped(1));
  });
  QObject::connect(dialog, &QFileDialog::fileSelected, parent,
                   [request = std::move(request)](const QString& path) {
                     try {
                       request.write(path);
                     } catch (const std::exception& error) {
                       request.failed(QString::fromUtf8(error.what()));
                     }
                   });
  dialog->open();
}

void addExportTool(QWidget* owner, QLayout* bar, const ExportTool& tool) {
  auto* action =
      named(new QAction(themedIcon(QStringLiteral("export")), tool.text, owner), tool.name);
  QObject::connect(action, &QAction::triggered, owner,
                   [owner, request = tool.request] { askForExport(owner, request); });
  owner->addAction(action);
  addTool(bar, action);
}

}  // namespace strata::ui
