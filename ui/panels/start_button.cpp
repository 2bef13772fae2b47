#include "ui/panels/start_button.h"

#include <utility>

#include "ui/widgets/building.h"

namespace strata::ui {

StartButton::StartButton(QWidget* parent) : QPushButton(parent) {
  styled(this, "primary");
  connect(this, &QPushButton::clicked, this, &StartButton::press);
  refresh();
}

void StartButton::setRuns(int count) {
  runs_ = count;
  refresh();
}

void StartButton::setImpossible(const QString& why) {
  impossible_ = why;
  if (!why.isEmpty()) pressed_ = false;
  refresh();
}

void StartButton::setMeasured(bool measured) {
  measured_ = measured;
  const bool starts = measured && pressed_;  // what is impossible has no press
  if (starts) pressed_ = false;
  refresh();
  if (starts) emit startWanted();
}

void StartButton::dropPress() {
  pressed_ = false;
  refresh();
}

bool StartButton::beginStart() {
  if (std::exchange(starting_, true)) return false;
  refresh();
  return true;
}

bool StartButton::endStart() {
  if (!std::exchange(starting_, false)) return false;
  refresh();
  return true;
}

void StartButton::press() {
  if (measured_) return emit startWanted();
  pressed_ = !pressed_;
  refresh();
}

void StartButton::refresh() {
  setEnabled(!starting_ && !isImpossible());
  setText(pressed_    ? tr("Starts when measured: cancel")
          : runs_ > 0 ? tr("Queue %n run(s)", nullptr, runs_)
                      : tr("Start"));
  setToolTip(isImpossible() ? impossible_
                            : tr("Queue this run, or the runs of the sweep, and start as soon as "
                                 "the device is free"));
}

}  // namespace strata::ui
