#include "ui/plots/arc_view.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QTextStream>
#include <algorithm>
#include <utility>

#include "ui/plots/picture_export.h"
#include "ui/style/theme.h"

namespace strata::ui {
namespace {
constexpr double kArcPadding = 10, kWordGap = 14, kMaximumSpread = 90, kMinimumArcHeight = 54,
                 kLargestArcs = 150, kSample = 30;

double thickness(double weight) {
  return 0.7 + 4.3 * std::clamp(weight, 0.0, 1.0);
}

QPen penOf(const QColor& colour, double weight, bool dashed) {
  QPen pen(colour, thickness(weight));
  pen.setCapStyle(Qt::FlatCap);
  if (dashed) {
    const double unit = pen.widthF();  // Qt counts dashes in pen widths
    pen.setDashPattern({5 / unit, 3 / unit});
  }
  return pen;
}

// Whether something between two places is in the part that is painted.
bool isPainted(const QPainter& painter, double left, double right) {
  if (!painter.hasClipping()) return true;
  const QRectF visible = painter.clipBoundingRect();
  return left <= visible.right() && right >= visible.left();
}
}  // namespace

void ArcView::setSentence(QStringList words, QVector<ArcRow> rows) {
  words_ = std::move(words);
  rows_ = std::move(rows);
  widths_.forget();
  longestArc_ = 1;
  for (const ArcRow& row : std::as_const(rows_)) {
    for (const Arc& arc : row.arcs) longestArc_ = std::max(longestArc_, arc.length());
  }
  linked_ = -1;
  updateGeometry();
  update();
}

void ArcView::setLongest(int words) {
  longest_ = words;
  update();
}

void ArcView::setLinked(int word) {
  if (word == linked_) return;
  linked_ = word;
  update();
}

QColor ArcView::colourOf(const Arc& arc) const {
  return arc.length() > longest_ ? theme().bad : theme().accent;
}

double ArcView::wordsWidth() const {
  double width = 0;
  for (const double word : widths()) width += word + kWordGap;
  return width;
}

ArcView::Layout ArcView::layoutFor(const QSizeF& size) const {
  Layout layout;
  const QFontMetricsF metrics(font());
  const double words = std::max(1.0, double(words_.size()));
  // Spare room spreads the words, so that arcs between neighbours stay readable.
  const double spare =
      std::clamp((size.width() - 2 * kArcPadding - wordsWidth()) / words, 0.0, kMaximumSpread);
  double x = kArcPadding;
  for (const double word : widths()) {
    const double width = word + kWordGap + spare;
    layout.centres.push_back(x + width / 2);
    x += width;
  }
  const bool titled =
      std::ranges::any_of(rows_, [](const ArcRow& row) { return !row.title.isEmpty(); });
  layout.titleHeight = titled ? metrics.height() + 2 : 0;
  layout.wordHeight = metrics.height() + 8;
  const double rows = std::max(1.0, double(rows_.size()));
  const double room = (size.height() - 2 * kArcPadding - legendHeight(size.width())) / rows;
  layout.arcHeight =
      std::clamp(room - layout.titleHeight - layout.wordHeight, kMinimumArcHeight, kLargestArcs);
  layout.rowHeight = layout.titleHeight + layout.arcHeight + layout.wordHeight;
  return layout;
}

double ArcView::baseOf(const Layout& layout, int row) const {
  return kArcPadding + row * layout.rowHeight + layout.titleHeight + layout.arcHeight;
}

QRectF ArcView::wordRect(int row, int word) const {
  if (row < 0 || row >= rows_.size() || word < 0 || word >= words_.size()) return {};
  return rectIn(layoutFor(size()), row, word);
}

QRectF ArcView::rectIn(const Layout& layout, int row, int word) const {
  const double width = widths()[std::size_t(word)] + 6;
  return {layout.centres[std::size_t(word)] - width / 2, baseOf(layout, row) + 3, width,
          layout.wordHeight - 4};
}

void ArcView::paintTo(QPainter& painter, const QSizeF& size) const {
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(QRectF(QPointF(0, 0), size), theme().surface);
  if (words_.isEmpty() || rows_.isEmpty()) return;
  painter.setFont(font());
  const Layout layout = layoutFor(size);
  for (int row = 0; row < rows_.size(); ++row) paintRow(painter, layout, row);
  const double bottom = kArcPadding + double(rows_.size()) * layout.rowHeight + 4;
  flowLegend(&painter, bottom, size.width());
}

void ArcView::paintRow(QPainter& painter, const Layout& layout, int index) const {
  const ArcRow& row = rows_[index];
  const double base = baseOf(layout, index);
  if (!row.title.isEmpty()) {
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    painter.setFont(bold);
    painter.setPen(theme().text);
    painter.drawText(QPointF(kArcPadding, base - layout.arcHeight - 4), row.title);
    painter.setFont(font());
  }
  std::vector<Arc> order = row.arcs;  // dashed arcs first, below the solid ones
  std::ranges::stable_partition(order, &Arc::second);
  for (const Arc& arc : order) paintArc(painter, layout, index, arc);
  paintWords(painter, layout, index);
}

void ArcView::paintWords(QPainter& painter, const Layout& layout, int row) const {
  const QFontMetricsF metrics(font());
  const double base = baseOf(layout, row);
  for (int word = 0; word < words_.size(); ++word) {
    const double width = widths()[std::size_t(word)] + 8,
                 middle = layout.centres[std::size_t(word)];
    if (!isPainted(painter, middle - width / 2, middle + width / 2)) continue;
    painter.setPen(word == linked_ ? theme().accent : theme().text);
    painter.drawText(QRectF(middle - width / 2, base + 4, width, metrics.height() + 2),
                     Qt::AlignCenter, words_[word]);
  }
}

void ArcView::paintArc(QPainter& painter, const Layout& layout, int row, const Arc& arc) const {
  if (arc.from >= words_.size()) return;
  const double base = baseOf(layout, row);
  // Arcs leave a word left of its middle and arrive right of it.
  const double from = layout.centres[std::size_t(arc.from)] - 4,
               to = layout.centres[std::size_t(arc.to)] + 4;
  if (!isPainted(painter, std::min(from, to) - 8, std::max(from, to) + 8)) return;
  const double height = layout.arcHeight * (0.2 + 0.8 * arc.length() / longestArc_);
  const bool faded = linked_ >= 0 && arc.from != linked_ && arc.to != linked_;
  const QColor colour = faded ? theme().border : colourOf(arc);
  QPainterPath path(QPointF(from, base));
  const double control = base - (height - 3) * 4 / 3;  // a cubic reaches 3/4 of its controls
  path.cubicTo(QPointF(from, control), QPointF(to, control), QPointF(to, base - 4));
  painter.setPen(penOf(colour, double(arc.weight), arc.second));
  painter.setBrush(Qt::NoBrush);
  painter.drawPath(path);
  const double half = 2.6 + thickness(double(arc.weight)) / 3;
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour);
  painter.drawPolygon(
      QPolygonF{QPointF(to - half, base - 5), QPointF(to + half, base - 5), QPointF(to, base + 1)});
}

