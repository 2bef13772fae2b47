#include "ui/plots/gradient_map.h"

#include <qcustomplot.h>

#include <QKeyEvent>
#include <QScopeGuard>
#include <QTextStream>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "ui/data/text.h"
#include "ui/plots/picture_export.h"
#include "ui/plots/plot_style.h"
#include "ui/style/plain_text.h"
#include "ui/style/theme.h"

namespace strata::ui {
namespace {

constexpr int kMaximumBins = 300, kMapMargin = 10;  // margin in pixels
// Of pictures, in pixels: the width of a map, what is beside and above the maps, a row.
constexpr int kMapPicture = 260, kBesideMaps = 230, kAboveMaps = 110, kLayerHeight = 22;

// Ticks of a logarithmic colour scale: 1, 2 and 5 in each decade; only 1 for many decades.
QSharedPointer<QCPAxisTicker> logTicks(const QCPRange& range) {
  auto ticker = QSharedPointer<QCPAxisTickerText>::create();
  const bool many = range.upper > 1000 * range.lower;
  for (double decade = std::pow(10, std::floor(std::log10(range.lower))); decade <= range.upper;
       decade *= 10) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (!many || factor == 1.0)
        ticker->addTick(factor * decade, QString::number(factor * decade, 'g', 3));
    }
  }
  return ticker;
}

}  // namespace

GradientMapView::GradientMapView(QWidget* parent)
    : Chart(parent), plot_(new QCustomPlot(this)), ring_(plot_) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(plot_);
  plot_->setMinimumSize(320, 200);
  plot_->setFocusPolicy(Qt::NoFocus);
  setFocusPolicy(Qt::StrongFocus);
  plot_->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
  connect(plot_, &QCustomPlot::mouseDoubleClick, this, [this] { showRange(whole_); });
  connect(plot_, &QCustomPlot::mousePress, this, [this](QMouseEvent* event) {
    setFocus(Qt::MouseFocusReason);
    pressed_ = event->pos();
  });
  connect(plot_, &QCustomPlot::mouseRelease, this, [this](QMouseEvent* event) {
    if ((event->pos() - pressed_).manhattanLength() <= kClickMove) chooseAt(event->pos());
  });
  rebuild();
}

QStringList GradientMapView::titles() const {
  QStringList titles;
  for (const Map& map : maps_) titles << map.title;
  return titles;
}

void GradientMapView::setMaps(QVector<Map> maps) {
  const bool everything = range_ == whole_;
  maps_ = std::move(maps);
  QVector<SeriesPoints> all;
  for (const Map& map : maps_) all << map.series;
  whole_ = stepRangeOf(all);
  layers_ = gradientLayers(all);
  cursor_ = {};
  showRange(everything ? whole_ : range_);
}

void GradientMapView::setLogarithmic(bool on) {
  logarithmic_ = on;
  rebuild();
}

void GradientMapView::showRange(const StepRange& range) {
  range_ = {std::max(std::round(range.first), whole_.first),
            std::min(std::round(range.last), whole_.last)};
  if (range_.last < range_.first) range_ = whole_;
  rebuild();
}

QSize GradientMapView::pictureSize() const {
  return QSize(kMapPicture * std::max(1, int(maps_.size())) + kBesideMaps,
               kAboveMaps + std::max(8, int(layers_.size())) * kLayerHeight);
}

QString GradientMapView::readout(const Cell& cell) const {
  const GradientFlow& flow = flows_[cell.map];
  const double width = flow.range.width() / flow.bins;
  const auto first = qint64(std::ceil(flow.range.first + cell.bin * width)),
             last = qint64(std::ceil(flow.range.first + (cell.bin + 1) * width)) - 1;
  const QString steps = last > first ? tr("steps %1 to %2").arg(countText(first), countText(last))
                                     : tr("step %1").arg(countText(first));
  bool broken = false;
  for (const auto& [layer, step] : flow.nonFinite)
    broken = broken || (layer == cell.layer && step >= double(first) && step <= double(last));
  const double norm = flow.at(cell.layer, cell.bin);
  const QString value = broken             ? tr("not finite")
                        : std::isnan(norm) ? tr("no value")
                                           : numberText(norm);
  return tr("%1 · %2 · %3: %4")
      .arg(maps_[cell.map].title, layerTitle(flow.layers[cell.layer]), steps, value);
}

