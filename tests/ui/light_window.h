#pragma once
#include <QSize>
#include <memory>

#include "ui/window/main_window.h"

namespace strata::ui {

// A window on a workspace, shown in the light theme whatever the session says.
inline std::unique_ptr<MainWindow> lightWindow(const QString& workspace, QSize size) {
  MainWindow::Options options;
  options.workspace = workspace;
  options.theme = ThemeChoice::kLight;
  options.themeGiven = true;
  auto window = std::make_unique<MainWindow>(options);
  window->resize(size);
  window->show();
  return window;
}

}  // namespace strata::ui
