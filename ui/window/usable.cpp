#include "ui/window/usable.h"

#include <QCoreApplication>
#include <QEvent>
#include <algorithm>
#include <cstdio>

#include "ui/window/main_window.h"

namespace strata::ui {

bool isUsable(const MainWindow& window) {
  return window.isOpened() && std::ranges::all_of(window.panels()->all(), [](const Panel* panel) {
           return !panel->isVisible() || panel->isUpToDate();
         });
}

ExitWhenUsable::ExitWhenUsable(MainWindow* window) : QObject(window), window_(window) {
  connect(&timer_, &QTimer::timeout, this, &ExitWhenUsable::check);
  timer_.start(1);
}

void ExitWhenUsable::check() {
  if (!isUsable(*window_)) return;
  timer_.stop();
  QEvent request(QEvent::UpdateRequest);  // draws what has changed, at once
  QCoreApplication::sendEvent(window_, &request);
  std::fputs(kUsableText, stdout);
  std::fflush(stdout);
  window_->close();
  QCoreApplication::quit();
}

}  // namespace strata::ui