void GradientMapView::showCursor() {
  const Cell cell = cursor_;
  if (picture_ || !hasFocus() || cell.map < 0 || cell.map >= flows_.size() ||
      cell.layer >= layers_.size())
    return ring_.hide();
  const GradientFlow& flow = flows_[cell.map];
  ring_.show(rects_[cell.map], flow.range.first + (cell.bin + 0.5) * flow.range.width() / flow.bins,
             cell.layer);
}

void GradientMapView::keyPressEvent(QKeyEvent* event) {
  const int key = event->key();
  const QPoint step = key == Qt::Key_Left    ? QPoint(-1, 0)
                      : key == Qt::Key_Right ? QPoint(1, 0)
                      : key == Qt::Key_Up    ? QPoint(0, 1)  // to higher layers
                      : key == Qt::Key_Down  ? QPoint(0, -1)
                                             : QPoint();
  const bool ends = key == Qt::Key_Home || key == Qt::Key_End;
  const bool enter = key == Qt::Key_Return || key == Qt::Key_Enter;
  if ((step.isNull() && !ends && !enter) || layers_.isEmpty()) return Chart::keyPressEvent(event);
  Cell cell = cursor_;
  if (cell.map < 0) {
    cell = {0, 0, 0};
  } else {
    const int bins = flows_[cell.map].bins;
    cell.bin = ends ? (key == Qt::Key_Home ? 0 : bins - 1) : cell.bin + step.x();
    if (cell.bin < 0 && cell.map > 0) cell.bin = flows_[--cell.map].bins - 1;
    if (cell.bin >= bins && cell.map + 1 < flows_.size()) {
      ++cell.map;
      cell.bin = 0;
    }
    cell.bin = std::clamp(cell.bin, 0, flows_[cell.map].bins - 1);
    cell.layer = std::clamp(cell.layer + step.y(), 0, int(layers_.size()) - 1);
  }
  cursor_ = cell;
  showCursor();
  say(readout(cell));
  const QPointF at(rects_[cell.map]->axis(QCPAxis::atBottom)->coordToPixel(range_.first),
                   rects_[cell.map]->axis(QCPAxis::atLeft)->coordToPixel(cell.layer));
  showTip(plot_->mapToGlobal(at.toPoint()), readout(cell), plot_);
  if (enter) emit stepChosen(cell.map, stepOf(cell));
}

qint64 GradientMapView::stepOf(const Cell& cell) const {
  const GradientFlow& flow = flows_[cell.map];
  return qint64(std::ceil(flow.range.first + cell.bin * flow.range.width() / flow.bins));
}

void GradientMapView::chooseAt(const QPoint& position) {
  for (int map = 0; map < rects_.size(); ++map) {
    if (!rects_[map]->rect().contains(position) || flows_[map].bins == 0) continue;
    const double x = rects_[map]->axis(QCPAxis::atBottom)->pixelToCoord(position.x());
    emit stepChosen(map, std::clamp(qint64(x), qint64(range_.first), qint64(range_.last)));
  }
}

void GradientMapView::focusInEvent(QFocusEvent* event) {
  Chart::focusInEvent(event);
  showCursor();
}

void GradientMapView::focusOutEvent(QFocusEvent* event) {
  Chart::focusOutEvent(event);
  showCursor();
}

