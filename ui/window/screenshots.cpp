#include "ui/window/screenshots.h"

#include <QDir>
#include <algorithm>
#include <cstdio>

#include "ui/window/main_window.h"
#include "ui/window/stage.h"

namespace strata::ui {
namespace {
constexpr int kIdlePollMs = 60;
constexpr int kIdlePolls = 4;  // data that arrived may trigger further requests

}  // namespace

Screenshots::Screenshots(MainWindow* window, ScreenshotOptions options, QObject* parent)
    : QObject(parent), window_(window), options_(std::move(options)) {
  timer_.setInterval(kIdlePollMs);
  connect(&timer_, &QTimer::timeout, this, &Screenshots::wait);
}

void Screenshots::start() {
  bool known = options_.panel.isEmpty() || options_.panel == QLatin1String("window");
  known = known || window_->panels()->panel(options_.panel) != nullptr;
  if (!known) {
    fail(tr("there is no such panel"));
    return;
  }
  if (!QDir().mkpath(options_.folder)) {
    fail(tr("the folder %1 cannot be created").arg(options_.folder));
    return;
  }
  window_->resize(options_.size);
  window_->show();
  next();
}

void Screenshots::next() {
  const int count = int(panels().size());
  do {
    ++current_;
  } while (current_ < count && !options_.panel.isEmpty() &&
           panels()[current_]->name() != options_.panel);
  const bool whole = options_.panel.isEmpty() || options_.panel == QLatin1String("window");
  if (current_ > count || (current_ == count && !whole)) {
    timer_.stop();
    emit finished(0);
    return;
  }
  // Each panel fills its page; the last picture is the window as it opens.
  if (current_ == count) {
    window_->showPerspective(QStringLiteral("watch"));
    window_->stage()->reset();
  } else {
    window_->stage()->bringUp(current());
    window_->stage()->setFills(current(), true);
  }
  asked_ = false;
  idlePolls_ = 0;
  clock_.start();
  timer_.start();
}

const QVector<Panel*>& Screenshots::panels() const {
  return window_->panels()->all();
}

Panel* Screenshots::current() const {
  return current_ >= 0 && current_ < int(panels().size()) ? panels()[current_] : nullptr;
}

bool Screenshots::isDrawn() const {
  if (!window_->isOpened()) return false;
  if (const Panel* panel = current()) return panel->isUpToDate();
  return std::all_of(panels().begin(), panels().end(),
                     [](const Panel* panel) { return !panel->isVisible() || panel->isUpToDate(); });
}

// What a panel shows on request only.
void Screenshots::askForExample() {
  Panel* panel = current();
  if (asked_ || !panel || !window_->isOpened() || panel->isEmpty()) return;
  asked_ = true;
  panel->showExample();
}

void Screenshots::wait() {
  askForExample();
  // The layout notices late that panels with larger size hints are hidden.
  if (window_->size() != options_.size) window_->resize(options_.size);
  idlePolls_ = isDrawn() ? idlePolls_ + 1 : 0;
  if (const QString error = current() ? current()->error() : QString(); !error.isEmpty()) {
    fail(error);
  } else if (idlePolls_ >= kIdlePolls) {
    take();
  } else if (clock_.elapsed() > options_.timeoutMs) {
    fail(tr("its data were not drawn within %1 s").arg(options_.timeoutMs / 1000));
  }
}

void Screenshots::take() {
  timer_.stop();
  QWidget* shown = current();
  QString file = QStringLiteral("window.png");
  if (shown) {
    file = QStringLiteral("%1-%2.png")
               .arg(current_ + 1, 2, 10, QLatin1Char('0'))
               .arg(current()->name());
  } else {
    shown = window_;
  }
  if (!shown->grab().save(QDir(options_.folder).filePath(file))) {
    fail(tr("%1 cannot be written").arg(QDir(options_.folder).filePath(file)));
    return;
  }
  next();
}

void Screenshots::fail(const QString& why) {
  timer_.stop();
  QString name = QStringLiteral("window");
  if (current_ < 0) name = options_.panel;
  if (current()) name = current()->name();
  std::fprintf(stderr, "screenshot of %s failed: %s\n", qPrintable(name), qPrintable(why));
  emit finished(1);
}

}  // namespace strata::ui