double ArcView::flowLegend(QPainter* painter, double top, double width) const {
  struct Entry {
    QString text;
    QPen pen;
  };
  const Theme& t = theme();
  const QVector<Entry> entries{
      {tr("most attended earlier word"), penOf(t.accent, 0.4, false)},
      {tr("second"), penOf(t.accent, 0.4, true)},
      {tr("more than %1 words back").arg(longest_), penOf(t.bad, 0.4, false)},
      {tr("weight 0.1"), penOf(t.muted, 0.1, false)},
      {tr("0.5"), penOf(t.muted, 0.5, false)},
      {tr("1"), penOf(t.muted, 1, false)}};
  // It stays visible when the words extend beyond the visible part.
  if (parentWidget() && parentWidget()->width() > 200)
    width = std::min(width, double(parentWidget()->width()));
  const QFontMetricsF metrics(font());
  const double line = metrics.height() + 4;
  double x = kArcPadding, y = top;
  for (const Entry& entry : entries) {
    const double needed = kSample + 6 + metrics.horizontalAdvance(entry.text) + 16;
    if (x > kArcPadding && x + needed > width - kArcPadding + 16) {
      x = kArcPadding;
      y += line;
    }
    if (painter) {
      painter->setPen(entry.pen);
      painter->drawLine(QPointF(x, y + line / 2), QPointF(x + kSample, y + line / 2));
      painter->setPen(t.muted);
      painter->drawText(QRectF(x + kSample + 6, y, needed, line), Qt::AlignLeft | Qt::AlignVCenter,
                        entry.text);
    }
    x += needed;
  }
  return y + line - top;
}

