#include "ui/widgets/export_dialog.h"

#include <QAction>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <utility>

#include "ui/data/text.h"
#include "ui/plots/picture_export.h"
#include "ui/style/theme.h"
#include "ui/widgets/building.h"

namespace strata::ui {
namespace {

bool isValues(const QString& path) {
  return path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive);
}

// "Writes c-lr.pdf, c-lr.csv and replaces ..."
QString announcement(const ExportRequest& request, const QString& path) {
  QStringList fresh, old;
  for (const QString& file : exportedNames(request, path))
    (QFileInfo::exists(file) ? old : fresh) << QFileInfo(file).fileName();
  QStringList parts;
  const QString comma = QStringLiteral(", ");
  if (!fresh.isEmpty()) parts << translated("Writes %1.").arg(fresh.join(comma));
  if (!old.isEmpty()) parts << translated("Replaces %1.").arg(old.join(comma));
  return parts.join(QLatin1Char(' '));
}

// Says below the name which files it makes.
void addAnnouncement(QFileDialog* dialog, const ExportRequest& request) {
  auto* grid = qobject_cast<QGridLayout*>(dialog->layout());
  auto* name = dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"));
  if (grid == nullptr || name == nullptr) return;
  auto* label = named(styled(new QLabel(dialog), "muted"), "exportNames");
  label->setWordWrap(true);
  grid->addWidget(label, grid->rowCount(), 0, 1, grid->columnCount());
  const auto refresh = [dialog, label, name, request] {
    QString file = name->text();
    if (QFileInfo(file).suffix().isEmpty()) file += QLatin1Char('.') + dialog->defaultSuffix();
    const bool unnamed = name->text().trimmed().isEmpty();
    label->setText(unnamed ? QString()
                           : announcement(request, dialog->directory().absoluteFilePath(file)));
  };
  QObject::connect(name, &QLineEdit::textChanged, label, refresh);
  QObject::connect(dialog, &QFileDialog::filterSelected, label, refresh);
  QObject::connect(dialog, &QFileDialog::directoryEntered, label, refresh);
}

void carryOut(const ExportRequest& request, const QString& path) {
  try {
    const ExportedFiles files;
    request.write(path);
    if (request.written && !files.paths().isEmpty()) request.written(files.message());
  } catch (const std::exception& error) {
    request.failed(QString::fromUtf8(error.what()));
  }
}

// The folder of the last export of this process.
QString& lastFolder() {
  static QString folder;
  return folder;
}

void confirmAndCarryOut(QWidget* parent, const ExportRequest& request, const QString& path) {
  QStringList replaced;
  for (const QString& file : exportedNames(request, path)) {
    if (QFileInfo::exists(file)) replaced << QFileInfo(file).fileName();
  }
  if (replaced.isEmpty()) return carryOut(request, path);
  auto* box =
      named(new QMessageBox(QMessageBox::Question, request.title,
                            translated("Replace %1 in %2?")
                                .arg(replaced.join(QStringLiteral(", ")), QFileInfo(path).path()),
                            QMessageBox::Cancel, parent),
            "exportReplaces");
  box->setTextFormat(Qt::PlainText);
  box->setAttribute(Qt::WA_DeleteOnClose);
  auto* replace = box->addButton(translated("Replace"), QMessageBox::AcceptRole);
  QObject::connect(replace, &QPushButton::clicked, parent,
                   [request, path] { carryOut(request, path); });
  box->open();
}

}  // namespace

QStringList exportedNames(const ExportRequest& request, const QString& path) {
  const QStringList parts = request.parts ? request.parts() : QStringList();
  QStringList pictures;
  if (parts.size() < 2) pictures << path;
  for (int i = 0; parts.size() > 1 && i < parts.size(); ++i)
    pictures << siblingPath(path, parts[i]);
  if (isValues(path)) return pictures;
  QStringList files;
  for (const QString& picture : pictures) files << picture << valuesPath(picture);
  return files;
}

void suggestFile(QFileDialog* dialog, const QString& name) {
  if (QFileInfo(lastFolder()).isDir()) dialog->setDirectory(lastFolder());
  dialog->selectFile(name);
  QObject::connect(dialog, &QFileDialog::fileSelected, dialog,
                   [](const QString& path) { lastFolder() = QFileInfo(path).path(); });
}

void askForExport(QWidget* parent, ExportRequest request) {
  auto* dialog = new QFileDialog(parent, request.title);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setOption(QFileDialog::DontUseNativeDialog);   // it says which files it makes
  dialog->setOption(QFileDialog::DontConfirmOverwrite);  // all of its files are asked for at once
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  QStringList filters{translated("PDF document (*.pdf)"), translated("SVG image (*.svg)"),
                      translated("PNG image (*.png)"),
                      QStringLiteral("%1 (*.csv)").arg(request.values)};
  if (request.tex && request.tex()) filters.insert(3, translated("LaTeX with pgfplots (*.tex)"));
  dialog->setNameFilters(filters);
  dialog->setDefaultSuffix(QStringLiteral("pdf"));
  QObject::connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) {
    dialog->setDefaultSuffix(filter.section(QStringLiteral("*."), 1).chopped(1));
  });
  addAnnouncement(dialog, request);
  suggestFile(dialog, request.name);
  QObject::connect(dialog, &QFileDialog::fileSelected, parent,
                   [parent, request = std::move(request)](const QString& path) {
                     confirmAndCarryOut(parent, request, path);
                   });
  dialog->open();
}

void addExportAction(QWidget* owner, QLayout* bar, const ExportTool& tool) {
  auto* action =
      named(new QAction(themedIcon(QStringLiteral("export")), tool.text, owner), tool.name);
  ExportRequest request = tool.request;
  if (request.name.isEmpty())
    request.name =
        QString(tool.name).remove(QStringLiteral("export"), Qt::CaseInsensitive).toLower();
  QObject::connect(action, &QAction::triggered, owner,
                   [owner, request] { askForExport(owner, request); });
  owner->addAction(action);
  addTool(bar, action);
}

}  // namespace strata::ui