void GradientMapView::styleRect(QCPAxisRect* rect, const GradientFlow& flow, bool named) {
  const Theme& t = theme();
  rect->setupFullAxesBox(true);
  rect->setRangeZoom(Qt::Horizontal);
  rect->setRangeDrag(Qt::Horizontal);
  rect->setBackground(QBrush(t.raised));
  rect->setAutoMargins(QCP::msTop | QCP::msBottom);
  rect->setMargins(QMargins(kMapMargin, 0, kMapMargin, 0));
  styleAxes(rect, plot_->font());
  QCPAxis *x = rect->axis(QCPAxis::atBottom), *y = rect->axis(QCPAxis::atLeft);
  x->setLabel(tr("step"));
  ui::setLogarithmic(x, false);
  x->setRange(range_.first, range_.last + 1);  // each step is one wide
  const auto ticker = QSharedPointer<QCPAxisTickerText>::create();
  for (int layer = 0; layer < flow.layers.size(); ++layer)
    ticker->addTick(layer, named ? layerTitle(flow.layers[layer]) : QString());
  y->setTicker(ticker);
  y->setRange(-0.5, std::max(0.5, double(flow.layers.size()) - 0.5));
  for (QCPAxis* axis : {x, y}) axis->grid()->setVisible(false);
  for (const auto side : {QCPAxis::atTop, QCPAxis::atRight}) rect->axis(side)->setTicks(false);
  connect(x, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this,
          [this](const QCPRange& moved) {
            if (rebuilding_) return;
            // Deferred until the plot has handled the mouse event: rebuilding deletes its axes.
            const StepRange wanted{moved.lower, moved.upper - 1};
            QTimer::singleShot(0, this, [this, wanted] { showRange(wanted); });
          });
}

// The layer names have their own column, so that all maps are equally wide.
void GradientMapView::addNames(const QCPAxisRect* rect, const GradientFlow& flow) {
  const QFontMetrics metrics(rect->axis(QCPAxis::atLeft)->tickLabelFont());
  int widest = 0;
  for (const QString& layer : flow.layers)
    widest = std::max(widest, metrics.horizontalAdvance(layerTitle(layer)));
  auto* names = new QCPLayoutElement(plot_);  // owned by the layout
  names->setMinimumSize(widest + 4, 1);
  names->setMaximumSize(widest + 4, QWIDGETSIZE_MAX);
  grid_->addElement(1, grid_->columnCount(), names);
}

void GradientMapView::addMap(int index, const GradientFlow& flow, bool named) {
  auto* rect = new QCPAxisRect(plot_, false);
  rects_ << rect;
  styleRect(rect, flow, named);
  if (named) addNames(rect, flow);
  const int column = grid_->columnCount();
  auto* title = new QCPTextElement(plot_, maps_[index].title,
                                   QFont(plot_->font().family(), 10, QFont::DemiBold));
  title->setTextColor(theme().text);
  grid_->addElement(0, column, title);
  grid_->addElement(1, column, rect);
  if (flow.layers.isEmpty()) return;
  auto* map = new QCPColorMap(rect->axis(QCPAxis::atBottom), rect->axis(QCPAxis::atLeft));
  map->setInterpolate(false);
  map->data()->setSize(flow.bins, int(flow.layers.size()));
  map->data()->setRange(
      cellCentres(range_.first, range_.last + 1, flow.bins),
      cellCentres(-0.5, double(flow.layers.size()) - 0.5, int(flow.layers.size())));
  for (int layer = 0; layer < flow.layers.size(); ++layer) {
    for (int bin = 0; bin < flow.bins; ++bin) map->data()->setCell(bin, layer, flow.at(layer, bin));
  }
  QCPGraph* marks = plot_->addGraph(rect->axis(QCPAxis::atBottom), rect->axis(QCPAxis::atLeft));
  marks->setLineStyle(QCPGraph::lsNone);
  marks->setScatterStyle(
      QCPScatterStyle(QCPScatterStyle::ssCross, QPen(theme().bad, 2), Qt::NoBrush, 8));
  std::set<double> steps;
  for (const auto& [layer, step] : flow.nonFinite) {
    marks->addData(step + 0.5, layer);
    steps.insert(step + 0.5);
  }
  for (const double step : steps) addBreak(rect, step);
}

