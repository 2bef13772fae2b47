#include "ui/window/screenshots.h"

#include <QDir>
#include <algorithm>
#include <cstdio>

#include "ui/window/few_colours.h"
#include "ui/window/main_window.h"
#include "ui/window/stage.h"

namespace strata::ui {
namespace {
constexpr int kIdlePollMs = 60;
constexpr int kBestCompression = 0;  // the "quality" of a PNG
constexpr int kIdlePolls = 4;        // data that arrived may trigger further requests

}  // namespace

Screenshots::Screenshots(MainWindow* window, ScreenshotOptions options, QObject* parent)
    : QObject(parent), window_(window), options_(std::move(options)) {
  timer_.setInterval(kIdlePollMs);
  connect(&timer_, &QTimer::timeout, this, &Screenshots::wait);
}

void Screenshots::start() {
  current_.name = options_.panel;
  for (int i = 0; i < panels().size(); ++i) {
    Panel* panel = panels()[i];
    if (options_.panel.isEmpty() || options_.panel == panel->name())
      pictures_ << Picture{
          panel->name(),
          QStringLiteral("%1-%2.png").arg(i + 1, 2, 10, QLatin1Char('0')).arg(panel->name()),
          panel};
  }
  const QString window = QStringLiteral("window");
  if (options_.panel.isEmpty() || options_.panel == window)
    pictures_ << Picture{window, QStringLiteral("window.png")};
  if (pictures_.isEmpty()) return fail(tr("there is no such panel"));
  if (!QDir().mkpath(options_.folder))
    return fail(tr("the folder %1 cannot be created").arg(options_.folder));
  window_->resize(options_.size);
  window_->show();
  next();
}

void Screenshots::next() {
  if (pictures_.isEmpty()) {
    timer_.stop();
    emit finished(0);
    return;
  }
  current_ = pictures_.takeFirst();
  // Each panel fills its page; the last picture is the window as it opens.
  if (current_.panel) {
    window_->stage()->bringUp(current_.panel);
    window_->stage()->setFills(current_.panel, true);
  } else {
    window_->showPerspective(QStringLiteral("watch"));
    window_->stage()->reset();
  }
  asked_ = false;
  idlePolls_ = 0;
  clock_.start();
  timer_.start();
}

const QVector<Panel*>& Screenshots::panels() const {
  return window_->panels()->all();
}

bool Screenshots::isDrawn() const {
  if (!window_->isOpened() || (!options_.run.isEmpty() && !chosen_)) return false;
  if (current_.panel) return current_.panel->isUpToDate();
  return std::all_of(panels().begin(), panels().end(),
                     [](const Panel* panel) { return !panel->isVisible() || panel->isUpToDate(); });
}

// What a panel shows on request only.
void Screenshots::askForExample() {
  Panel* panel = current_.panel;
  if (asked_ || !panel || !window_->isOpened() || panel->isEmpty()) return;
  asked_ = true;
  panel->showExample();
}

void Screenshots::chooseRun() {
  if (chosen_ || options_.run.isEmpty() || window_->rows().isEmpty()) return;
  const auto found = std::ranges::find(window_->rows(), options_.run, &RunRow::name);
  if (found == window_->rows().end())
    return fail(tr("there is no run %1 in the workspace").arg(options_.run));
  chosen_ = true;
  window_->panels()->select({.run = found->id});
}

void Screenshots::wait() {
  chooseRun();
  askForExample();
  // The layout notices late that panels with larger size hints are hidden.
  if (window_->size() != options_.size) window_->resize(options_.size);
  idlePolls_ = isDrawn() ? idlePolls_ + 1 : 0;
  if (const QString error = current_.panel ? current_.panel->error() : QString();
      !error.isEmpty()) {
    fail(error);
  } else if (idlePolls_ >= kIdlePolls) {
    take();
  } else if (clock_.elapsed() > options_.timeoutMs) {
    fail(tr("its data were not drawn within %1 s").arg(options_.timeoutMs / 1000));
  }
}

void Screenshots::take() {
  timer_.stop();
  QWidget* shown = current_.panel ? static_cast<QWidget*>(current_.panel) : window_;
  const QString file = QDir(options_.folder).filePath(current_.file);
  QImage picture = shown->grab().toImage();
  if (options_.colours > 0) picture = withFewColours(picture, options_.colours);
  if (!picture.save(file, nullptr, kBestCompression))
    return fail(tr("%1 cannot be written").arg(file));
  next();
}

void Screenshots::fail(const QString& why) {
  timer_.stop();
  std::fprintf(stderr, "screenshot of %s failed: %s\n", qPrintable(current_.name), qPrintable(why));
  emit finished(1);
}

}  // namespace strata::ui
