#include "ui/widgets/recorded_steps.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <algorithm>

#include "ui/data/saved_state.h"
#include "ui/data/text.h"

namespace strata::ui {

RecordedSteps::RecordedSteps(const QString& prefix, QWidget* parent) : QWidget(parent) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(8);
  runs_ = new QComboBox(this);
  runs_->setObjectName(prefix + QStringLiteral("Run"));
  runs_->setAccessibleName(tr("Run"));
  runs_->setMinimumWidth(150);
  connect(runs_, &QComboBox::currentIndexChanged, this, &RecordedSteps::chooseRun);
  connect(runs_, &QComboBox::activated, this, [this] {
    restored_ = {0, -1};
    emit picked({.run = run()});
  });
  layout->addWidget(runs_);
  slider_ = new QSlider(Qt::Horizontal, this);
  slider_->setObjectName(prefix + QStringLiteral("Step"));
  slider_->setAccessibleName(tr("Recorded step"));
  slider_->setMinimumWidth(90);
  connect(slider_, &QSlider::valueChanged, this, [this] {
    chooseStep();
    if (step() >= 0) emit picked({.run = run(), .step = step()});
  });
  layout->addWidget(slider_, 1);
  label_ = new QLabel(this);
  label_->setObjectName(prefix + QStringLiteral("StepLabel"));
  label_->setProperty("muted", true);
  layout->addWidget(label_);
}

bool RecordedSteps::isEmpty() const {
  return runs_->count() == 0;
}

qint64 RecordedSteps::run() const {
  return runs_->currentIndex() < 0 ? 0 : runs_->currentData().toLongLong();
}

qint64 RecordedSteps::step() const {
  const int index = slider_->value();
  return index < 0 || index >= steps_.size() ? -1 : steps_[index];
}

void RecordedSteps::setRuns(const QVector<Run>& runs) {
  QVector<std::pair<qint64, QString>> wanted, present;
  stepsOf_.clear();
  for (const Run& run : runs) {
    wanted.push_back({run.id, run.name});
    stepsOf_.insert(run.id, run.steps);
  }
  for (int i = 0; i < runs_->count(); ++i)
    present.push_back({runs_->itemData(i).toLongLong(), runs_->itemText(i)});
  const qint64 chosen = run();
  const qint64 preferred = stepsOf_.contains(restored_.first) ? restored_.first : chosen;
  if (wanted != present) {
    const QSignalBlocker blocker(runs_);
    runs_->clear();
    for (const auto& [id, name] : wanted) runs_->addItem(name, id);
    runs_->setCurrentIndex(std::max(0, runs_->findData(preferred)));
  }
  if (run() != chosen) {
    chooseRun();
  } else {
    setSteps(stepsOf_.value(chosen));
  }
}

void RecordedSteps::showRun(qint64 run) {
  if (const int index = runs_->findData(run); index >= 0) runs_->setCurrentIndex(index);
}

void RecordedSteps::follow(const Selection& choice) {
  if (choice.run) showRun(*choice.run);
  if (!choice.step || (choice.run && *choice.run != run())) return;
  const auto after = std::upper_bound(steps_.begin(), steps_.end(), *choice.step);
  if (after != steps_.begin()) slider_->setValue(int(after - steps_.begin()) - 1);
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
  if (run() > 0) emit runChosen(run());
  setSteps(stepsOf_.value(run()));
}

void RecordedSteps::setSteps(const QVector<qint64>& steps) {
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

void RecordedSteps::chooseStep() {
  if (step() < 0) return;
  label_->setText(
      tr("step %1 (%2 of %3)").arg(countText(step())).arg(slider_->value() + 1).arg(steps_.size()));
  const std::pair chosen{run(), step()};
  if (chosen == announced_) return;
  announced_ = chosen;
  emit stepChosen(run(), step());
}

}  // namespace strata::ui
