#include "ui/plots/network_drawing.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QTextStream>
#include <algorithm>
#include <cmath>

#include "ui/data/text.h"
#include "ui/plots/picture_export.h"
#include "ui/style/plain_text.h"
#include "ui/style/theme.h"

namespace strata::ui {
namespace {
using LinkKind = Network::LinkKind;
constexpr double kMargin = NetworkLayout::kMargin, kLegendSample = 26, kEntryGap = 16;

QPointF at(const NetworkLayout::Point& point) {
  return {point.x, point.y};
}

// "1.2 M", "340 k", "12": as much as fits into a box.
QString shortCount(qint64 count) {
  if (count >= 10'000'000) return QStringLiteral("%1 M").arg(double(count) / 1e6, 0, 'f', 1);
  if (count >= 1'000'000) return QStringLiteral("%1 M").arg(double(count) / 1e6, 0, 'f', 2);
  if (count >= 10'000) return QStringLiteral("%1 k").arg(double(count) / 1e3, 0, 'f', 0);
  return countText(count);
}

QPen penFor(LinkKind kind) {
  switch (kind) {
    case LinkKind::kPlain:
      return QPen(theme().muted, 1.4);
    case LinkKind::kResidual:
      return QPen(seriesColour(0), 1.4);
    case LinkKind::kDense:
      return QPen(seriesColour(1), 1.2);
    case LinkKind::kFastForward:
      return QPen(seriesColour(2), 1.6);
    case LinkKind::kSummary:
      return QPen(seriesColour(3), 1.6, Qt::DashLine);
    case LinkKind::kAttention:
      return QPen(seriesColour(4), 1.4);
    case LinkKind::kHistory:
      return QPen(seriesColour(5), 1.4, Qt::DashLine);
    case LinkKind::kFusion:
      return QPen(seriesColour(6), 1.4);
    case LinkKind::kShared:
      return QPen(theme().muted, 1.2, Qt::DotLine);
  }
  return {};
}

void paintArrowHead(QPainter& painter, const QPointF& tip, const QPointF& direction) {
  const double length = std::hypot(direction.x(), direction.y());
  if (length == 0) return;
  const QPointF along = direction / length, across(-along.y(), along.x());
  QPolygonF head{tip, tip - 6 * along + 3 * across, tip - 6 * along - 3 * across};
  painter.setBrush(painter.pen().color());
  painter.drawPolygon(head);
  painter.setBrush(Qt::NoBrush);
}

}  // namespace

NetworkDrawing::NetworkDrawing(QWidget* parent) : PaintedChart(parent) {
  setAccessibleName(tr("The network"));
}

void NetworkDrawing::setNetwork(Network network) {
  const std::string chosen =
      chosen_ >= 0 ? network_.parts[std::size_t(chosen_)].name : std::string();
  network_ = std::move(network);
  const auto found = std::ranges::find(network_.parts, chosen, &Network::Part::name);
  chosen_ =
      chosen.empty() || found == network_.parts.end() ? -1 : int(found - network_.parts.begin());
  updateGeometry();
  update();
}

void NetworkDrawing::choose(int part) {
  chosen_ = part >= 0 && part < int(network_.parts.size()) ? part : -1;
  setAccessibleDescription(readout(chosen_));
  update();
}

void NetworkDrawing::chooseByUser(int part) {
  choose(part);
  emit partChosen(chosen_);
}

QString NetworkDrawing::meaningOf(LinkKind kind) {
  switch (kind) {
    case LinkKind::kPlain:
      return tr("input");
    case LinkKind::kResidual:
      return tr("residual (added)");
    case LinkKind::kDense:
      return tr("dense (concatenated)");
    case LinkKind::kFastForward:
      return tr("fast-forward");
    case LinkKind::kSummary:
      return tr("summary");
    case LinkKind::kAttention:
      return tr("attention");
    case LinkKind::kHistory:
      return tr("decoding history");
    case LinkKind::kFusion:
      return tr("fusion of levels");
    case LinkKind::kShared:
      return tr("shared parameters");
  }
  return {};
}

QString NetworkDrawing::readout(int part) const {
  if (part < 0 || part >= int(network_.parts.size())) return {};
  const Network::Part& shown = network_.parts[std::size_t(part)];
  QString text = tr("%1: width %2, %3 parameters")
                     .arg(qs(shown.title), countText(shown.width), countText(shown.parameters));
  if (!shown.detail.empty()) text += QStringLiteral(" (%1)").arg(qs(shown.detail));
  return text;
}

QVector<LinkKind> NetworkDrawing::kinds() const {
  QVector<LinkKind> found;
  for (const Network::Link& link : network_.links) {
    if (!found.contains(link.kind)) found << link.kind;
  }
  std::ranges::sort(found);
  return found;
}

QSize NetworkDrawing::sizeHint() const {
  return minimumSizeHint().expandedTo(QSize(420, 360));
}

QSize NetworkDrawing::minimumSizeHint() const {
  const QFontMetrics metrics(font());
  const int width = 300;
  const double rows =
      NetworkLayout::mostRows(network_) * (NetworkLayout::kLowestBox + NetworkLayout::kRowGap);
  return {width, int(rows + metrics.height() + flowLegend(nullptr, 0, width) + 4 * kMargin)};
}

QRectF NetworkDrawing::boxOf(int part) const {
  return boxFor(part, size());
}

NetworkLayout NetworkDrawing::layoutFor(const QSizeF& size) const {
  const double head = QFontMetricsF(font()).height() + kMargin;
  const double bottom = size.height() - flowLegend(nullptr, 0, size.width()) - 2 * kMargin;
  return {network_, {size.width(), head, bottom}};
}

QRectF NetworkDrawing::boxFor(int part, const QSizeF& size) const {
  if (part < 0 || part >= int(network_.parts.size())) return {};
  const NetworkLayout::Box box = layoutFor(size).box(std::size_t(part));
  return {box.x, box.y, box.width, box.height};
}

int NetworkDrawing::partAt(const QPointF& position) const {
  for (int part = 0; part < int(network_.parts.size()); ++part) {
    if (boxOf(part).contains(position)) return part;
  }
  return -1;
}

void NetworkDrawing::paintTo(QPainter& painter, const QSizeF& size) const {
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(QRectF(QPointF(0, 0), size), theme().surface);
  if (network_.parts.empty()) return;
  painter.setFont(font());
  for (const bool faded : {true, false}) {
    for (const Network::Link& link : network_.links) {
      const bool ours = chosen_ < 0 || int(link.from) == chosen_ || int(link.to) == chosen_;
      if (ours == faded) continue;
      painter.setOpacity(faded ? 0.15 : 1);
      paintLink(painter, size, link);
    }
  }
  painter.setOpacity(1);
  for (int part = 0; part < int(network_.parts.size()); ++part)
    paintBox(painter, boxFor(part, size), part);
  for (std::size_t column = 0; column < network_.columns.size(); ++column) {
    const auto first = std::ranges::find(network_.parts, column, &Network::Part::column);
    if (first == network_.parts.end()) continue;
    const QRectF box = boxFor(int(first - network_.parts.begin()), size);
    painter.setPen(theme().muted);
    painter.drawText(QRectF(box.left(), kMargin, box.width(), QFontMetricsF(font()).height()),
                     Qt::AlignCenter, qs(network_.columns[column]));
  }
  flowLegend(&painter, size.height() - flowLegend(nullptr, 0, size.width()) - kMargin,
             size.width());
}

void NetworkDrawing::paintBox(QPainter& painter, const QRectF& box, int index) const {
  const Network::Part& part = network_.parts[std::size_t(index)];
  painter.setPen(
      QPen(index == chosen_ ? theme().accent : theme().border, index == chosen_ ? 2 : 1));
  painter.setBrush(theme().raised);
  painter.drawRoundedRect(box, 4, 4);
  painter.setBrush(Qt::NoBrush);
  const QRectF inner = box.adjusted(7, 0, -7, 0);
  const QFontMetricsF metrics(font());
  QString figures =
      QStringLiteral("%1 · %2").arg(countText(part.width), shortCount(part.parameters));
  const auto roomBeside = [&](const QString& text) {
    return inner.width() - metrics.horizontalAdvance(text) - 8;
  };
  if (roomBeside(figures) < metrics.horizontalAdvance(qs(part.title)))
    figures = shortCount(part.parameters);  // the width is in the read-out
  const double room = roomBeside(figures);
  painter.setPen(theme().text);
  painter.drawText(inner, Qt::AlignLeft | Qt::AlignVCenter,
                   metrics.elidedText(qs(part.title), Qt::ElideRight, std::max(30.0, room)));
  painter.setPen(theme().muted);
  if (room > 20) painter.drawText(inner, Qt::AlignRight | Qt::AlignVCenter, figures);
}

void NetworkDrawing::paintLink(QPainter& painter, const QSizeF& size,
                               const Network::Link& link) const {
  const NetworkLayout::Curve curve = layoutFor(size).curve(link);
  painter.setPen(penFor(link.kind));
  painter.setBrush(Qt::NoBrush);
  QPainterPath path(at(curve.start));
  path.cubicTo(at(curve.first), at(curve.second), at(curve.end));
  painter.drawPath(path);
  paintArrowHead(painter, at(curve.end), at(curve.direction));
}

double NetworkDrawing::flowLegend(QPainter* painter, double top, double width) const {
  const QFontMetricsF metrics(font());
  const double line = metrics.height() + 3;
  double x = kMargin, y = 0;
  for (const LinkKind kind : kinds()) {
    const QString text = meaningOf(kind);
    const double room = kLegendSample + 6 + metrics.horizontalAdvance(text) + kEntryGap;
    if (x > kMargin && x + room > width) {
      x = kMargin;
      y += line;
    }
    if (painter) {
      painter->setPen(penFor(kind));
      painter->drawLine(QPointF(x, top + y + line / 2),
                        QPointF(x + kLegendSample, top + y + line / 2));
      painter->setPen(theme().muted);
      painter->drawText(QRectF(x + kLegendSample + 6, top + y, room, line),
                        Qt::AlignLeft | Qt::AlignVCenter, text);
    }
    x += room;
  }
  return y + line;
}

void NetworkDrawing::mousePressEvent(QMouseEvent* event) {
  PaintedChart::mousePressEvent(event);
  chooseByUser(partAt(event->position()));
}

// Up and down in a column, left and right to the part nearest in height.
void NetworkDrawing::keyPressEvent(QKeyEvent* event) {
  const int key = event->key();
  const bool arrow =
      key == Qt::Key_Up || key == Qt::Key_Down || key == Qt::Key_Left || key == Qt::Key_Right;
  if (!arrow || network_.parts.empty()) return PaintedChart::keyPressEvent(event);
  if (chosen_ < 0) return chooseByUser(0);
  const QRectF now = boxOf(chosen_);
  int best = chosen_;
  double least = 1e9;
  for (int part = 0; part < int(network_.parts.size()); ++part) {
    const QPointF away = boxOf(part).center() - now.center();
    const bool upright = key == Qt::Key_Up || key == Qt::Key_Down;
    const double along = upright ? (key == Qt::Key_Up ? -away.y() : away.y())
                                 : (key == Qt::Key_Right ? away.x() : -away.x());
    const double across = std::abs(upright ? away.x() : away.y());
    if (part == chosen_ || along < 1 || (upright && across > 1)) continue;
    if (along + 2 * across < least) {
      least = along + 2 * across;
      best = part;
    }
  }
  chooseByUser(best);
}

bool NetworkDrawing::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return PaintedChart::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  showTip(help->globalPos(), readout(partAt(help->pos())), this);
  return true;
}

void NetworkDrawing::writeValues(QTextStream& out) const {
  out << csvLine(
      {tr("column"), tr("part"), tr("name"), tr("width"), tr("parameters"), tr("equation")});
  for (const Network::Part& part : network_.parts)
    out << csvLine({qs(network_.columns[part.column]), qs(part.title), qs(part.name),
                    QString::number(part.width), QString::number(part.parameters),
                    qs(part.equation)});
}

}  // namespace strata::ui
