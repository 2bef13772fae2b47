#include "ui/panels/gradient_flow_panel.h"

#include <QAction>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <functional>

#include "ui/data/gradient_flow.h"
#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/plots/gradient_map.h"
#include "ui/widgets/building.h"
#include "ui/widgets/export_dialog.h"
#include "ui/widgets/run_box.h"

namespace strata::ui {
namespace {
constexpr int kRefreshMs = 1000;  // a training run writes about once per second
constexpr int kStepsKept = 100;   // a trainer keeps the norms of every one before a break
}  // namespace

GradientFlowPanel::GradientFlowPanel(QAction* runDemo, QWidget* parent)
    : Panel({QStringLiteral("gradient-flow"), QStringLiteral("gradient"), tr("Gradient flow")},
            parent) {
  setObjectName(QStringLiteral("gradientFlowPanel"));
  auto* content = new QWidget(this);
  auto* layout = makeLayout<QVBoxLayout>(content);
  layout->addWidget(makeToolBar());
  map_ = named(new GradientMapView(content), "gradientMap", tr("Gradient norm by layer and step"));
  connect(map_, &GradientMapView::stepChosen, this, [this](int map, qint64 step) {
    if (map < drawn_.size()) share({.run = drawn_[map], .step = step});
  });
  layout->addWidget(map_, 1);
  setContent(
      {tr("No gradients yet"),
       tr("The gradient norm of each encoder and decoder layer is drawn here while a run trains: "
          "where it vanishes, where it explodes. Start a run and its map appears automatically."),
       {runDemo}},
      content);
  again_.setSingleShot(true);
  again_.setInterval(kRefreshMs);
  connect(&again_, &QTimer::timeout, this, &GradientFlowPanel::ask);
}

QWidget* GradientFlowPanel::makeToolBar() {
  auto* layout = makeBar(this, 8);
  auto* bar = layout->parentWidget();
  first_ = named(new RunBox(bar), "gradientFirstRun", tr("Run"));
  second_ = named(new RunBox(bar), "gradientSecondRun", tr("Second run"));
  second_->setNone(tr("no second run"));
  for (RunBox* box : {first_, second_}) {
    connect(box, &QComboBox::currentIndexChanged, this, &GradientFlowPanel::chooseRuns);
    layout->addWidget(box);
  }
  connect(first_, &QComboBox::activated, this, [this] { share({.run = first_->run()}); });
  connect(second_, &QComboBox::activated, this, [this] { share({.other = second_->run()}); });
  logarithmic_ = named(new QCheckBox(tr("logarithmic"), bar), "gradientLogarithmic");
  logarithmic_->setToolTip(tr("Logarithmic colour scale"));
  logarithmic_->setChecked(true);
  connect(logarithmic_, &QCheckBox::toggled, this, [this](bool on) { map_->setLogarithmic(on); });
  layout->addWidget(logarithmic_);
  last_ = named(new QAction(tr("Last %1 steps").arg(kStepsKept), this), "gradientLast");
  last_->setToolTip(tr("The steps before a norm was NaN or infinite: every one of them is kept"));
  connect(last_, &QAction::triggered, this, [this] {
    const auto at = double(firstBreak());
    map_->showRange({at - kStepsKept, at});
  });
  addAction(last_);
  addTool(layout, last_);
  note_ = styled(new QLabel(bar), "muted");
  note_->setWordWrap(true);  // a narrow window keeps the tools
  layout->addWidget(note_, 1);
  addExportTool(this, layout,
                {QStringLiteral("gradientExport"),
                 tr("Export the gradient norms…"),
                 {tr("Export the gradient norms"), tr("All points"),
                  std::bind_front(&GradientFlowPanel::exportTo, this),
                  std::bind_front(&GradientFlowPanel::failed, this)}});
  return bar;
}

QVector<qint64> GradientFlowPanel::chosen() const {
  QVector<qint64> runs;
  for (const RunBox* box : {first_, second_}) {
    if (box->run() > 0 && !runs.contains(box->run())) runs << box->run();
  }
  return runs;
}

void GradientFlowPanel::setRuns(const QVector<RunRow>& runs) {
  runs_ = newestFirst(runs);
  setEmpty(runs_.isEmpty());
  if (!first_->lists(runs_) && !runs_.isEmpty()) {
    const QVector<qint64> before = chosen();
    // At first the newest two.
    std::pair wanted{runs_[0].id, runs_.value(1, runs_[0]).id};
    if (first_->count() > 0) wanted = {first_->run(), second_->run()};
    wanted = std::exchange(restored_, std::nullopt).value_or(wanted);
    first_->setRuns(runs_, wanted.first);
    second_->setRuns(runs_, wanted.second);
    if (chosen() != before) draw();
  }
  ask();
}

void GradientFlowPanel::follow(const Selection& choice) {
  if (choice.run) first_->showRun(*choice.run);
  if (choice.other) second_->showRun(*choice.other);
}

Here GradientFlowPanel::here() const {
  const GradientMapView::Cell at = map_->cursor();
  if (at.map < 0) return Panel::here();
  Here here{map_->readout(at), {}};
  const GradientFlow& flow = map_->flows()[at.map];
  here.add(QStringLiteral("g_l"), numberText(flow.at(at.layer, at.bin)));
  return here;
}

Json GradientFlowPanel::saveState() const {
  Json state{{"logarithmic", logarithmic_->isChecked()}};
  std::optional<std::pair<qint64, qint64>> runs = restored_;
  if (first_->count() > 0) runs = {first_->run(), second_->run()};
  if (runs) {
    state["run"] = runs->first;
    state["other"] = runs->second;
  }
  return state;
}

void GradientFlowPanel::restoreState(const Json& state) {
  const SavedState saved(state);
  saved.check("logarithmic", logarithmic_);
  const auto run = saved.number("run"), other = saved.number("other");
  if (run && other) restored_ = {*run, *other};
}

void GradientFlowPanel::chooseRuns() {
  ask();
  draw();
}

// A run that is new or has progressed since.
void GradientFlowPanel::ask() {
  if (!isVisible()) return;
  const QVector<qint64> wanted = chosen();
  for (const RunRow& run : runs_) {
    if (!wanted.contains(run.id) || pending_.contains(run.id)) continue;
    if (requestedAt_.contains(run.id) && requestedAt_[run.id] == run.step) continue;
    requestedAt_[run.id] = run.step;
    pending_.insert(run.id);
    emit seriesRequested(run.id);
  }
}

void GradientFlowPanel::setSeries(qint64 run, const QVector<SeriesPoints>& series) {
  pending_.remove(run);
  series_[run] = series;
  if (chosen().contains(run)) draw();
  again_.start();
}

void GradientFlowPanel::draw() {
  const QVector<qint64> runs = chosen();
  for (const qint64 run : series_.keys()) {
    if (runs.contains(run)) continue;
    requestedAt_.remove(run);
    series_.remove(run);
  }
  QVector<GradientMapView::Map> maps;
  QStringList without;
  QVector<qint64> drawn;
  for (const qint64 run : runs) {
    const RunRow* row = findRun(runs_, run);
    if (!row || !series_.contains(run)) continue;
    maps.push_back({row->name, series_[run]});
    drawn << run;
    if (series_[run].isEmpty()) without << row->name;
  }
  map_->setMaps(maps);
  drawn_ = drawn;
  const qint64 broke = firstBreak();
  last_->setEnabled(broke >= 0);
  QString note = tr("each cell shows the maximum norm over its steps");
  if (broke >= 0) note = tr("a norm of step %1 is not finite ✕").arg(countText(broke));
  if (!without.isEmpty())
    note = tr("no gradient norms were recorded for %1").arg(without.join(tr(", ")));
  note_->setText(note);
}

qint64 GradientFlowPanel::firstBreak() const {
  qint64 first = -1;
  for (const qint64 run : chosen()) {
    const qint64 broke = firstNonFiniteStep(series_.value(run));
    if (broke >= 0) first = first < 0 ? broke : std::min(first, broke);
  }
  return first;
}

void GradientFlowPanel::showEvent(QShowEvent* event) {
  Panel::showEvent(event);
  ask();
}

void GradientFlowPanel::exportTo(const QString& path) {
  map_->exportTo(path);
}

bool GradientFlowPanel::isUpToDate() const {
  if (isEmpty()) return true;
  const QVector<qint64> runs = chosen();
  return std::all_of(runs.begin(), runs.end(),
                     [this](qint64 run) { return series_.contains(run); });
}

}  // namespace strata::ui
