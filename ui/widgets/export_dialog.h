#pragma once
#include <QString>
#include <functional>

class QLayout;
class QWidget;

namespace strata::ui {

struct ExportRequest {
  QString title;   // of the dialog
  QString values;  // label of the .csv filter: "All points"
  std::function<void(const QString& path)> write;
  std::function<void(const QString& message)> failed;  // called if `write` throws
};

// Asks for a file (.png, .svg, .pdf or .csv) without blocking, then calls `write`. `parent` owns
// the dialog.
void askForExport(QWidget* parent, ExportRequest request);

// A button of a tool bar that asks for a file; its action is one of the owner's.
struct ExportTool {
  QString name, text;  // of the action
  ExportRequest request;
};
void addExportTool(QWidget* owner, QLayout* bar, const ExportTool& tool);

}  // namespace strata::ui
