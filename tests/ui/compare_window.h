#pragma once
#include <QtTest>
#include <memory>

#include "tests/systems/systems_fixture.h"
#include "ui/data/text.h"
#include "ui/panels/compare_panel.h"
#include "ui/window/main_window.h"

// The real window with Compare, on a workspace with outputs of runs and files of other toolkits. No
// process is started.
class CompareWindow {
 protected:
  void makeWorkspace() {
    qputenv("STRATA_RUN", "/nowhere/strata-run");
    fixture_ = std::make_unique<strata::SystemsFixture>();
  }
  void removeWorkspace() {
    window_.reset();
    fixture_.reset();
  }
  // A run, and two files: one equal to the references, one with another word in the first sentence.
  void fillThree() {
    fixture_->output(fixture_->run("first"));
    fixture_->import("perfect", "The house.\nA mouse!\nIt's old.\n");
    fixture_->import("close", "The mouse.\nA mouse!\nIt's old.\n");
  }
  void open() {
    strata::ui::MainWindow::Options options;
    options.workspace = strata::ui::qs(fixture_->workspace.root().string());
    options.theme = strata::ui::ThemeChoice::kLight;
    window_ = std::make_unique<strata::ui::MainWindow>(options);
    window_->show();
    QTRY_VERIFY(window_->isOpened());
    window_->showPerspective(QStringLiteral("compare"));
    QTRY_VERIFY(panel()->isVisible() && panel()->isUpToDate());
  }
  // Waits until the selection has been compared.
  void compared() {
    QTest::qWait(20);  // the event loop processes the selection
    QTRY_VERIFY(panel()->isUpToDate());
  }
  strata::ui::ComparePanel* panel() const { return window_->panel<strata::ui::ComparePanel>(); }
  const strata::Comparison& comparison() const { return *panel()->comparison(); }
  template <typename T>
  T* child(const char* name) const {
    return panel()->findChild<T*>(QLatin1String(name));
  }

  std::unique_ptr<strata::SystemsFixture> fixture_;
  std::unique_ptr<strata::ui::MainWindow> window_;
};
