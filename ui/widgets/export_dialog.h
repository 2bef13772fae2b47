#pragma once
#include <QString>
#include <functional>

class QWidget;

namespace strata::ui {

struct ExportRequest {
  QString title;   // of the dialog
  QString values;  // what a .csv holds: "All points"
  std::function<void(const QString& path)> write;
  std::function<void(const QString& message)> failed;  // with what `write` threw
};

// Asks for a file (.png, .svg, .pdf or .csv) without blocking, and has it written when one was
// chosen. The dialog is `parent`'s.
void askForExport(QWidget* parent, ExportRequest request);

}  // namespace strata::ui