// A line through all layers at a step whose norms are not all finite.
void GradientMapView::addBreak(QCPAxisRect* rect, double step) {
  auto* line = new QCPItemStraightLine(plot_);  // owned by plot_
  line->setPen(QPen(theme().bad, 1, Qt::DashLine));
  line->setClipAxisRect(rect);
  for (QCPItemPosition* end : {line->point1, line->point2}) {
    end->setAxisRect(rect);
    end->setAxes(rect->axis(QCPAxis::atBottom), rect->axis(QCPAxis::atLeft));
  }
  line->point1->setCoords(step, 0);
  line->point2->setCoords(step, 1);
}

void GradientMapView::addScale(const QCPRange& norms) {
  auto* scale = new QCPColorScale(plot_);
  auto* group = new QCPMarginGroup(plot_);  // bar and maps have the same height
  for (QCPAxisRect* rect : plot_->axisRects())
    rect->setMarginGroup(QCP::msBottom | QCP::msTop, group);
  grid_->addElement(1, grid_->columnCount(), scale);
  scale->setMarginGroup(QCP::msBottom | QCP::msTop, group);
  scale->setType(QCPAxis::atRight);
  scale->setBarWidth(14);
  styleScale(scale, plot_->font());
  scale->axis()->setLabel(tr("norm of the gradient"));
  scale->setDataScaleType(logarithmic_ ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  ui::setLogarithmic(scale->axis(), logarithmic_);
  scale->setGradient(mapGradient());
  for (int i = 0; i < plot_->plottableCount(); ++i) {
    if (auto* map = qobject_cast<QCPColorMap*>(plot_->plottable(i))) map->setColorScale(scale);
  }
  const QCPRange shown(logarithmic_ ? norms.lower : 0, std::max(norms.upper, norms.lower * 1.001));
  scale->setDataRange(shown);
  if (logarithmic_) scale->axis()->setTicker(logTicks(shown));
}

void GradientMapView::rebuild() {
  rebuilding_ = true;
  plot_->clearPlottables();
  plot_->clearItems();
  plot_->plotLayout()->clear();
  grid_ = new QCPLayoutGrid;  // one layout element, so that a title spans all of it
  plot_->plotLayout()->addElement(0, 0, grid_);
  plot_->setBackground(QBrush(theme().surface));
  rects_.clear();
  QVector<GradientFlow> flows;
  QCPRange norms(std::nan(""), std::nan(""));
  for (const Map& map : maps_) {
    flows << gradientFlow(map.series, range_, kMaximumBins, layers_);
    for (const double norm : flows.last().norms) {
      if (norm > 0) norms.expand(norm);
    }
  }
  for (int index = 0; index < flows.size(); ++index) {
    addMap(index, flows[index], index == 0);  // all have the same layers
  }
  if (norms.upper > 0) addScale(norms);
  rebuilding_ = false;
  flows_ = std::move(flows);
  showCursor();
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

void GradientMapView::writePicture(const QString& path) {
  const auto restore = qScopeGuard([this] { rebuild(); });
  const LightTheme light;  // ends before the maps are restored
  picture_ = true;
  rebuild();
  picture_ = false;
  exportPlot(plot_, path, {tr("Gradient norm by layer"), pictureSize()});
}

void GradientMapView::writeValues(QTextStream& out) const {
  out << "run,layer,step,norm\n";
  for (const Map& map : maps_) {
    for (const SeriesPoints& part : map.series) {
      const QString layer = part.key.name.mid(kGradientPrefix.size());
      for (const ScalarPoint& point : part.points)
        out << csvLine(
            {map.title, layer, QString::number(point.step), numberText(point.value, 17)});
    }
  }
}

}  // namespace strata::ui
