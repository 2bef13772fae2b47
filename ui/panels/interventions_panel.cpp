#include "ui/panels/interventions_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QSplitter>
#include <QStandardItemModel>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <functional>

#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/plots/category_plot.h"
#include "ui/plots/effect_scatter.h"
#include "ui/widgets/building.h"
#include "ui/widgets/export_dialog.h"
#include "ui/widgets/report_table.h"
#include "ui/widgets/run_box.h"

namespace strata::ui {
namespace {

constexpr int kMostMeasured = 1'000'000;

// As the selectors offer them.
QString titleOf(EffectKind kind) {
  switch (kind) {
    case EffectKind::kLevels:
      return InterventionsPanel::tr("Levels of a fusion");
    case EffectKind::kHops:
      return InterventionsPanel::tr("Hops of a fusion");
    case EffectKind::kCells:
      return InterventionsPanel::tr("Cells (level in hop)");
    case EffectKind::kBlocks:
      return InterventionsPanel::tr("Blocks, fast-forward");
    case EffectKind::kParts:
      return InterventionsPanel::tr("Parts of DenseAtt-2");
    case EffectKind::kHeads:
      return InterventionsPanel::tr("Heads");
    case EffectKind::kContexts:
      return InterventionsPanel::tr("Source and history");
    case EffectKind::kGates:
      return InterventionsPanel::tr("Gate at 0, ½, 1");
  }
  return {};
}

QString titleOf(EffectMode mode) {
  switch (mode) {
    case EffectMode::kMean:
      return InterventionsPanel::tr("its mean");
    case EffectMode::kZero:
      return InterventionsPanel::tr("zero");
    case EffectMode::kMask:
      return InterventionsPanel::tr("mask");
  }
  return {};
}

QComboBox* addBox(QLayout* bar, const QString& name, const QString& accessible) {
  auto* box = named(new QComboBox(bar->parentWidget()), name, accessible);
  box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  bar->addWidget(box);
  return box;
}

// "decoder" if several groups are drawn, else what tells a group's units apart.
QString seriesOf(const UnitEffect& unit, bool several) {
  const QString part = qs(unit.part), group = qs(unit.group);
  return several && part != group && !part.startsWith(group)
             ? QStringLiteral("%1, %2").arg(group, part)
             : part;
}

QString unitName(const UnitEffect& unit, bool several) {
  return several ? qs(unit.group + " " + unit.name) : qs(unit.name);
}

bool hasSeveralGroups(const EffectsReport& report) {
  const auto& units = report.statistics.units;
  return std::ranges::any_of(
      units, [&](const UnitEffect& unit) { return unit.group != units.front().group; });
}

}  // namespace

InterventionsPanel::InterventionsPanel(QAction* runDemo, QWidget* parent)
    : Panel({QStringLiteral("interventions"), QStringLiteral("interventions"), tr("Interventions")},
            parent) {
  setObjectName(QStringLiteral("interventionsPanel"));
  auto* content = new QWidget(this);
  auto* layout = makeLayout<QVBoxLayout>(content);
  layout->addWidget(makeChoices());
  layout->addWidget(makeActions());
  message_ = named(new QLabel(content), "effectsMessage");
  message_->setWordWrap(true);
  message_->setContentsMargins(10, 4, 10, 4);
  message_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  layout->addWidget(message_);
  table_ = named(new ReportTable(content), "effectsTable", tr("Effects of all units"));
  results_ =
      makeSplitter(Qt::Vertical, content, {{makePictures(), 330, 2}, {makeSummary(), 250, 1}});
  layout->addWidget(results_, 1);
  layout->addStretch();
  setContent({tr("No model yet"),
              tr("How much a trained model loses without each of its parts (levels, hops, heads, "
                 "blocks, contexts), next to the weight that it gives them, is measured here."),
              {runDemo}},
             content);
  results_->hide();
  showButtons();
  connect(runs_, &QComboBox::currentIndexChanged, this, &InterventionsPanel::chooseRun);
  connect(runs_, &QComboBox::activated, this, [this] { share({.run = runs_->run()}); });
  for (QComboBox* box : {checkpoint_, set_, kind_, mode_})
    connect(box, &QComboBox::currentIndexChanged, this, &InterventionsPanel::showChoice);
  connect(limit_, &QSpinBox::valueChanged, this, &InterventionsPanel::showChoice);
  connect(checkpoint_, &QComboBox::activated, this, [this] {
    const QString selector = checkpoint_->currentData().toString();
    if (selector == QLatin1String("best") || selector == QLatin1String("last"))
      share({.run = runs_->run(), .checkpoint = selector});
  });
}

QWidget* InterventionsPanel::makeChoices() {
  auto* bar = makeBar(this);
  runs_ = named(new RunBox(this), "effectsRun", tr("Run"));
  bar->addWidget(runs_);
  checkpoint_ = addBox(bar, QStringLiteral("effectsCheckpoint"), tr("Checkpoint"));
  set_ = addBox(bar, QStringLiteral("effectsSet"), tr("Validation set"));
  limit_ = named(new QSpinBox(this), "effectsLimit", tr("Number of sentences"));
  limit_->setRange(0, kMostMeasured);
  limit_->setSingleStep(100);
  limit_->setSpecialValueText(tr("all sentences"));
  limit_->setSuffix(tr(" sentences"));
  limit_->setToolTip(
      tr("The set's first sentences; fewer take less time and give wider intervals"));
  bar->addWidget(limit_);
  bar->addStretch();
  return bar->parentWidget();
}

QWidget* InterventionsPanel::makeActions() {
  auto* bar = makeBar(this);
  kind_ = addBox(bar, QStringLiteral("effectsKind"), tr("Units to switch off"));
  for (const EffectKind each : kEffectKinds) {
    kind_->addItem(titleOf(each), qs(strata::nameOf(each)));
    kind_->setItemData(kind_->count() - 1, qs(describe(each)), Qt::ToolTipRole);
  }
  bar->addWidget(styled(new QLabel(tr("replaced by"), this), "muted"));
  mode_ = addBox(bar, QStringLiteral("effectsMode"), tr("Replaced by"));
  for (const EffectMode each : kEffectModes)
    mode_->addItem(titleOf(each), qs(strata::nameOf(each)));
  mode_->setToolTip(
      tr("The mean over the validation set keeps the weights and takes away what the "
         "unit says; a mask takes the softmax over the rest"));
  start_ = named(new QPushButton(tr("Start"), this), "effectsStart");
  bar->addWidget(start_);
  cancel_ = named(new QPushButton(tr("Cancel"), this), "effectsCancel");
  bar->addWidget(cancel_);
  progress_ = named(new QProgressBar(this), "effectsProgress", tr("Progress"));
  progress_->setRange(0, 1000);
  progress_->setMaximumWidth(100);
  bar->addWidget(progress_);
  bar->addStretch();
  addCopyCommand(bar, [this] { return arguments(); });
  addExportTool(this, bar,
                {QStringLiteral("effectsExport"),
                 tr("Export the effects…"),
                 {tr("Export the picture shown"), tr("Its values"),
                  std::bind_front(&InterventionsPanel::exportPicture, this),
                  std::bind_front(&InterventionsPanel::failed, this)}});
  connect(start_, &QPushButton::clicked, this, [this] {
    error_.clear();
    const QStringList anew = shown_ ? QStringList{QStringLiteral("--again")} : QStringList();
    emit startRequested(runs_->run(), runs_->currentText(), arguments() + anew);
    showButtons();
  });
  connect(cancel_, &QPushButton::clicked, this, &InterventionsPanel::cancelRequested);
  return bar->parentWidget();
}

QWidget* InterventionsPanel::makePictures() {
  pictures_ = named(new QTabWidget(this), "effectsPictures", tr("Pictures"));
  pictures_->setDocumentMode(true);
  byLayer_ = named(new CategoryPlot(pictures_), "effectsByLayer");
  byLayer_->setUnitScale(false);
  byLayer_->setFromZero(false);
  pictures_->addTab(byLayer_, tr("By layer"));
  byWeight_ = named(new EffectScatter(pictures_), "effectsByWeight");
  pictures_->addTab(byWeight_, tr("Against weight"));
  return pictures_;
}

QWidget* InterventionsPanel::makeSummary() {
  auto* summary = new QWidget(this);
  auto* layout = makeLayout<QVBoxLayout>(summary);
  lists_ = named(new QLabel(summary), "effectsLists");
  lists_->setWordWrap(true);
  lists_->setContentsMargins(10, 6, 10, 6);
  lists_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  lists_->setToolTip(
      tr("Weight without effect: the weight is in the top third of its group, and "
         "the effect's interval holds 0. Effect without weight: the weight is in "
         "the bottom third, and the interval excludes 0."));
  layout->addWidget(lists_);
  layout->addWidget(table_, 1);
  return summary;
}

EffectKind InterventionsPanel::kind() const {
  return kEffectKinds[std::size_t(kind_->currentIndex())];
}

EffectMode InterventionsPanel::mode() const {
  return kEffectModes[std::size_t(mode_->currentIndex())];
}

QStringList InterventionsPanel::arguments() const {
  QStringList arguments{
      QStringLiteral("effects"),
      QStringLiteral("%1@%2").arg(runs_->currentText(), checkpoint_->currentData().toString()),
      QStringLiteral("--kind"),
      kind_->currentData().toString(),
      QStringLiteral("--mode"),
      mode_->currentData().toString()};
  if (set_->count() > 0) arguments << QStringLiteral("--set") << set_->currentText();
  if (limit_->value() > 0)
    arguments << QStringLiteral("--limit") << QString::number(limit_->value());
  return arguments;
}

void InterventionsPanel::setRuns(const QVector<RunRow>& runs) {
  const auto place = [](const QVector<RunRow>& all, qint64 id) {
    const RunRow* row = findRun(all, id);
    return row ? std::pair(row->bestStep, row->lastStep) : std::pair<qint64, qint64>(-1, -1);
  };
  const qint64 chosen = runs_->run();
  const bool grown = place(listed_, chosen) != place(runs, chosen);
  listed_ = runs;
  setEmpty(runs.isEmpty());
  runs_->setRuns(runs, chosen > 0 ? chosen : restoredRun_);
  if (runs_->run() != chosen) {
    chooseRun();
  } else if (grown) {
    emit runChosen(chosen);  // new checkpoints
  }
}

void InterventionsPanel::chooseRun() {
  arrived_ = false;
  emit runChosen(runs_->run());
}

void InterventionsPanel::setEffects(const RunEffects& effects) {
  if (effects.run != runs_->run()) return;
  const bool other = effects.run != effects_.run;
  arrived_ = true;
  shown_ = nullptr;
  effects_ = effects;
  listChoices();
  offerKinds(other && !restored_);
  if (other && !restored_) showStored();
  restored_ = false;
  showChoice();
}

void InterventionsPanel::listChoices() {
  const QSignalBlocker checkpoints(checkpoint_), sets(set_);
  const QString checkpoint =
      checkpoint_->count() > 0 ? checkpoint_->currentData().toString() : wantedCheckpoint_;
  const QString set = set_->count() > 0 ? set_->currentText() : wantedSet_;
  checkpoint_->clear();
  for (const auto& each : effects_.checkpoints) {
    bool isStep = false;
    const qint64 step = each.selector.toLongLong(&isStep);
    checkpoint_->addItem(isStep ? tr("step %1").arg(countText(step)) : each.selector,
                         each.selector);
  }
  selectData(checkpoint_, checkpoint);
  set_->clear();
  set_->addItems(effects_.sets);
  set_->setCurrentIndex(std::max(0, set_->findText(set)));
}

// Kinds of units that the model lacks cannot be picked. With `choose` one that it has is chosen.
void InterventionsPanel::offerKinds(bool choose) {
  int first = -1;
  for (int i = 0; i < kind_->count(); ++i) {
    const bool offered = lackOf(effects_.model, kEffectKinds[std::size_t(i)]).empty();
    if (auto* items = qobject_cast<QStandardItemModel*>(kind_->model()))
      items->item(i)->setEnabled(offered);
    if (offered && first < 0) first = i;
  }
  if (!choose || first < 0 || lackOf(effects_.model, kind()).empty()) return;
  const QSignalBlocker kinds(kind_);
  kind_->setCurrentIndex(first);
}

// If what is chosen has not been measured of this run, but something else has, shows that.
void InterventionsPanel::showStored() {
  if (found() || effects_.stored.empty()) return;
  const EffectsKey& key = effects_.stored.front().key;
  const QSignalBlocker kinds(kind_), modes(mode_), limits(limit_), sets(set_),
      checkpoints(checkpoint_);
  for (const auto& each : effects_.checkpoints) {
    if (each.name != qs(key.checkpoint)) continue;
    selectData(checkpoint_, each.selector);
    break;
  }
  selectData(kind_, qs(strata::nameOf(key.kind)));
  selectData(mode_, qs(strata::nameOf(key.mode)));
  set_->setCurrentText(qs(key.set));
  limit_->setValue(0);
}

// Of all sentences: the result on the most.
const EffectsReport* InterventionsPanel::found() const {
  const auto chosen = std::ranges::find(effects_.checkpoints, checkpoint_->currentData().toString(),
                                        &RunEffects::Checkpoint::selector);
  if (chosen == effects_.checkpoints.end()) return nullptr;
  const EffectsReport* best = nullptr;
  for (const EffectsReport& each : effects_.stored) {
    const EffectsKey& key = each.key;
    const bool fits = key.kind == kind() &&
                      (key.mode == mode() || key.kind == EffectKind::kGates) &&
                      qs(key.checkpoint) == chosen->name && qs(key.set) == set_->currentText() &&
                      (limit_->value() == 0 || key.sentences == limit_->value());
    if (fits && (!best || key.sentences > best->key.sentences)) best = &each;
  }
  return best;
}

// Why what is chosen cannot be measured.
QString InterventionsPanel::lacking() const {
  if (effects_.checkpoints.isEmpty())
    return tr("This run has saved no checkpoint yet: its first validation will.");
  const std::string lack = lackOf(effects_.model, kind());
  if (!lack.empty()) {
    QStringList offered;
    for (const EffectKind each : kEffectKinds) {
      if (lackOf(effects_.model, each).empty()) offered << titleOf(each);
    }
    return offered.isEmpty() ? tr("%1 It has no parts that can be switched off.").arg(qs(lack))
                             : tr("%1 It has: %2.").arg(qs(lack), offered.join(tr(", ")));
  }
  const auto refusal = refusalOf(kind(), mode());
  return refusal.empty() ? QString() : tr("Not possible: %1.").arg(qs(refusal));
}

void InterventionsPanel::showChoice() {
  if (!arrived_) return;
  shown_ = found();
  results_->setVisible(shown_ != nullptr);
  showButtons();
  const QString lack = lacking();
  const bool failed = !error_.isEmpty() && errorRun_ == effects_.run;
  if (failed) {
    message_->setText(error_);
  } else if (shown_) {
    message_->setText(qs(captionOf(*shown_)));
  } else if (!lack.isEmpty()) {
    message_->setText(lack);
  } else {
    message_->setText(
        tr("Not measured yet. Start passes the set through the model once per unit, "
           "each time without that unit; the result is kept in the run's folder."));
  }
  if (shown_) showReport();
}

void InterventionsPanel::showReport() {
  const EffectsReport& report = *shown_;
  draw(report);
  drawScatter(report);
  table_->setTable(effectsTable(report));
  const bool several = hasSeveralGroups(report);
  QStringList lines;
  for (const auto& [list, title] :
       {std::pair{EffectList::kWeightWithoutEffect, tr("Weight without effect")},
        std::pair{EffectList::kEffectWithoutWeight, tr("Effect without weight")}}) {
    QStringList units;
    for (const UnitEffect& unit : report.statistics.units) {
      if (unit.list == list) units << unitName(unit, several);
    }
    lines << tr("%1: %2").arg(title, units.isEmpty() ? tr("none") : units.join(tr("; ")));
  }
  lists_->setText(lines.join(QLatin1Char('\n')));
  lists_->setVisible(!report.weight.empty());
}

// One category per layer, one series per part of a layer.
void InterventionsPanel::draw(const EffectsReport& report) {
  const bool several = hasSeveralGroups(report);
  QStringList layers, names;
  for (const UnitEffect& unit : report.statistics.units) {
    if (!layers.contains(qs(unit.layer))) layers << qs(unit.layer);
    if (!names.contains(seriesOf(unit, several))) names << seriesOf(unit, several);
  }
  const auto missing = std::vector<double>(std::size_t(layers.size()), kNoEffectValue);
  QVector<CategorySeries> series;
  for (const QString& name : names)
    series << CategorySeries{name, missing, CategorySeries::Kind::kPoints, missing, missing};
  for (const UnitEffect& unit : report.statistics.units) {
    CategorySeries& own = series[names.indexOf(seriesOf(unit, several))];
    const auto at = std::size_t(layers.indexOf(qs(unit.layer)));
    own.values[at] = unit.effect;
    own.low[at] = unit.low;
    own.high[at] = unit.high;
  }
  series << CategorySeries{tr("no effect"), std::vector<double>(missing.size(), 0),
                           CategorySeries::Kind::kReference};
  byLayer_->setTitle(tr("Effect of each unit with its 95 % interval"));
  byLayer_->setAxisTitles(tr("place in the model"), tr("−log p per token without − with (nats)"));
  byLayer_->setContent(layers, series);
}

void InterventionsPanel::drawScatter(const EffectsReport& report) {
  const bool several = hasSeveralGroups(report);
  QVector<ScatterPoint> points;
  for (const UnitEffect& unit : report.statistics.units) {
    if (std::isnan(unit.weight)) continue;
    points << ScatterPoint{unitName(unit, several),
                           qs(unit.group),
                           unit.weight,
                           unit.effect,
                           unit.low,
                           unit.high,
                           unit.list != EffectList::kNone};
  }
  QStringList titles;
  for (const EffectCorrelation& each : report.statistics.correlations) titles << qs(textOf(each));
  byWeight_->setTitle(titles.join(QLatin1Char('\n')));
  byWeight_->setAxisTitles(report.weight.empty() ? tr("weight") : qs(report.weight),
                           tr("effect (nats per token)"));
  byWeight_->setPoints(points);
}

void InterventionsPanel::showButtons() {
  const bool busy = measuring_ > 0;
  start_->setEnabled(!busy && arrived_ && lacking().isEmpty());
  start_->setText(shown_ ? tr("Start again") : tr("Start"));
  start_->setToolTip(busy && measuring_ != runs_->run()
                         ? tr("Another run is being measured")
                         : tr("Measures in a process of its own; results are stored"));
  start_->setVisible(!busy);
  cancel_->setVisible(busy);
  progress_->setVisible(busy);
}

void InterventionsPanel::setProgress(qint64 run, double share) {
  const bool first = measuring_ != run;
  measuring_ = run;
  progress_->setValue(int(share * progress_->maximum()));
  if (first) showChoice();
}

void InterventionsPanel::setMeasured(qint64 run) {
  measuring_ = 0;
  error_.clear();
  if (run == runs_->run()) emit runChosen(run);
  showButtons();
}

void InterventionsPanel::setCancelled(qint64 run) {
  setError(run, tr("Cancelled: nothing is stored of what was measured."));
}

void InterventionsPanel::setError(qint64 run, const QString& message) {
  measuring_ = 0;
  errorRun_ = run;
  error_ = message;
  showButtons();
  showChoice();
}

void InterventionsPanel::follow(const Selection& choice) {
  if (choice.run) runs_->showRun(*choice.run);
  if (!choice.checkpoint) return;
  wantedCheckpoint_ = *choice.checkpoint;
  selectData(checkpoint_, *choice.checkpoint);
}

Json InterventionsPanel::saveState() const {
  return {{"run", runs_->run() > 0 ? runs_->run() : restoredRun_},
          {"checkpoint", toStd(checkpoint_->count() > 0 ? checkpoint_->currentData().toString()
                                                        : wantedCheckpoint_)},
          {"set", toStd(set_->count() > 0 ? set_->currentText() : wantedSet_)},
          {"limit", limit_->value()},
          {"kind", toStd(kind_->currentData().toString())},
          {"mode", toStd(mode_->currentData().toString())},
          {"picture", pictures_->currentIndex()}};
}

void InterventionsPanel::restoreState(const Json& state) {
  const SavedState saved(state);
  restoredRun_ = saved.number("run").value_or(restoredRun_);
  wantedCheckpoint_ = saved.text("checkpoint").value_or(wantedCheckpoint_);
  wantedSet_ = saved.text("set").value_or(wantedSet_);
  saved.value("limit", limit_);
  if (const auto kind = saved.text("kind")) restored_ = selectData(kind_, *kind);
  if (const auto mode = saved.text("mode")) selectData(mode_, *mode);
  saved.index("picture", pictures_);
}

void InterventionsPanel::exportPicture(const QString& path) {
  static_cast<Chart*>(pictures_->currentWidget())->exportTo(path);
}

}  // namespace strata::ui
