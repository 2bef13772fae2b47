// The charts of the panel Curves: which there are, and where.
#include <QAction>
#include <QComboBox>
#include <QGridLayout>
#include <QScrollArea>
#include <QShortcut>
#include <QSignalBlocker>
#include <utility>

#include "core/store/imported.h"
#include "ui/data/text.h"
#include "ui/panels/curves_panel.h"
#include "ui/panels/series_list.h"
#include "ui/plots/picture_export.h"
#include "ui/plots/plot_style.h"
#include "ui/style/theme.h"
#include "ui/widgets/building.h"
#include "ui/widgets/series_box.h"

namespace strata::ui {
namespace {
constexpr int kChartHeight = 180;  // pixels
constexpr int kTimes = 3;          // the first entries of the x axis
constexpr auto kKeyText = QKeySequence::NativeText;

// Entries after the times are series.
CurvePlot::XAxis xAxisOf(int index) {
  const CurvePlot::XAxis times[] = {CurvePlot::XAxis::kStep, CurvePlot::XAxis::kRelativeTime,
                                    CurvePlot::XAxis::kWallTime};
  return index < kTimes ? times[std::max(0, index)] : CurvePlot::XAxis::kOther;
}

}  // namespace

CurvePlot* CurvesPanel::makeChart(const QString& name) {
  auto* chart = new CurvePlot(scroll_->widget());
  chart->setObjectName(QStringLiteral("chart:") + name);
  chart->setTitle(name);
  chart->setMinimumHeight(kChartHeight);
  chart->setLegendShown(false);  // one for all charts
  if (outliers_->isChecked()) chart->setWithoutOutliers(true);
  if (logX_->isChecked()) chart->setLogarithmicX(true);
  if (logY_->isChecked()) chart->setLogarithmicY(true);
  addChartTools(chart, name);
  connect(chart, &CurvePlot::pointChosen, this,
          [this, name](int curve, qint64 step) { choosePoint(name, curve, step); });
  connect(chart, &CurvePlot::xRangeChanged, this,
          [this, chart](double lower, double upper, bool fitted) {
            for (CurvePlot* other : charts()) {
              if (other == chart) continue;
              if (fitted) {
                other->fit();
              } else {
                other->setXRange(lower, upper);
              }
            }
          });
  return chart;
}

// Buttons next to the title, and keys while the chart has the keyboard's focus.
void CurvesPanel::addChartTools(CurvePlot* chart, const QString& name) {
  const auto add = [&](const QString& tool, const QString& icon, const QString& text,
                       const QKeySequence& key) {
    auto* action = named(new QAction(themedIcon(icon), text, chart), tool);
    action->setShortcut(key);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    action->setToolTip(tr("%1 (%2)").arg(text, key.toString(kKeyText)));
    action->setCheckable(true);
    chart->addTool(action);
    return action;
  };
  QAction* pin = add(QStringLiteral("pinChart"), QStringLiteral("pin"),
                     tr("Keep the chart, before the others"), Qt::Key_P);
  connect(pin, &QAction::toggled, this, [this, name](bool on) { pinChart(name, on); });
  QAction* alone = add(QStringLiteral("enlargeChart"), QStringLiteral("enlarge"),
                       tr("Only this chart"), Qt::Key_F);
  alone->setToolTip(tr("%1 (%2); all charts again: %3")
                        .arg(alone->text(), alone->shortcut().toString(kKeyText),
                             showAll_->key().toString(kKeyText)));
  connect(alone, &QAction::toggled, this, [this, chart, name](bool on) {
    enlarge(on ? name : QString());
    if (on) chart->setFocus();  // its keys show all charts again
  });
}

void CurvesPanel::enlarge(const QString& name) {
  enlarged_ = name;
  layOutCharts();
}

// A pinned chart stays even if its series is not ticked. It may be deleted here: by its own action.
void CurvesPanel::pinChart(const QString& name, bool on) {
  pinnedCharts_.removeAll(name);
  if (on) pinnedCharts_ << name;
  QMetaObject::invokeMethod(this, &CurvesPanel::drawTicked, Qt::QueuedConnection);
}

void CurvesPanel::rebuildCharts() {
  const QStringList known = list_->names();
  QStringList wanted = list_->ticked();
  for (const QString& name : pinnedCharts_) {
    if (known.contains(name) && !wanted.contains(name)) wanted << name;
  }
  for (const QString& name : charts_.keys()) {
    if (wanted.contains(name)) continue;
    if (name == enlarged_) enlarged_.clear();
    delete charts_.take(name);
  }
  for (const QString& name : wanted) {
    if (!charts_.contains(name)) charts_.insert(name, makeChart(name));
    CurvePlot* chart = charts_[name];
    chart->setYTitle(titleOf(name));
    chart->setOtherTitle(titleOf(otherX()));
    const auto axis = xAxisOf(otherX().isEmpty() ? xAxis_->fixedEntry() : kTimes);
    if (chart->xAxis() != axis) chart->setXAxis(axis);
    refreshCurves(name);
  }
  layOutCharts();
  refreshLegend();
  refreshBreaks();
  sayLack();
}

// With the unit if it is the same for all drawn runs.
QString CurvesPanel::titleOf(const QString& series) const {
  const std::string name = toStd(series);
  const bool known = std::ranges::all_of(drawnIds(), [&](qint64 id) {
    const RunRow* run = findRun(runs_, id);
    return run == nullptr || !list_->has({id, series}) || hasKnownUnit(toStd(run->preset), name);
  });
  return axisTitleOf(series, known ? AxisUnit::kKnown : AxisUnit::kUnknown);
}

// Without a point there is nothing to draw but the mark of a run that broke before its first one.
void CurvesPanel::sayLack() {
  const auto ids = drawnIds();
  const auto isDrawn = [&](const RunRow& run) { return ids.contains(run.id); };
  const bool known = std::ranges::all_of(ids, [this](qint64 run) { return list_->isNamed(run); });
  const bool broke =
      std::ranges::any_of(runs_, [&](const RunRow& run) { return isDrawn(run) && run.diverged; });
  if (ids.isEmpty() || !known || broke || !list_->names().isEmpty()) return setLack({}, {});
  const QString text = ids.size() == 1 ? tr("%1 has logged no points yet.").arg(drawn_[0].name)
                                       : tr("The drawn runs have logged no points yet.");
  const RunRow* other = nullptr;  // the newest with points
  for (const RunRow& run : runs_) {
    if (run.step > 0 && !isDrawn(run) && (other == nullptr || run.id > other->id)) other = &run;
  }
  if (other == nullptr) return setLack(text, {});
  setLack(text, {tr("Draw %1").arg(other->name),
                 [this, run = other->id] { share({.drawn = QVector<qint64>{run}, .run = run}); }});
}

void CurvesPanel::layOutCharts() {
  while (QLayoutItem* item = grid_->takeAt(0)) delete item;
  const QVector<CurvePlot*> shown = shownCharts();
  const bool two = shown.size() > 1 && scroll_->viewport()->width() >= kTwoColumnsWidth;
  const int columns = two ? 2 : 1;
  showAll_->setEnabled(charts_.contains(enlarged_));
  for (auto [name, chart] : charts_.asKeyValueRange()) {
    chart->setVisible(shown.contains(chart));
    for (const auto& [tool, on] : {std::pair("pinChart", pinnedCharts_.contains(name)),
                                   std::pair("enlargeChart", name == enlarged_)}) {
      auto* action = chart->findChild<QAction*>(QLatin1String(tool));
      const QSignalBlocker blocker(action);
      action->setChecked(on);
    }
  }
  for (int i = 0; i < shown.size(); ++i) grid_->addWidget(shown[i], i / columns, i % columns);
}

// The part of a file's name that names a chart.
QStringList CurvesPanel::exportedParts() const {
  QStringList parts;
  for (const CurvePlot* chart : shownCharts())
    parts << QString(chart->title()).replace(QLatin1Char('/'), QLatin1Char('-'));
  return parts;
}

// One file per chart: NAME-train-nll.png; a single chart is NAME itself.
void CurvesPanel::exportCharts(const QString& path) {
  const QVector<CurvePlot*> all = shownCharts();
  const QStringList parts = exportedParts();
  for (int i = 0; i < all.size(); ++i)
    all[i]->exportTo(all.size() == 1 ? path : siblingPath(path, parts[i]));
}

QVector<CurvePlot*> CurvesPanel::charts() const {
  QStringList order = charts_.keys();
  sortSeries(order);
  QStringList first;
  for (const QString& name : pinnedCharts_) {
    if (order.removeOne(name)) first << name;
  }
  QVector<CurvePlot*> charts;
  for (const QString& name : first + order) charts << charts_[name];
  return charts;
}

QVector<CurvePlot*> CurvesPanel::shownCharts() const {
  CurvePlot* alone = charts_.value(enlarged_);
  return alone ? QVector<CurvePlot*>{alone} : charts();
}

CurvePlot* CurvesPanel::chart(const QString& series) const {
  return charts_.value(series);
}

}  // namespace strata::ui
