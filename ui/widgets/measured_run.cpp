#include "ui/widgets/measured_run.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <algorithm>
#include <utility>

#include "ui/data/text.h"
#include "ui/widgets/building.h"
#include "ui/widgets/run_box.h"

namespace strata::ui {
namespace {
constexpr int kMostSentencesMeasured = 1'000'000, kSteps = 1000;
}  // namespace

MeasuredRunChoice::MeasuredRunChoice(const QString& prefix, QWidget* parent) : QWidget(parent) {
  auto* layout = makeLayout<QHBoxLayout>(this, {}, 6);
  runs_ = named(new RunBox(this), prefix + QStringLiteral("Run"), tr("Run"));
  layout->addWidget(runs_);
  checkpoint_ = addChoice(layout, prefix + QStringLiteral("Checkpoint"), tr("Checkpoint"));
  set_ = addChoice(layout, prefix + QStringLiteral("Set"), tr("Validation set"));
  limit_ = named(new QSpinBox(this), prefix + QStringLiteral("Limit"), tr("Number of sentences"));
  limit_->setRange(0, kMostSentencesMeasured);
  limit_->setSingleStep(100);
  limit_->setSpecialValueText(tr("all sentences"));
  limit_->setSuffix(tr(" sentences"));
  limit_->setToolTip(tr("The set's first sentences; fewer take less time"));
  layout->addWidget(limit_);
  connect(runs_, &QComboBox::currentIndexChanged, this, [this] { emit runChosen(run()); });
  connect(runs_, &QComboBox::activated, this, [this] { emit chosen({.run = run()}); });
  connect(checkpoint_, &QComboBox::currentIndexChanged, this, &MeasuredRunChoice::changed);
  connect(set_, &QComboBox::currentIndexChanged, this, &MeasuredRunChoice::changed);
  connect(limit_, &QSpinBox::valueChanged, this, &MeasuredRunChoice::changed);
  connect(checkpoint_, &QComboBox::activated, this, [this] {
    wantedStep_.reset();
    if (checkpoint() == QLatin1String("best") || checkpoint() == QLatin1String("last"))
      emit chosen({.run = run(), .checkpoint = checkpoint()});
  });
}

qint64 MeasuredRunChoice::run() const {
  return runs_->run();
}

QString MeasuredRunChoice::runName() const {
  return runs_->currentText();
}

const RunRow* MeasuredRunChoice::newestBut(qint64 run) const {
  const auto found =
      std::ranges::find_if(listed_, [run](const RunRow& row) { return row.id != run; });
  return found == listed_.end() ? nullptr : &*found;
}

QString MeasuredRunChoice::checkpoint() const {
  return checkpoint_->count() > 0 ? checkpoint_->currentData().toString() : wantedCheckpoint_;
}

QString MeasuredRunChoice::checkpointName() const {
  const auto found = std::ranges::find(measurable_.checkpoints, checkpoint(),
                                       &MeasurableRun::Checkpoint::selector);
  return found == measurable_.checkpoints.end() ? QString() : found->name;
}

QString MeasuredRunChoice::set() const {
  return set_->count() > 0 ? set_->currentText() : wantedSet_;
}

void MeasuredRunChoice::setLimit(int sentences) {
  limit_->setValue(sentences);
}

QStringList MeasuredRunChoice::arguments() const {
  QStringList arguments{QStringLiteral("%1@%2").arg(runName(), checkpoint())};
  if (set_->count() > 0) arguments << QStringLiteral("--set") << set();
  return arguments << QStringLiteral("--limit") << QString::number(limit_->value());
}

void MeasuredRunChoice::setRuns(const QVector<RunRow>& runs) {
  const auto place = [](const QVector<RunRow>& all, qint64 id) {
    const RunRow* row = findRun(all, id);
    return row ? std::pair(row->bestStep, row->lastStep) : std::pair<qint64, qint64>(-1, -1);
  };
  const qint64 before = run();
  const bool grown = place(listed_, before) != place(runs, before);
  listed_ = runs;
  runs_->setRuns(runs, before > 0 ? before : restoredRun_);
  if (run() != before || grown) emit runChosen(run());  // another run, or new checkpoints
}

void MeasuredRunChoice::setMeasurable(const MeasurableRun& run) {
  const QSignalBlocker checkpoints(checkpoint_), sets(set_);
  const QString wanted = checkpoint(), wantedSet = set();
  measurable_ = run;
  checkpoint_->clear();
  for (const auto& each : run.checkpoints) {
    bool isStep = false;
    const qint64 step = each.selector.toLongLong(&isStep);
    checkpoint_->addItem(isStep ? tr("step %1").arg(countText(step)) : each.selector,
                         each.selector);
  }
  selectData(checkpoint_, wanted);
  showStep();
  set_->clear();
  set_->addItems(run.sets);
  set_->setCurrentIndex(std::max(0, set_->findText(wantedSet)));
}

void MeasuredRunChoice::choose(const MeasuredOn& on) {
  const QSignalBlocker limits(limit_), sets(set_), checkpoints(checkpoint_);
  for (const auto& each : measurable_.checkpoints) {
    if (each.name != qs(on.checkpoint)) continue;
    selectData(checkpoint_, each.selector);
    break;
  }
  set_->setCurrentText(qs(on.set));
  limit_->setValue(on.isWhole() ? 0 : int(on.sentences));
}

bool MeasuredRunChoice::isOn(const MeasuredOn& on) const {
  return qs(on.checkpoint) == checkpointName() && qs(on.set) == set() &&
         on.hasLimit(limit_->value());
}

bool MeasuredRunChoice::follow(const Selection& choice) {
  if (choice.run || choice.checkpoint) wantedStep_.reset();
  if (choice.step) wantedStep_ = choice.step;
  const bool listed = !choice.run || runs_->showRun(*choice.run);
  if (choice.checkpoint) {
    wantedCheckpoint_ = *choice.checkpoint;
    selectData(checkpoint_, *choice.checkpoint);
  }
  showStep();
  return listed;
}

// The last checkpoint that is not after the chosen step.
void MeasuredRunChoice::showStep() {
  std::optional<qint64> found;
  for (const auto& each : measurable_.checkpoints) {
    bool isStep = false;
    const qint64 step = each.selector.toLongLong(&isStep);
    if (isStep && wantedStep_ && step <= *wantedStep_) found = std::max(found.value_or(0), step);
  }
  if (found) selectData(checkpoint_, QString::number(*found));
}

void MeasuredRunChoice::addState(Json& state) const {
  state["run"] = run() > 0 ? run() : restoredRun_;
  state["checkpoint"] = toStd(checkpoint());
  state["set"] = toStd(set());
  state["limit"] = limit_->value();
}

void MeasuredRunChoice::restore(const SavedState& saved) {
  restoredRun_ = saved.number("run").value_or(restoredRun_);
  wantedCheckpoint_ = saved.text("checkpoint").value_or(wantedCheckpoint_);
  wantedSet_ = saved.text("set").value_or(wantedSet_);
  saved.value("limit", limit_);
}

MeasureButtons::MeasureButtons(const QString& prefix, QWidget* parent) : QWidget(parent) {
  auto* layout = makeLayout<QHBoxLayout>(this, {}, 6);
  start_ = named(new QPushButton(this), prefix + QStringLiteral("Start"));
  cancel_ = named(new QPushButton(tr("Cancel"), this), prefix + QStringLiteral("Cancel"));
  progress_ = named(new QProgressBar(this), prefix + QStringLiteral("Progress"), tr("Progress"));
  progress_->setRange(0, kSteps);
  progress_->setMaximumWidth(100);
  for (QWidget* each : {static_cast<QWidget*>(start_), static_cast<QWidget*>(cancel_),
                        static_cast<QWidget*>(progress_)})
    layout->addWidget(each);
  connect(start_, &QPushButton::clicked, this, &MeasureButtons::started);
  connect(cancel_, &QPushButton::clicked, this, &MeasureButtons::cancelled);
  setState({});
}

void MeasureButtons::setState(const State& state) {
  start_->setEnabled(!state.busy && state.possible);
  start_->setText(state.measured ? tr("Start again") : tr("Start"));
  start_->setToolTip(state.ofOther ? tr("Another run is being measured")
                                   : tr("Measures in a process of its own; results are stored"));
  start_->setVisible(!state.busy);
  cancel_->setVisible(state.busy);
  progress_->setVisible(state.busy);
}

void MeasureButtons::setShare(double share) {
  progress_->setValue(int(share * kSteps));
}

}  // namespace strata::ui
