#include "ui/widgets/other_recording.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/widgets/building.h"
#include "ui/widgets/run_box.h"

namespace strata::ui {

OtherRecording::OtherRecording(const QString& prefix, QWidget* parent) : QWidget(parent) {
  auto* layout = makeLayout<QHBoxLayout>(this, {}, 6);
  auto* label = styled(new QLabel(tr("Compare with"), this), "muted");
  layout->addWidget(label);
  runs_ = named(new RunBox(this), prefix + QStringLiteral("Run"), tr("Run to compare with"));
  runs_->setNone(tr("nothing"));
  runs_->keepShown();
  runs_->setRuns({}, 0);
  label->setBuddy(runs_);
  layout->addWidget(runs_);
  steps_ = named(new QComboBox(this), prefix + QStringLiteral("Step"),
                 tr("Recorded step to compare with"));
  steps_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  steps_->hide();
  layout->addWidget(steps_);
  connect(runs_, &QComboBox::currentIndexChanged, this, [this] {
    fillSteps();
    emit changed();
  });
  connect(runs_, &QComboBox::activated, this, [this] {
    wantedRun_ = 0;
    wantedStep_ = -1;
    emit runPicked(run());
  });
  connect(steps_, &QComboBox::currentIndexChanged, this, &OtherRecording::changed);
}

qint64 OtherRecording::run() const {
  return runs_->run();
}

qint64 OtherRecording::step() const {
  return run() > 0 && steps_->currentIndex() >= 0 ? steps_->currentData().toLongLong() : -1;
}

QString OtherRecording::name() const {
  return tr("%1, step %2").arg(runs_->currentText(), countText(step()));
}

void OtherRecording::setRuns(const QVector<RunRow>& recorded) {
  listed_ = recorded;
  const qint64 chosen = run();
  const bool restores = chosen == 0 && findRun(listed_, wantedRun_);
  runs_->setRuns(listed_, restores ? std::exchange(wantedRun_, 0) : chosen);
  const qint64 before = step();
  fillSteps();
  if (run() != chosen || step() != before) emit changed();
}

void OtherRecording::setCurrent(qint64 run, qint64 step) {
  if (run == currentRun_ && step == currentStep_) return;
  const bool other = run != currentRun_;
  currentRun_ = run;
  currentStep_ = step;
  // Steps of another run are those nearest to the current one; what was picked stays otherwise.
  if (other) fillSteps();
}

void OtherRecording::showRun(qint64 run) {
  if (run == 0 || findRun(listed_, run)) runs_->showRun(run);
}

Json OtherRecording::saveState() const {
  if (run() == 0) return {{"run", wantedRun_}, {"step", wantedStep_}};
  return {{"run", run()}, {"step", step()}};
}

void OtherRecording::restoreState(const Json& state) {
  const SavedState saved(state);
  wantedRun_ = saved.number("run").value_or(0);
  wantedStep_ = saved.number("step").value_or(-1);
}

void OtherRecording::fillSteps() {
  const RunRow* chosen = findRun(listed_, run());
  const QVector<qint64> steps = chosen ? chosen->recordedSteps : QVector<qint64>();
  const QSignalBlocker blocker(steps_);
  const qint64 before = steps_->property("run").toLongLong() == run() && steps_->count() > 0
                            ? steps_->currentData().toLongLong()
                            : std::exchange(wantedStep_, -1);
  steps_->setProperty("run", run());
  steps_->clear();
  steps_->setVisible(!steps.isEmpty());
  for (const qint64 step : steps) steps_->addItem(tr("step %1").arg(countText(step)), step);
  if (steps.isEmpty() || selectData(steps_, before)) return;
  const auto nearest = std::ranges::min_element(
      steps, {}, [this](qint64 step) { return std::abs(step - currentStep_); });
  steps_->setCurrentIndex(run() == currentRun_ ? 0 : int(nearest - steps.begin()));
}

}  // namespace strata::ui
