#include "ui/window/screenshots.h"

#include <QDir>
#include <QDockWidget>
#include <cstdio>

#include "ui/panels/compare_panel.h"
#include "ui/panels/curves_panel.h"
#include "ui/panels/gradient_flow_panel.h"
#include "ui/panels/hop_weights_panel.h"
#include "ui/panels/launch_panel.h"
#include "ui/panels/log_panel.h"
#include "ui/panels/target_attention_panel.h"
#include "ui/panels/translate_panel.h"
#include "ui/window/main_window.h"

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
  for (const MainWindow::Panel& panel : window_->panels())
    known = known || panel.name == options_.panel;
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
  const int panels = int(window_->panels().size());
  do {
    ++current_;
  } while (current_ < panels && !options_.panel.isEmpty() &&
           window_->panels()[current_].name != options_.panel);
  const bool whole = options_.panel.isEmpty() || options_.panel == QLatin1String("window");
  if (current_ > panels || (current_ == panels && !whole)) {
    timer_.stop();
    emit finished(0);
    return;
  }
  // Each panel fills the window; the last picture is the window as it opens.
  if (current_ == panels) {
    window_->showPerspective(QStringLiteral("watch"));
    window_->resetLayout();
  } else {
    for (int i = 0; i < panels; ++i) window_->panels()[i].dock->setVisible(i == current_);
  }
  asked_ = false;
  idlePolls_ = 0;
  clock_.start();
  timer_.start();
}

bool Screenshots::isDrawn() const {
  if (!window_->isOpened()) return false;
  if (current_ == int(window_->panels().size())) return window_->curves()->isUpToDate();
  const QString name = window_->panels()[current_].name;
  if (name == QLatin1String("launch")) return window_->launch()->isUpToDate();
  if (name == QLatin1String("curves")) return window_->curves()->isUpToDate();
  if (name == QLatin1String("gradient-flow")) return window_->gradientFlow()->isUpToDate();
  if (name == QLatin1String("hop-weights")) return window_->hopWeights()->isUpToDate();
  if (name == QLatin1String("target-attention")) return window_->targetAttention()->isUpToDate();
  if (name == QLatin1String("translate")) return window_->translate()->isUpToDate();
  if (name == QLatin1String("compare")) return window_->compare()->isUpToDate();
  if (name == QLatin1String("log")) return window_->log()->isUpToDate();
  return true;  // the table of runs is filled as soon as the workspace is open
}

bool Screenshots::shows(const char* panel) const {
  return current_ >= 0 && current_ < int(window_->panels().size()) &&
         window_->panels()[current_].name == QLatin1String(panel);
}

// The panel only translates on request; the picture shows an example of the newest model.
void Screenshots::askForTranslation() {
  if (asked_ || !shows("translate") || !window_->isOpened() || window_->translate()->isEmpty())
    return;
  asked_ = true;
  window_->translate()->tryExample();
}

QString Screenshots::problem() const {
  if (shows("launch")) return window_->launch()->error();
  if (shows("translate")) return window_->translate()->error();
  if (shows("compare")) return window_->compare()->error();
  return {};
}

void Screenshots::wait() {
  askForTranslation();
  // The layout notices late that panels with larger size hints are hidden.
  if (window_->size() != options_.size) window_->resize(options_.size);
  idlePolls_ = isDrawn() ? idlePolls_ + 1 : 0;
  if (const QString error = problem(); !error.isEmpty()) {
    fail(error);
  } else if (idlePolls_ >= kIdlePolls) {
    take();
  } else if (clock_.elapsed() > options_.timeoutMs) {
    fail(tr("its data were not drawn within %1 s").arg(options_.timeoutMs / 1000));
  }
}

void Screenshots::take() {
  timer_.stop();
  const int panels = int(window_->panels().size());
  const bool whole = current_ == panels;
  QWidget* shown =
      whole ? static_cast<QWidget*>(window_) : window_->panels()[current_].dock->widget();
  const QString file = whole ? QStringLiteral("window.png")
                             : QStringLiteral("%1-%2.png")
                                   .arg(current_ + 1, 2, 10, QLatin1Char('0'))
                                   .arg(window_->panels()[current_].name);
  if (!shown->grab().save(QDir(options_.folder).filePath(file))) {
    fail(tr("%1 cannot be written").arg(QDir(options_.folder).filePath(file)));
    return;
  }
  next();
}

void Screenshots::fail(const QString& why) {
  timer_.stop();
  const int panels = int(window_->panels().size());
  const QString name = current_ < 0        ? options_.panel
                       : current_ < panels ? window_->panels()[current_].name
                                           : QStringLiteral("window");
  std::fprintf(stderr, "screenshot of %s failed: %s\n", qPrintable(name), qPrintable(why));
  emit finished(1);
}

}  // namespace strata::ui
