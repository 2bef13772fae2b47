#include "ui/panels/curves_panel.h"

#include <qcustomplot.h>

#include <QAction>
#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QScrollArea>
#include <QShortcut>
#include <QSignalBlocker>
#include <QSlider>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <functional>
#include <utility>

#include "ui/data/in_parallel.h"
#include "ui/data/saved_state.h"
#include "ui/data/seed_groups.h"
#include "ui/data/text.h"
#include "ui/panels/series_list.h"
#include "ui/plots/curve_plot.h"
#include "ui/plots/plot_style.h"
#include "ui/plots/seed_band.h"
#include "ui/style/theme.h"
#include "ui/widgets/building.h"
#include "ui/widgets/export_dialog.h"
#include "ui/widgets/series_box.h"

namespace strata::ui {
namespace {
constexpr int kLegendWidth = 170,
              kAxisBoxWidth = 150;                  // pixels
constexpr int kLeastBoxWidth = 64, kBoxEdges = 58;  // around its text
constexpr int kToolSpacing = 3;
}  // namespace

CurvesPanel::CurvesPanel(QAction* runDemo, QWidget* parent)
    : Panel({QStringLiteral("curves"), QStringLiteral("watch"), tr("Curves")}, parent),
      list_(new SeriesList(this)) {
  setObjectName(QStringLiteral("curvesPanel"));
  setContent({tr("No curves yet"),
              tr("Losses, scores, learning rates and gradient norms of any runs "
                 "are drawn here while they train. "
                 "Start a run and its curves appear automatically."),
              {runDemo}},
             makeSplitter(Qt::Horizontal, this, {{list_, 216}, {makeCharts(), 790, 1}}));
  connect(list_, &SeriesList::changed, this, &CurvesPanel::drawTicked);
}

QWidget* CurvesPanel::makeCharts() {
  auto* right = new QWidget(this);
  auto* rightLayout = makeLayout<QVBoxLayout>(right);
  rightLayout->addWidget(makeToolBar());
  scroll_ = makeScrollArea(right);
  auto* canvas = styled(new QWidget(scroll_), "panel");
  grid_ = makeLayout<QGridLayout>(canvas, {4, 0, 4, 4}, 4);
  scroll_->setWidget(canvas);
  scroll_->viewport()->installEventFilter(this);
  showAll_ = new QShortcut(Qt::Key_Escape, scroll_, [this] { enlarge({}); });
  showAll_->setContext(Qt::WidgetWithChildrenShortcut);
  showAll_->setEnabled(false);  // Esc then belongs to others
  auto* row = makeLayout<QHBoxLayout>(nullptr);
  row->addWidget(scroll_, 1);
  legend_ = named(new QListWidget(right), "curveLegend", tr("Legend"));
  legend_->setFixedWidth(kLegendWidth);
  legend_->setSelectionMode(QAbstractItemView::NoSelection);
  legend_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  legend_->setTextElideMode(Qt::ElideMiddle);
  legend_->setIconSize(QSize(16, 16));
  legend_->hide();
  row->addWidget(legend_);
  rightLayout->addLayout(row, 1);
  return right;
}

QAction* CurvesPanel::addToggle(QLayout* layout, const QString& name, const QString& text,
                                const QString& tip, void (CurvePlot::*set)(bool on)) {
  auto* action = named(new QAction(text, this), name);
  action->setCheckable(true);
  action->setToolTip(tip);
  connect(action, &QAction::toggled, this, [this, set](bool on) {
    for (CurvePlot* chart : charts()) (chart->*set)(on);
  });
  addTool(layout, action);
  return action;
}

QWidget* CurvesPanel::makeToolBar() {
  auto* layout = makeBar(this, kToolSpacing);
  auto* bar = layout->parentWidget();
  xAxis_ = named(new SeriesBox({tr("Step"), tr("Time since start"), tr("Time of day")}, bar),
                 "curveXAxis", tr("Horizontal axis"));
  xAxis_->setToolTip(tr("Step, time, or another series of the same run at the same step"));
  xAxis_->setMaximumWidth(kAxisBoxWidth);
  connect(xAxis_, &QComboBox::currentIndexChanged, this, &CurvesPanel::chooseXAxis);
  layout->addWidget(xAxis_);
  second_ = named(new SeriesBox({tr("One y axis")}, bar), "curveSecond", tr("Second y axis"));
  second_->setToolTip(tr("Another series of the same runs, dotted, over an axis at the right"));
  second_->setMaximumWidth(kAxisBoxWidth);
  connect(second_, &QComboBox::currentIndexChanged, this, &CurvesPanel::drawTicked);
  layout->addWidget(second_);
  xAxis_->setMinimumWidth(kLeastBoxWidth);
  // What stands there without a second axis is whole.
  const int text = second_->fontMetrics().horizontalAdvance(second_->itemText(0)) + kBoxEdges;
  second_->setMinimumWidth(std::clamp(text, kLeastBoxWidth, kAxisBoxWidth));
  logX_ = addToggle(layout, QStringLiteral("curveLogX"), tr("log x"),
                    tr("Logarithmic horizontal axis; values ≤ 0 are counted, not drawn"),
                    &CurvePlot::setLogarithmicX);
  logY_ = addToggle(layout, QStringLiteral("curveLogY"), tr("log y"),
                    tr("Logarithmic vertical axis; values ≤ 0 are counted, not drawn"),
                    &CurvePlot::setLogarithmicY);
  outliers_ = addToggle(layout, QStringLiteral("curveOutliers"), tr("fit 98 %"),
                        tr("The vertical axis fits all but the lowest and highest hundredth of "
                           "the values; what it leaves out is counted"),
                        &CurvePlot::setWithoutOutliers);
  addSeeds(layout);
  addSmoothing(layout);
  layout->addStretch();
  addBreaks(layout);
  auto* fit = named(new QAction(themedIcon(QStringLiteral("fit")), tr("Show all data"), this),
                    QStringLiteral("curveFit"));
  connect(fit, &QAction::triggered, this, [this] {
    for (CurvePlot* c : charts()) c->fit();
  });
  addAction(fit);
  addTool(layout, fit);
  addExportTool(this, layout,
                {QStringLiteral("curveExport"),
                 tr("Export the charts…"),
                 {tr("Export the charts"), tr("All points"),
                  std::bind_front(&CurvesPanel::exportCharts, this),
                  std::bind_front(&CurvesPanel::failed, this),
                  std::bind_front(&CurvesPanel::exportedParts, this), [] { return true; }}});
  addCopyCommand(layout, [this] {
    return command();
  })->setToolTip(tr("Copy the command line that writes all points of the drawn runs"));
  return bar;
}

QStringList CurvesPanel::command() const {
  QStringList command{QStringLiteral("runs"), QStringLiteral("export")};
  for (const DrawnRun& drawn : drawn_) command << QString::number(drawn.run);
  return command;
}

void CurvesPanel::addSeeds(QLayout* layout) {
  seeds_ = named(new QComboBox(layout->parentWidget()), "curveSeeds", tr("Seeds"));
  seeds_->addItems({tr("Each seed"), tr("Mean ± std"), tr("Mean, 95 % CI")});
  seeds_->setToolTip(
      tr("Runs that differ only in their seed as one line: their mean and, as a band, its standard "
         "deviation or 95 % confidence interval (Student's t), at the steps that all have logged"));
  connect(seeds_, &QComboBox::currentIndexChanged, this, &CurvesPanel::refreshAll);
  layout->addWidget(seeds_);
}

void CurvesPanel::addSmoothing(QLayout* layout) {
  QWidget* bar = layout->parentWidget();
  layout->addWidget(styled(new QLabel(tr("Smoothing"), bar), "muted"));
  smoothing_ = named(new QSlider(Qt::Horizontal, bar), "curveSmoothing", tr("Smoothing"));
  smoothing_->setRange(0, kSmoothingSteps);
  smoothing_->setMaximumWidth(110);
  smoothing_->setToolTip(tr("Exponential moving average, drawn over the raw curve"));
  connect(smoothing_, &QSlider::valueChanged, this, &CurvesPanel::applySmoothing);
  layout->addWidget(smoothing_);
}

void CurvesPanel::setRuns(const QVector<RunRow>& runs) {
  const auto broken = [](const QVector<RunRow>& all) {
    return std::ranges::count_if(all, [](const RunRow& run) { return run.diverged; });
  };
  const bool more = runs.size() != runs_.size();
  const bool changed = broken(runs) != broken(std::exchange(runs_, runs));
  setEmpty(newestFirst(runs).isEmpty());
  drawRestored();
  if (changed) refreshAll();
  if (!more) return;  // the units of axes depend on where a run comes from
  for (auto [name, chart] : charts_.asKeyValueRange()) chart->setYTitle(titleOf(name));
}

void CurvesPanel::setDrawn(const QVector<DrawnRun>& runs) {
  wanted_ = runs;
  if (!isPinned() || (drawn_.isEmpty() && restored_.isEmpty())) drawWanted();
}

// Those of the last session that are still there.
void CurvesPanel::drawRestored() {
  if (!isPinned() || restored_.isEmpty() || runs_.isEmpty()) return;
  for (DrawnRun run : std::exchange(restored_, {})) {
    const RunRow* row = findRun(runs_, run.run);
    if (!row) continue;
    run.name = row->name;
    drawn_ << run;
  }
  if (drawn_.isEmpty()) return drawWanted();
  list_->setRuns(drawnIds());
}

// Also when it is no longer pinned.
void CurvesPanel::follow(const Selection&) {
  drawWanted();
}

void CurvesPanel::drawWanted() {
  if (wanted_ == drawn_) return;
  drawn_ = wanted_;
  list_->setRuns(drawnIds());
}

QVector<qint64> CurvesPanel::drawnIds() const {
  QVector<qint64> ids;
  for (const DrawnRun& run : drawn_) ids << run.run;
  return ids;
}

QVector<CurvesPanel::Line> CurvesPanel::lines() const {
  QVector<Line> lines;
  if (seeds_->currentIndex() == 0) {
    for (const DrawnRun& run : drawn_) lines << Line{run.name, run.line, {run.run}};
    return lines;
  }
  for (const SeedGroup& group : seedGroups(runs_, drawnIds())) {
    const auto first = std::ranges::find(drawn_, group.runs[0], &DrawnRun::run);
    lines << Line{group.label, first->line, group.runs};
  }
  return lines;
}

QString CurvesPanel::otherX() const {
  return xAxis_->series();
}

QString CurvesPanel::secondY() const {
  return second_->series();
}

bool CurvesPanel::derives() const {
  return !otherX().isEmpty() || seeds_->currentIndex() > 0;
}

// Of the x axis those series first that only grow.
void CurvesPanel::fillAxes() {
  QStringList names = list_->names();
  second_->setNames(names);
  for (const char* first : {"train/tokens", "train/epoch"}) {
    const QString name = QString::fromLatin1(first);
    if (names.removeAll(name) > 0) names.prepend(name);
  }
  xAxis_->setNames(names);
}

void CurvesPanel::chooseXAxis() {
  drawTicked();  // the axis may need another series
  for (CurvePlot* chart : charts()) chart->fit();
}

void CurvesPanel::setSeriesNames(qint64 run, const QStringList& names) {
  list_->setNames(run, names);
}

void CurvesPanel::showSeries(const QStringList& names) {
  list_->tick(names);
}

void CurvesPanel::drawTicked() {
  fillAxes();
  const QVector<SeriesKey> keys = list_->keys();
  QSet<SeriesKey> wanted(keys.begin(), keys.end());
  // An empty name requests the names; a run's series arrive one after another.
  for (const qint64 run : drawnIds()) {
    wanted.insert({run, QString()});
    for (const QString& name : pinnedCharts_ + QStringList{otherX(), secondY()}) {
      if (!name.isEmpty() && list_->has({run, name})) wanted.insert({run, name});
    }
  }
  data_.removeIf([&](const auto& entry) { return !wanted.contains(entry.key()); });
  arrived_.intersect(wanted);
  const bool changed = wanted != watched_;
  watched_ = wanted;
  rebuildCharts();
  if (changed) emit watchChanged(QVector<SeriesKey>(watched_.begin(), watched_.end()));
}

// The series itself, or its values along the x axis; null: that is not there yet.
std::shared_ptr<Series> CurvesPanel::shown(const std::shared_ptr<Series>& series,
                                           qint64 run) const {
  if (otherX().isEmpty()) return series;
  const auto x = data_.value({run, otherX()});
  if (!x) return nullptr;
  auto along = Series::along(*series, *x);
  along->setSmoothing(smoothing());
  return along;
}

CurvePlot::Curve CurvesPanel::curveOf(const Line& line, const QString& name) {
  QVector<std::shared_ptr<Series>> seeds;
  qint64 first = 0, broke = -1;
  for (const qint64 run : line.runs) {
    const RunRow* row = findRun(runs_, run);
    const bool has = watched_.contains({run, name});
    if (!has && row != nullptr && row->diverged && list_->isNamed(run)) broke = row->step;
    if (!has) continue;
    auto& series = data_[{run, name}];
    if (!series) series = newSeries();
    if (seeds.isEmpty()) first = run;
    seeds << series;
  }
  CurvePlot::Curve curve{line.label, line.style, nullptr};
  if (seeds.isEmpty()) {
    curve.brokeAt = broke;
    if (broke >= 0) curve.series = newSeries();
  } else if (seeds.size() == 1) {
    curve.series = shown(seeds[0], first);
  } else {
    const SeedBand band =
        seedBand(seeds, seeds_->currentIndex() == 1 ? SeedBand::Width::kDeviation
                                                    : SeedBand::Width::kInterval95);
    band.mean->setSmoothing(smoothing());
    curve.series = shown(band.mean, first);
    curve.low = shown(band.low, first);
    curve.high = shown(band.high, first);
  }
  return curve;
}

void CurvesPanel::refreshCurves(const QString& name) {
  QVector<CurvePlot::Curve> curves;
  QVector<qint64> runs;
  for (const Line& line : lines()) {
    const CurvePlot::Curve curve = curveOf(line, name);
    if (!curve.series) continue;
    curves.push_back(curve);
    runs << line.runs[0];
  }
  drawnRuns_[name] = runs;
  charts_[name]->setCurves(curves);
  refreshSecond(name);
}

// The same lines' other series; a chart of that series has no second axis.
void CurvesPanel::refreshSecond(const QString& name) {
  QVector<CurvePlot::Curve> curves;
  for (const Line& line : lines()) {
    if (secondY().isEmpty() || secondY() == name) break;
    CurvePlot::Curve curve = curveOf(line, secondY());
    if (!curve.series || curve.brokeAt >= 0) continue;
    curve.low = curve.high = nullptr;
    curves.push_back(curve);
  }
  charts_[name]->setSecond(secondY(), titleOf(secondY()), curves);
}

void CurvesPanel::choosePoint(const QString& name, int curve, qint64 step) {
  const QVector<qint64> runs = drawnRuns_.value(name);
  if (curve < runs.size()) share({.run = runs[curve], .step = step});
}

void CurvesPanel::refreshAll() {
  for (const QString& name : charts_.keys()) refreshCurves(name);
  refreshLegend();
  refreshBreaks();
}

void CurvesPanel::setRunsListed(bool listed) {
  runsListed_ = listed;
  refreshLegend();
}

void CurvesPanel::refreshLegend() {
  const QVector<Line> all = lines();
  legend_->clear();
  for (const Line& line : all) {
    auto* item = new QListWidgetItem(lineIcon(line.style), line.label, legend_);
    item->setToolTip(line.label);
  }
  placeLegend();
}

void CurvesPanel::placeLegend() {
  const int room = scroll_->width() + (legend_->isHidden() ? 0 : kLegendWidth);
  legend_->setVisible(!runsListed_ && legend_->count() > 1 && room >= kTwoColumnsWidth);
}

void CurvesPanel::addPoints(const QVector<SeriesPoints>& points) {
  QSet<QString> touched;
  for (const SeriesPoints& part : points) {
    if (!watched_.contains(part.key)) continue;  // it has been unticked in the meantime
    auto& series = data_[part.key];
    if (!series) series = newSeries();
    const bool fresh = part.replaces && series->size() > 0;
    if (fresh) series = newSeries();
    series->append(part.points);
    if (fresh && charts_.contains(part.key.name)) refreshCurves(part.key.name);
    if (fresh && part.key.name == secondY()) {
      for (const QString& name : charts_.keys()) refreshSecond(name);
    }
    arrived_.insert(part.key);
    touched.insert(part.key.name);
  }
  const bool all = touched.contains(otherX()) || touched.contains(secondY());
  for (const QString& name : charts_.keys()) {
    if (!all && !touched.contains(name)) continue;
    if (derives()) refreshCurves(name);
    charts_[name]->dataChanged();
  }
  refreshBreaks();
}

double CurvesPanel::smoothing() const {
  return smoothing_->value() / double(kSmoothingSteps + 1);
}

std::shared_ptr<Series> CurvesPanel::newSeries() const {
  auto series = std::make_shared<Series>();
  series->setSmoothing(smoothing());
  return series;
}

void CurvesPanel::applySmoothing() {
  const auto all = data_.values();
  inParallel(int(all.size()), [&](int i) { all[i]->setSmoothing(smoothing()); });
  if (derives()) return refreshAll();
  for (CurvePlot* chart : charts()) chart->dataChanged();
}

Here CurvesPanel::here() const {
  const auto* chart = qobject_cast<const CurvePlot*>(focusWidget());
  const auto at = chart ? chart->cursor() : std::nullopt;
  if (!at || at->curve >= int(chart->curves().size())) return {};
  const Series& series = *chart->curves()[at->curve].series;
  if (at->index >= series.size()) return {};
  Here here{tr("%1, %2").arg(chart->title(), chart->readout(*at)), {}};
  here.add(QStringLiteral("x_t"), numberText(series.values()[at->index], 6));
  if (series.smoothing() > 0) {
    here.add(QStringLiteral("s_t"), numberText(series.smoothed()[at->index], 6));
    here.add(QStringLiteral("β"), numberText(series.smoothing(), 3));
  }
  here.add(QStringLiteral("t"), countText(qint64(series.steps()[at->index])));
  return here;
}

Json CurvesPanel::saveState() const {
  Json state = list_->saveState();
  state["x"] = xAxis_->fixedEntry();
  for (const auto& [key, box] : {std::pair("x_series", xAxis_), std::pair("second", second_)}) {
    if (!box->savedSeries().isEmpty()) state[key] = toStd(box->savedSeries());
  }
  state["seeds"] = seeds_->currentIndex();
  state["without_outliers"] = outliers_->isChecked();
  state["log_x"] = logX_->isChecked();
  state["log_y"] = logY_->isChecked();
  state["smoothing"] = smoothing_->value();
  state["pinned_charts"] = jsonOf(pinnedCharts_);
  state["enlarged"] = toStd(enlarged_);
  if (!isPinned()) return state;
  QVector<qint64> runs, lines;
  for (const DrawnRun& run : drawn_.isEmpty() ? restored_ : drawn_) {
    runs << run.run;
    lines << run.line;
  }
  state["pinned_runs"] = jsonOf(runs);
  state["pinned_lines"] = jsonOf(lines);
  return state;
}

void CurvesPanel::restoreState(const Json& state) {
  list_->restoreState(state);
  const SavedState saved(state);
  saved.index("x", xAxis_);
  for (const auto& [key, box] : {std::pair("x_series", xAxis_), std::pair("second", second_)}) {
    if (const auto series = saved.text(key)) box->restoreSeries(*series);
  }
  saved.index("seeds", seeds_);
  saved.check("without_outliers", outliers_);
  saved.check("log_x", logX_);
  saved.check("log_y", logY_);
  saved.value("smoothing", smoothing_);
  pinnedCharts_ = saved.texts("pinned_charts").value_or(QStringList());
  pinnedCharts_.removeDuplicates();
  enlarged_ = saved.text("enlarged").value_or(QString());
  const auto runs = saved.numbers("pinned_runs").value_or(QVector<qint64>());
  const auto lines = saved.numbers("pinned_lines").value_or(QVector<qint64>());
  restored_.clear();
  for (qsizetype i = 0; i < std::min(runs.size(), lines.size()); ++i)
    restored_ << DrawnRun{.run = runs[i], .name = {}, .line = int(std::max(lines[i], qint64(0)))};
}

std::shared_ptr<const Series> CurvesPanel::series(const SeriesKey& key) const {
  return data_.value(key);
}

bool CurvesPanel::isUpToDate() const {
  if (isEmpty()) return true;
  const QVector<qint64> runs = drawnIds();
  const bool named =
      std::all_of(runs.begin(), runs.end(), [this](qint64 run) { return list_->isNamed(run); });
  const bool arrived = std::all_of(watched_.begin(), watched_.end(), [this](const SeriesKey& key) {
    return key.name.isEmpty() || arrived_.contains(key);
  });
  return named && arrived && std::all_of(charts_.begin(), charts_.end(), [](const CurvePlot* c) {
           return c->isHidden() || c->isUpToDate();
         });
}

void CurvesPanel::changeEvent(QEvent* event) {
  Panel::changeEvent(event);
  if (event->type() != QEvent::PaletteChange) return;
  refreshLegend();
}

bool CurvesPanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched == scroll_->viewport() && event->type() == QEvent::Resize) {
    layOutCharts();
    placeLegend();
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace strata::ui
