#include "ui/plots/gradient_map.h"

#include <qcustomplot.h>

#include <QTextStream>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/data/text.h"
#include "ui/plots/picture_export.h"
#include "ui/plots/plot_style.h"
#include "ui/style/colour_map.h"
#include "ui/style/theme.h"

namespace strata::ui {
namespace {

constexpr int kMaximumBins = 300, kColourStops = 33, kMapMargin = 10;  // margin in pixels

QCPColorGradient colours() {
  QMap<double, QColor> stops;
  for (int i = 0; i < kColourStops; ++i) {
    const double at = i / double(kColourStops - 1);
    stops.insert(at, mapColour(at));
  }
  QCPColorGradient gradient;
  gradient.setColorStops(stops);
  gradient.setNanHandling(QCPColorGradient::nhTransparent);
  return gradient;
}

// The label of "decoder.layers.3": "decoder 4".
QString layerName(const QString& layer) {
  const QString side = layer.section(QLatin1Char('.'), 0, 0),
                rest = layer.section(QLatin1Char('.'), 1);
  if (rest.startsWith(QLatin1String("layers.")))
    return QStringLiteral("%1 %2").arg(side).arg(rest.section(QLatin1Char('.'), 1, 1).toInt() + 1);
  if (rest.startsWith(QLatin1String("embed"))) return GradientMapView::tr("%1 embedding").arg(side);
  return QStringLiteral("%1 %2").arg(side,
                                     QString(rest).replace(QLatin1Char('_'), QLatin1Char(' ')));
}

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

GradientMapView::GradientMapView(QWidget* parent) : Chart(parent), plot_(new QCustomPlot(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(plot_);
  plot_->setMinimumSize(320, 200);
  plot_->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
  connect(plot_, &QCustomPlot::mouseDoubleClick, this, [this] { showRange(whole_); });
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
  StepRange all{INFINITY, -INFINITY};
  for (const Map& map : maps_) {
    const StepRange range = stepRangeOf(map.series);
    if (range == StepRange{}) continue;
    all.first = std::min(all.first, range.first);
    all.last = std::max(all.last, range.last);
  }
  whole_ = all.first <= all.last ? all : StepRange{};
  showRange(everything ? whole_ : range_);
}

void GradientMapView::setLogarithmic(bool on) {
  logarithmic_ = on;
  rebuild();
}

void GradientMapView::showRange(const StepRange& range) {
  range_ = {std::max(range.first, whole_.first), std::min(range.last, whole_.last)};
  if (range_.last <= range_.first) range_ = whole_;
  rebuild();
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
  x->setRange(range_.first, std::max(range_.last, range_.first + 1));
  const auto ticker = QSharedPointer<QCPAxisTickerText>::create();
  for (int layer = 0; layer < flow.layers.size(); ++layer)
    ticker->addTick(layer, named ? layerName(flow.layers[layer]) : QString());
  y->setTicker(ticker);
  y->setRange(-0.5, std::max(0.5, double(flow.layers.size()) - 0.5));
  for (QCPAxis* axis : {x, y}) axis->grid()->setVisible(false);
  for (const auto side : {QCPAxis::atTop, QCPAxis::atRight}) rect->axis(side)->setTicks(false);
  connect(x, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this,
          [this](const QCPRange& moved) {
            if (rebuilding_) return;
            // Deferred until the plot has handled the mouse event: rebuilding deletes its axes.
            const StepRange wanted{moved.lower, moved.upper};
            QTimer::singleShot(0, this, [this, wanted] { showRange(wanted); });
          });
}

// The layer names have their own column, so that all maps are equally wide.
void GradientMapView::addNames(const QCPAxisRect* rect, const GradientFlow& flow) {
  const QFontMetrics metrics(rect->axis(QCPAxis::atLeft)->tickLabelFont());
  int widest = 0;
  for (const QString& layer : flow.layers)
    widest = std::max(widest, metrics.horizontalAdvance(layerName(layer)));
  auto* names = new QCPLayoutElement(plot_);  // owned by the layout
  names->setMinimumSize(widest + 4, 1);
  names->setMaximumSize(widest + 4, QWIDGETSIZE_MAX);
  grid_->addElement(1, grid_->columnCount(), names);
}

void GradientMapView::addMap(int index, const GradientFlow& flow, bool named) {
  auto* rect = new QCPAxisRect(plot_, false);
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
  const double half = (range_.last - range_.first) / flow.bins / 2;  // keys are cell centres
  map->data()->setRange({range_.first + half, range_.last - half},
                        {0, std::max(1.0, double(flow.layers.size() - 1))});
  for (int layer = 0; layer < flow.layers.size(); ++layer) {
    for (int bin = 0; bin < flow.bins; ++bin) map->data()->setCell(bin, layer, flow.at(layer, bin));
  }
  QCPGraph* marks = plot_->addGraph(rect->axis(QCPAxis::atBottom), rect->axis(QCPAxis::atLeft));
  marks->setLineStyle(QCPGraph::lsNone);
  marks->setScatterStyle(
      QCPScatterStyle(QCPScatterStyle::ssCross, QPen(theme().bad, 2), Qt::NoBrush, 8));
  for (const auto& [layer, step] : flow.nonFinite) marks->addData(step, layer);
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
  scale->setGradient(colours());
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
  plot_->plotLayout()->clear();
  grid_ = new QCPLayoutGrid;  // one layout element, so that a title spans all of it
  plot_->plotLayout()->addElement(0, 0, grid_);
  plot_->setBackground(QBrush(theme().surface));
  QVector<GradientFlow> flows;
  QCPRange norms(std::nan(""), std::nan(""));
  for (const Map& map : maps_) {
    flows << gradientFlow(map.series, range_, kMaximumBins);
    for (const double norm : flows.last().norms) {
      if (norm > 0) norms.expand(norm);
    }
  }
  for (int index = 0; index < flows.size(); ++index) {
    addMap(index, flows[index], index == 0 || flows[index].layers != flows[0].layers);
  }
  if (norms.upper > 0) addScale(norms);
  rebuilding_ = false;
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

void GradientMapView::writePicture(const QString& path) {
  exportPlot(plot_, path, tr("Gradient norm by layer"));
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
