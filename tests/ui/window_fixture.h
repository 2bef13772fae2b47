#pragma once
#include <QTemporaryDir>
#include <QtTest>
#include <memory>

#include "tests/ui/store_fixture.h"
#include "ui/window/main_window.h"

// The real window on a workspace that a test fills through core/store, as a trainer would. No
// process is started.
class WindowOnWorkspace {
 protected:
  void makeWorkspace() {
    qputenv("STRATA_RUN", "/nowhere/strata-run");
    folder_ = std::make_unique<QTemporaryDir>();
    workspace_ = std::make_unique<strata::Workspace>(folder_->path().toStdString());
  }
  void removeWorkspace() {
    window_.reset();
    workspace_.reset();
    folder_.reset();
  }
  void open() {
    strata::ui::MainWindow::Options options;
    options.workspace = folder_->path();
    options.theme = strata::ui::ThemeChoice::kLight;
    window_ = std::make_unique<strata::ui::MainWindow>(options);
    window_->show();
    QTRY_VERIFY(window_->isOpened());
  }
  void reopen() {
    window_->close();
    window_.reset();
    open();
  }
  template <typename T>
  T* child(const char* name) const {
    return window_->findChild<T*>(QLatin1String(name));
  }

  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<strata::Workspace> workspace_;
  std::unique_ptr<strata::ui::MainWindow> window_;
};
