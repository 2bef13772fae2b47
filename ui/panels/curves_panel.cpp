#include "ui/panels/curves_panel.h"

#include <qcustomplot.h>

#include <QAction>
#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QSlider>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>
#include <functional>
#include <utility>

#include "ui/data/saved_state.h"
#include "ui/panels/series_list.h"
#include "ui/plots/curve_plot.h"
#include "ui/plots/picture_export.h"
#include "ui/style/theme.h"
#include "ui/widgets/building.h"
#include "ui/widgets/export_dialog.h"

namespace strata::ui {
namespace {
constexpr int kTwoColumnsWidth = 620, kChartHeight = 180;
}

CurvesPanel::CurvesPanel(QAction* runDemo, QWidget* parent)
    : Panel({QStringLiteral("curves"), QStringLiteral("watch"), tr("Curves")}, parent),
      list_(new SeriesList(this)) {
  setObjectName(QStringLiteral("curvesPanel"));
  setContent({tr("No curves yet"),
              tr("Losses, scores, learning rates and gradient norms of any runs "
                 "are drawn here while they train. "
                 "Start a run and its curves appear automatically."),
              {runDemo}},
             makeSplitter(Qt::Horizontal, this, {{list_, 190}, {makeCharts(), 800, 1}}));
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
  rightLayout->addWidget(scroll_, 1);
  return right;
}

QWidget* CurvesPanel::makeToolBar() {
  auto* layout = makeBar(this);
  auto* bar = layout->parentWidget();
  xAxis_ = named(new QComboBox(bar), "curveXAxis", tr("Horizontal axis"));
  xAxis_->addItems({tr("Step"), tr("Time since start"), tr("Time of day")});
  connect(xAxis_, &QComboBox::currentIndexChanged, this, [this](int index) {
    for (CurvePlot* chart : charts()) chart->setXAxis(CurvePlot::XAxis(index));
  });
  layout->addWidget(xAxis_);
  const auto toggle = [&](const QString& name, const QString& text, const QString& tip,
                          void (CurvePlot::*set)(bool on)) {
    auto* action = named(new QAction(text, this), name);
    action->setCheckable(true);
    action->setToolTip(tip);
    connect(action, &QAction::toggled, this, [this, set](bool on) {
      for (CurvePlot* chart : charts()) (chart->*set)(on);
    });
    addTool(layout, action);
    return action;
  };
  logX_ = toggle(QStringLiteral("curveLogX"), tr("log x"), tr("Logarithmic horizontal axis"),
                 &CurvePlot::setLogarithmicX);
  logY_ = toggle(QStringLiteral("curveLogY"), tr("log y"),
                 tr("Logarithmic vertical axis; values ≤ 0 are counted, not drawn"),
                 &CurvePlot::setLogarithmicY);
  layout->addSpacing(8);
  layout->addWidget(styled(new QLabel(tr("Smoothing"), bar), "muted"));
  smoothing_ = named(new QSlider(Qt::Horizontal, bar), "curveSmoothing", tr("Smoothing"));
  smoothing_->setRange(0, kSmoothingSteps);
  smoothing_->setMaximumWidth(130);
  smoothing_->setToolTip(tr("Exponential moving average, drawn over the raw curve"));
  connect(smoothing_, &QSlider::valueChanged, this, &CurvesPanel::applySmoothing);
  layout->addWidget(smoothing_);
  layout->addStretch();
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
                  std::bind_front(&CurvesPanel::failed, this)}});
  return bar;
}

void CurvesPanel::setRuns(const QVector<RunRow>& runs) {
  setEmpty(newestFirst(runs).isEmpty());
}

void CurvesPanel::setDrawn(const QVector<DrawnRun>& runs) {
  wanted_ = runs;
  if (!isPinned()) drawWanted();
}

// Also when it is no longer pinned.
void CurvesPanel::follow(const Selection&) {
  drawWanted();
}

void CurvesPanel::drawWanted() {
  if (wanted_ == drawn_) return;
  drawn_ = wanted_;
  QVector<qint64> ids;
  for (const DrawnRun& run : drawn_) ids << run.run;
  list_->setRuns(ids);
}

void CurvesPanel::setSeriesNames(qint64 run, const QStringList& names) {
  list_->setNames(run, names);
}

void CurvesPanel::showSeries(const QStringList& names) {
  list_->tick(names);
}

void CurvesPanel::drawTicked() {
  const QVector<SeriesKey> keys = list_->keys();
  QSet<SeriesKey> wanted(keys.begin(), keys.end());
  // An empty name requests the names; a run's series arrive one after another.
  for (const DrawnRun& run : std::as_const(drawn_)) wanted.insert({run.run, QString()});
  data_.removeIf([&](const auto& entry) { return !wanted.contains(entry.key()); });
  arrived_.intersect(wanted);
  const bool changed = wanted != watched_;
  watched_ = wanted;
  rebuildCharts();
  if (changed) emit watchChanged(QVector<SeriesKey>(watched_.begin(), watched_.end()));
}

