#include "ui/widgets/recorded_steps.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <algorithm>

#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/widgets/building.h"
#include "ui/widgets/run_box.h"

namespace strata::ui {

RecordedSteps::RecordedSteps(const QString& prefix, Steps steps, QWidget* parent)
    : QWidget(parent), stepsOf_(steps) {
  auto* layout = makeLayout<QHBoxLayout>(this, {}, 8);
  runs_ = named(new RunBox(this), prefix + QStringLiteral("Run"), tr("Run"));
  connect(runs_, &QComboBox::currentIndexChanged, this, &RecordedSteps::chooseRun);
  connect(runs_, &QComboBox::activated, this, [this] {
    restored_ = {0, -1};
    emit picked({.run = run()});
  });
  layout->addWidget(runs_);
  slider_ = named(new QSlider(Qt::Horizontal, this), prefix + QStringLiteral("Step"),
                  tr("Recorded step"));
  slider_->setMinimumWidth(90);
  connect(slider_, &QSlider::valueChanged, this, [this] {
    wanted_.reset();
    chooseStep();
    if (step() >= 0) emit picked({.run = run(), .step = step()});
  });
  layout->addWidget(slider_, 1);
  label_ = named(styled(new QLabel(this), "muted"), prefix + QStringLiteral("StepLabel"));
  layout->addWidget(label_);
}

bool RecordedSteps::isEmpty() const {
  return runs_->count() == 0;
}

const RunRow* RecordedSteps::newest() const {
  return listed_.isEmpty() ? nullptr : &listed_.first();
}

qint64 RecordedSteps::run() const {
  return runs_->run();
}

qint64 RecordedSteps::step() const {
  const int index = slider_->value();
  return index < 0 || index >= steps_.size() ? -1 : steps_[index];
}

void RecordedSteps::setRuns(const QVector<RunRow>& runs) {
  listed_ = runs;
  listed_.removeIf([this](const RunRow& run) { return (run.*stepsOf_).isEmpty(); });
  const qint64 chosen = run();
  const bool restores = !runs_->lists(listed_) && findRun(listed_, restored_.first);
  runs_->setRuns(listed_, restores ? restored_.first : chosen);
  run() == chosen ? setSteps() : chooseRun();
}

bool RecordedSteps::follow(const Selection& choice) {
  if (choice.run && !runs_->showRun(*choice.run)) return false;
  if (!choice.step) return true;
  if (steps_.isEmpty()) return true;
  const auto after = std::upper_bound(steps_.begin(), steps_.end(), *choice.step);
  slider_->setValue(std::max(0, int(after - steps_.begin()) - 1));
  if (step() != *choice.step) wanted_ = choice.step;
  showStep();
  return true;
}

Json RecordedSteps::saveState() const {
  if (isEmpty()) return {{"run", restored_.first}, {"step", restored_.second}};
  const bool last = slider_->value() == steps_.size() - 1;
  return {{"run", run()}, {"step", last ? -1 : step()}};
}

void RecordedSteps::restoreState(const Json& state) {
  const SavedState saved(state);
  restored_ = {saved.number("run").value_or(0), saved.number("step").value_or(-1)};
}

void RecordedSteps::chooseRun() {
  steps_.clear();
  wanted_.reset();
  if (run() > 0) emit runChosen(run());
  setSteps();
}

void RecordedSteps::setSteps() {
  const RunRow* chosen = findRun(listed_, run());
  const QVector<qint64> steps = chosen ? chosen->*stepsOf_ : QVector<qint64>();
  if (steps == steps_) return;
  const bool atTail = steps_.isEmpty() || slider_->value() == steps_.size() - 1;
  steps_ = steps;
  {
    const QSignalBlocker blocker(slider_);
    slider_->setRange(0, std::max(0, int(steps.size()) - 1));
    if (atTail) slider_->setValue(slider_->maximum());
    if (restored_.first == run() && !steps_.isEmpty()) {
      const auto index = steps_.indexOf(std::exchange(restored_, {0, -1}).second);
      if (index >= 0) slider_->setValue(int(index));
    }
  }
  chooseStep();
}

void RecordedSteps::showStep() {
  const QString shown =
      tr("step %1 (%2 of %3)").arg(countText(step())).arg(slider_->value() + 1).arg(steps_.size());
  label_->setText(wanted_ ? tr("%1, nearest to %2").arg(shown, countText(*wanted_)) : shown);
  label_->setToolTip(
      wanted_ ? tr("Nothing for this view was recorded at step %1: this is the last recording "
                   "before it, or the first there is.")
                    .arg(countText(*wanted_))
              : QString());
}

void RecordedSteps::chooseStep() {
  if (step() < 0) return;
  showStep();
  const std::pair chosen{run(), step()};
  if (chosen == announced_) return;
  announced_ = chosen;
  emit stepChosen(run(), step());
}

}  // namespace strata::ui
