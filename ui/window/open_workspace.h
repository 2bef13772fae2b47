#pragma once
#include <QString>
#include <functional>

class QWidget;

namespace strata::ui {

// Asks for a folder and opens it in a window of its own: each workspace has its own session, reader
// and engine. `failed` is told why another window could not be started.
void openAnotherWorkspace(QWidget* parent, const std::function<void(const QString&)>& failed);

}  // namespace strata::ui
