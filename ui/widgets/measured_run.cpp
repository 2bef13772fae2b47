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
#include "ui/widgets/checkpoint_box.h"
#include "ui/widgets/run_box.h"

namespace strata::ui {
namespace {
constexpr int kMostSentencesMeasured = 1'000'000, kSteps = 1000;
}  // namespace

MeasuredRunChoice::MeasuredRunChoice(const QString& prefix, QWidget* parent) : QWidget(parent) {
  auto* layout = makeLayout<QHBoxLayout>(this, {}, 6);
  runs_ = named(new RunBox(this), prefix + QStringLiteral("Run"), tr("Run"));
  layout->addWidget(runs_);
  checkpoint_ =
      named(new CheckpointBox(this), prefix + QStringLiteral("Checkpoint"), tr("Checkpoint"));
  layout->addWidget(checkpoint_);
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
    if (!CheckpointBox::isStep(checkpoint()))
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
  return checkpoint_->selector();
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
  const QSignalBlocker sets(set_);
  const QString wantedSet = set();
  measurable_ = run;
  QStringList selectors;
  for (const auto& each : run.checkpoints) selectors << each.selector;
  checkpoint_->setSelectors(selectors);
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
  const bool listed = !choice.run || runs_->showRun(*choice.run);
  checkpoint_->follow(choice);
  return listed;
}

void MeasuredRunChoice::addState(Json& state) const {
  state["run"] = run() > 0 ? run() : restoredRun_;
  state["checkpoint"] = toStd(checkpoint());
  state["set"] = toStd(set());
  state["limit"] = limit_->value();
}

void MeasuredRunChoice::restore(const SavedState& saved) {
  restoredRun_ = saved.number("run").value_or(restoredRun_);
  if (const auto checkpoint = saved.text("checkpoint")) checkpoint_->choose(*checkpoint);
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
