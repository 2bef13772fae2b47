#pragma once
#include <QString>
#include <QStringList>
#include <functional>

class QFileDialog;
class QLayout;
class QWidget;

namespace strata::ui {

struct ExportRequest {
  QString title;   // of the dialog
  QString values;  // label of the .csv filter: "All points"
  std::function<void(const QString& path)> write;
  std::function<void(const QString& message)> failed;  // called if `write` throws
  // Names of several pictures, which `write` writes to siblingPath(); fewer than two: one, to the
  // chosen path itself.
  std::function<QStringList()> parts = {};
  std::function<bool()> tex = {};                            // whether .tex is possible now
  std::function<void(const QString& message)> written = {};  // told where the files are
  QString name = {};  // suggested for the file, without ending
};

// Asks for a file (.pdf, .svg, .png, .csv or, for pgfplots, .tex), in the folder of the last
// export, without blocking and says which files this makes; asks whether those that exist are to be
// replaced; then calls `write`. `parent` owns the dialogs.
void askForExport(QWidget* parent, ExportRequest request);

// Suggests a name, in the folder of the last export, for a dialog that saves a file.
void suggestFile(QFileDialog* dialog, const QString& name);

// The files that an export to `path` writes.
QStringList exportedNames(const ExportRequest& request, const QString& path);

// A button of a tool bar that asks for a file; its action is one of the owner's.
struct ExportTool {
  QString name, text;  // of the action; "curvesExport" suggests the file "curves"
  ExportRequest request;
};
void addExportAction(QWidget* owner, QLayout* bar, const ExportTool& tool);

// Where the files are is a notice of the owner.
template <typename Owner>
void addExportTool(Owner* owner, QLayout* bar, ExportTool tool) {
  tool.request.written = [owner](const QString& message) { emit owner->notice(message); };
  addExportAction(owner, bar, tool);
}

}  // namespace strata::ui
