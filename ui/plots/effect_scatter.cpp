#include "ui/plots/effect_scatter.h"

#include <qcustomplot.h>

#include <QHelpEvent>
#include <QTextStream>
#include <algorithm>
#include <cmath>

#include "ui/data/text.h"
#include "ui/plots/picture_export.h"
#include "ui/plots/plot_style.h"
#include "ui/style/plain_text.h"
#include "ui/style/theme.h"

namespace strata::ui {
namespace {
constexpr double kReach = 12;  // pixels around the mouse
}

EffectScatter::EffectScatter(QWidget* parent) : WalkedPlot(parent) {
  plot_->setMinimumSize(220, 150);
  setLogarithmic(plot_->xAxis, false);
  setLogarithmic(plot_->yAxis, false);
}

void EffectScatter::setAxisTitles(const QString& x, const QString& y) {
  setAxisTitle(plot_->xAxis, x);
  setAxisTitle(plot_->yAxis, y);
}

void EffectScatter::setPoints(QVector<ScatterPoint> points) {
  points_ = std::move(points);
  redraw();
}

QString EffectScatter::readout(int point) const {
  const ScatterPoint& shown = points_[point];
  return tr("%1\nweight %2\neffect %3 (%4 to %5)")
      .arg(shown.name, numberText(shown.x), numberText(shown.y), numberText(shown.low),
           numberText(shown.high));
}

bool EffectScatter::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::ToolTip) return WalkedPlot::eventFilter(watched, event);
  auto* help = static_cast<QHelpEvent*>(event);
  int nearest = -1;
  double least = kReach;
  for (int i = 0; i < points_.size(); ++i) {
    const double distance = std::hypot(plot_->xAxis->coordToPixel(points_[i].x) - help->x(),
                                       plot_->yAxis->coordToPixel(points_[i].y) - help->y());
    if (distance > least) continue;
    least = distance;
    nearest = i;
  }
  if (nearest < 0) return FramedPlot::eventFilter(watched, event);
  showTip(help->globalPos(), readout(nearest), plot_);
  return true;
}

QVector<WalkedPlot::Stop> EffectScatter::stops() const {
  QVector<Stop> all;
  for (int i = 0; i < points_.size(); ++i) all << Stop{points_[i].x, points_[i].y, readout(i)};
  return all;
}

void EffectScatter::setRanges() {
  QCPRange x(std::nan(""), std::nan("")), y(0, 0);
  for (const ScatterPoint& point : points_) {
    include(x, point.x);
    for (const double value : {point.y, point.low, point.high}) include(y, value);
  }
  if (std::isnan(x.lower)) x = QCPRange(0, 1);
  plot_->xAxis->setRange(withMargins(x));
  plot_->yAxis->setRange(withMargins(y));
}

void EffectScatter::drawContent() {
  plot_->legend->setIconSize(18, QFontMetrics(plot_->legend->font()).height());
  setRanges();
  QCPGraph* zero = plot_->addGraph();
  zero->removeFromLegend();
  zero->setPen(QPen(theme().muted, 1, Qt::DashLine));
  for (const double x : {plot_->xAxis->range().lower, plot_->xAxis->range().upper})
    zero->addData(x, 0);
  QStringList groups;
  for (const ScatterPoint& point : points_) {
    if (!groups.contains(point.group)) groups << point.group;
  }
  for (int group = 0; group < groups.size(); ++group) {
    const QColor colour = seriesColour(group);
    QCPGraph* graph = plot_->addGraph();
    graph->setName(groups[group]);
    graph->setPen(QPen(colour, 1.6));
    graph->setLineStyle(QCPGraph::lsNone);
    graph->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, colour, colour, 7));
    QVector<ScatterPoint> own;
    for (const ScatterPoint& point : points_) {
      if (point.group == groups[group]) own << point;
    }
    std::ranges::stable_sort(own, {}, &ScatterPoint::x);  // as a graph keeps its points
    QCPErrorBars* bars = addErrorBars(graph, QPen(colour, 1.2), 5);
    for (const ScatterPoint& point : own) {
      graph->addData(point.x, point.y);
      bars->addData(point.y - point.low, point.high - point.y);
      if (!point.stands) continue;
      auto* label = new QCPItemText(plot_);  // owned by plot_
      label->position->setCoords(point.x, point.y);
      label->setText(point.name);
      label->setFont(plot_->font());
      label->setColor(theme().text);
      const bool right = point.x > plot_->xAxis->range().center();
      label->setPositionAlignment(Qt::AlignVCenter | (right ? Qt::AlignRight : Qt::AlignLeft));
      label->setPadding(QMargins(9, 0, 9, 0));
    }
  }
}

void EffectScatter::writeValues(QTextStream& out) const {
  out << csvLine({tr("unit"), tr("group"), axisTitle(plot_->xAxis), axisTitle(plot_->yAxis),
                  tr("low"), tr("high")});
  for (const ScatterPoint& point : points_)
    out << csvLine({point.name, point.group, csvNumber(point.x), csvNumber(point.y),
                    csvNumber(point.low), csvNumber(point.high)});
}

}  // namespace strata::ui