CurvePlot* CurvesPanel::makeChart(const QString& name) {
  auto* chart = new CurvePlot(scroll_->widget());
  chart->setObjectName(QStringLiteral("chart:") + name);
  chart->setTitle(name);
  chart->setMinimumHeight(kChartHeight);
  if (xAxis_->currentIndex() != 0) chart->setXAxis(CurvePlot::XAxis(xAxis_->currentIndex()));
  if (logX_->isChecked()) chart->setLogarithmicX(true);
  if (logY_->isChecked()) chart->setLogarithmicY(true);
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

void CurvesPanel::rebuildCharts() {
  const QStringList wanted = list_->ticked();
  for (const QString& name : charts_.keys()) {
    if (!wanted.contains(name)) delete charts_.take(name);
  }
  for (const QString& name : wanted) {
    if (!charts_.contains(name)) charts_.insert(name, makeChart(name));
    refreshCurves(name);
  }
  layOutCharts();
}

void CurvesPanel::refreshCurves(const QString& name) {
  QVector<CurvePlot::Curve> curves;
  for (const DrawnRun& run : std::as_const(drawn_)) {
    const SeriesKey key{run.run, name};
    if (!watched_.contains(key)) continue;
    auto& series = data_[key];
    if (!series) series = newSeries();
    curves.push_back({run.name, seriesColour(run.line), series});
  }
  charts_[name]->setCurves(curves);
}

void CurvesPanel::layOutCharts() {
  while (QLayoutItem* item = grid_->takeAt(0)) delete item;
  QStringList order = charts_.keys();
  sortSeries(order);
  const int columns = order.size() > 1 && scroll_->viewport()->width() >= kTwoColumnsWidth ? 2 : 1;
  for (int i = 0; i < order.size(); ++i) {
    CurvePlot* chart = charts_[order[i]];
    grid_->addWidget(chart, i / columns, i % columns);
    chart->show();
  }
}

void CurvesPanel::addPoints(const QVector<SeriesPoints>& points) {
  QSet<QString> touched;
  for (const SeriesPoints& part : points) {
    if (!watched_.contains(part.key)) continue;  // it has been unticked in the meantime
    auto& series = data_[part.key];
    if (!series) continue;
    const bool fresh = part.replaces && series->size() > 0;
    if (fresh) series = newSeries();
    series->append(part.points);
    if (fresh) refreshCurves(part.key.name);
    arrived_.insert(part.key);
    touched.insert(part.key.name);
  }
  for (const QString& name : touched) charts_[name]->dataChanged();
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
  for (const auto& series : data_) series->setSmoothing(smoothing());
  for (CurvePlot* chart : charts()) chart->dataChanged();
}

Json CurvesPanel::saveState() const {
  Json state = list_->saveState();
  state["x"] = xAxis_->currentIndex();
  state["log_x"] = logX_->isChecked();
  state["log_y"] = logY_->isChecked();
  state["smoothing"] = smoothing_->value();
  return state;
}

void CurvesPanel::restoreState(const Json& state) {
  list_->restoreState(state);
  const SavedState saved(state);
  saved.index("x", xAxis_);
  saved.check("log_x", logX_);
  saved.check("log_y", logY_);
  saved.value("smoothing", smoothing_);
}

// One file per chart: NAME-train-nll.png; a single chart is NAME itself.
void CurvesPanel::exportCharts(const QString& path) {
  for (CurvePlot* chart : charts()) {
    const QString part = QString(chart->title()).replace(QLatin1Char('/'), QLatin1Char('-'));
    chart->exportTo(charts_.size() == 1 ? path : siblingPath(path, part));
  }
}

QVector<CurvePlot*> CurvesPanel::charts() const {
  return {charts_.begin(), charts_.end()};
}

CurvePlot* CurvesPanel::chart(const QString& series) const {
  return charts_.value(series);
}

std::shared_ptr<const Series> CurvesPanel::series(const SeriesKey& key) const {
  return data_.value(key);
}

bool CurvesPanel::isUpToDate() const {
  if (isEmpty()) return true;
  const bool named = std::all_of(drawn_.begin(), drawn_.end(),
                                 [this](const DrawnRun& run) { return list_->isNamed(run.run); });
  const bool arrived = std::all_of(watched_.begin(), watched_.end(), [this](const SeriesKey& key) {
    return key.name.isEmpty() || arrived_.contains(key);
  });
  return named && arrived && std::all_of(charts_.begin(), charts_.end(), [](const CurvePlot* c) {
           return c->isUpToDate();
         });
}

void CurvesPanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange) return;
  for (const QString& name : charts_.keys()) refreshCurves(name);
}

bool CurvesPanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched == scroll_->viewport() && event->type() == QEvent::Resize) layOutCharts();
  return QWidget::eventFilter(watched, event);
}

}  // namespace strata::ui