double ArcView::legendHeight(double width) const {
  return flowLegend(nullptr, 0, width) + 4;
}

int ArcView::wordAt(const QPointF& position) const {
  const Layout layout = layoutFor(size());
  const auto next = std::ranges::lower_bound(layout.centres, position.x());
  const int after = int(next - layout.centres.begin()), last = int(words_.size()) - 1;
  for (int row = 0; row < rows_.size(); ++row) {
    for (int word = std::max(0, after - 1); word <= std::min(after, last); ++word) {
      if (rectIn(layout, row, word).adjusted(-4, -6, 4, 4).contains(position)) return word;
    }
  }
  return -1;
}

QString ArcView::readout(int word) const {
  if (word < 0 || word >= words_.size()) return {};
  QStringList parts{words_[word]};
  for (const ArcRow& row : rows_) {
    for (const Arc& arc : row.arcs) {
      if (arc.from != word || arc.to >= words_.size()) continue;
      const QString text = tr("%1 %2").arg(words_[arc.to]).arg(double(arc.weight), 0, 'f', 2);
      parts << (row.title.isEmpty() ? text : tr("%1: %2").arg(row.title, text));
    }
  }
  return parts.join(QStringLiteral(" · "));
}

void ArcView::hover(int word) {
  if (word == linked_) return;
  setLinked(word);
  say(readout(word));
  emit hovered(word);
}

void ArcView::mouseMoveEvent(QMouseEvent* event) {
  hover(wordAt(event->position()));
}

void ArcView::leaveEvent(QEvent*) {
  hover(-1);
}

void ArcView::keyPressEvent(QKeyEvent* event) {
  const int step = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
  const int last = int(words_.size()) - 1;
  if (event->key() == Qt::Key_Home && last >= 0) return hover(0);
  if (event->key() == Qt::Key_End && last >= 0) return hover(last);
  if (step == 0 || words_.isEmpty()) return QWidget::keyPressEvent(event);
  hover(linked_ < 0 ? (step > 0 ? 0 : last) : std::clamp(linked_ + step, 0, last));
}

QSize ArcView::sizeHint() const {
  const QSize least = minimumSizeHint();
  return {least.width(), least.height() + int(rows_.size() * (kLargestArcs - kMinimumArcHeight))};
}

QSize ArcView::minimumSizeHint() const {
  if (words_.isEmpty()) return {240, 100};
  const double width = std::max(300.0, wordsWidth() + 2 * kArcPadding);
  const Layout layout = layoutFor(QSizeF(width, 0));
  return QSizeF(width,
                2 * kArcPadding + double(rows_.size()) * layout.rowHeight + legendHeight(width) + 4)
      .toSize();
}

void ArcView::writeValues(QTextStream& out) const {
  out << "layer,from_position,from,to_position,to,rank,words_back,weight\n";
  for (const ArcRow& row : rows_) {
    for (const Arc& arc : row.arcs) {
      out << csvLine({row.title, QString::number(arc.from), words_[arc.from],
                      QString::number(arc.to), words_[arc.to], QString::number(arc.second ? 2 : 1),
                      QString::number(arc.length()), QString::number(double(arc.weight), 'g', 9)});
    }
  }
}

}  // namespace strata::ui
