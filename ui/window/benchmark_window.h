#pragma once
#include <functional>
#include <vector>

#include "core/base/json.h"
#include "ui/window/loop_watch.h"
#include "ui/window/main_window.h"

namespace strata::ui {

// A window that is used as a person would, with the time that each action takes.
class BenchmarkWindow {
 public:
  // Opens it, in sight, and waits until it shows the workspace.
  BenchmarkWindow(WatchedApplication& application, const QString& workspace);
  ~BenchmarkWindow();

  MainWindow& window() { return window_; }

  struct Took {  // milliseconds
    double wall = 0;
    double busy = 0;  // of the GUI thread, without what it waited for
  };
  // Does something in a turn of its own, as a click would, and waits until it is done and drawn.
  // Throws if it takes a minute.
  Took act(const std::function<void()>& action, const std::function<bool()>& isDone);
  // Lets the window work until it is done.
  void wait(const std::function<bool()>& isDone);
  // Lets the window work until nothing happens any more.
  void settle();

  // From now on turns belong to this part of the benchmark.
  void begin(const std::string& part);
  // The longest turn of each part, and of all: for so long the window answers nothing.
  Json turns();

 private:
  double collectTurns();  // their sum
  void draw();            // what has changed

  WatchedApplication& application_;
  MainWindow window_;
  struct Part {
    std::string name;
    LoopTurn longest;
  };
  std::vector<Part> parts_;
};

}  // namespace strata::ui
