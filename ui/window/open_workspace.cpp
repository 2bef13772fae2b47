#include "ui/window/open_workspace.h"

#include <QCoreApplication>
#include <QFileDialog>
#include <QProcess>

namespace strata::ui {

void openWorkspace(const QString& folder, const std::function<void(const QString&)>& failed) {
  const QString program = QCoreApplication::applicationFilePath();
  if (!QProcess::startDetached(program, {QStringLiteral("--workspace"), folder}))
    failed(QFileDialog::tr("%1 cannot be started for %2.").arg(program, folder));
}

void askForWorkspace(QWidget* parent, const std::function<void(const QString&)>& failed) {
  auto* dialog = new QFileDialog(
      parent, QFileDialog::tr("Open a workspace (an empty folder becomes a new workspace)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::Directory);
  dialog->setOption(QFileDialog::ShowDirsOnly);
  QObject::connect(dialog, &QFileDialog::fileSelected, parent,
                   [failed](const QString& folder) { openWorkspace(folder, failed); });
  dialog->open();
}

}  // namespace strata::ui
