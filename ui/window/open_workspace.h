#pragma once
#include <QString>
#include <functional>

class QWidget;

namespace strata::ui {

// Opens a workspace in a window of its own: each has its own session, reader and engine. `failed`
// is told why another window could not be started.
void openWorkspace(const QString& folder, const std::function<void(const QString&)>& failed);
// Asks for the folder.
void askForWorkspace(QWidget* parent, const std::function<void(const QString&)>& failed);

}  // namespace strata::ui
