#include "ui/plots/word_lines.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <functional>

#include "ui/plots/text_widths.h"
#include "ui/style/colour_map.h"
#include "ui/style/theme.h"

namespace strata::ui {
namespace {

constexpr double kLinesMargin = 12, kNumber = 34, kGap = 26, kLeastSpan = 90, kMostSpan = 320;
constexpr int kMostNamed = 5;  // words of a readout

QColor lineColour(const WeightMap& map, double weight) {
  QColor colour = theme().accent;
  if (map.difference) colour = differenceColour(weight > 0 ? 0.8 : -0.8);
  colour.setAlphaF(float(std::clamp(0.12 + 0.88 * std::abs(weight), 0.0, 1.0)));
  return colour;
}

double thicknessOf(double weight) {
  return 0.6 + 5.4 * std::clamp(std::abs(weight), 0.0, 1.0);
}

QString weightText(double weight, bool difference) {
  return (difference && weight > 0 ? QStringLiteral("+") : QString()) +
         QString::number(weight, 'f', 2);
}

}  // namespace

void WordLinesView::setMaps(QVector<WeightMap> maps) {
  maps_ = std::move(maps);
  measures_.reset();
  hovered_ = {};
  updateGeometry();
  update();
}

// Measured once, since shaping text is slow.
const WordLinesView::Measures& WordLinesView::measures() const {
  if (measures_ && measures_->font == font()) return *measures_;
  Measures& made = measures_.emplace();
  made.font = font();
  made.line = QFontMetricsF(font()).height() + 5;
  for (const WeightMap& map : maps_) {
    made.columns.push_back(widestOf(map.columns, font()));
    made.rows.push_back(widestOf(map.rows, font()));
  }
  return made;
}

double WordLinesView::top() const {
  const bool titled =
      std::ranges::any_of(maps_, [](const WeightMap& map) { return !map.title.isEmpty(); });
  return kLinesMargin + (titled ? lineHeight() + 4 : 0);
}

int WordLinesView::longest() const {
  qsizetype words = 0;
  for (const WeightMap& map : maps_) words = std::max({words, map.rows.size(), map.columns.size()});
  return int(words);
}

QVector<WordLinesView::Place> WordLinesView::placesFor(double width) const {
  const Measures& wide = measures();
  double words = 2 * kLinesMargin + kGap * std::max(0.0, double(maps_.size()) - 1);
  for (std::size_t map = 0; map < wide.columns.size(); ++map)
    words += wide.columns[map] + wide.rows[map] + 2 * kNumber + 12;
  const double span =
      std::clamp((width - words) / std::max(1.0, double(maps_.size())), kLeastSpan, kMostSpan);
  QVector<Place> places;
  double x = kLinesMargin;
  for (std::size_t map = 0; map < wide.columns.size(); ++map) {
    Place place;
    place.left = x + kNumber + wide.columns[map] + 6;
    place.right = place.left + span;
    places << place;
    x = place.right + 6 + wide.rows[map] + kNumber + kGap;
  }
  return places;
}

QSize WordLinesView::minimumSizeHint() const {
  if (maps_.isEmpty()) return {240, 120};
  const double right = placesFor(0).last().right + 6 + measures().rows.back() + kNumber;
  return QSizeF(right + kLinesMargin, yOf(longest()) + 2.5 * lineHeight()).toSize();
}

QRectF WordLinesView::wordRect(const Word& word) const {
  if (word.map < 0 || word.map >= maps_.size()) return {};
  const WeightMap& map = maps_[word.map];
  const QStringList& words = word.isColumn ? map.columns : map.rows;
  if (word.index < 0 || word.index >= words.size()) return {};
  const Place place = placesFor(width())[word.map];
  const auto& widest = word.isColumn ? measures().columns : measures().rows;
  const double wide = widest[std::size_t(word.map)] + 6;
  return {word.isColumn ? place.left - wide : place.right, yOf(word.index) - lineHeight() / 2, wide,
          lineHeight()};
}

void WordLinesView::paintTo(QPainter& painter, const QSizeF& size) const {
  painter.fillRect(QRectF(QPointF(0, 0), size), theme().surface);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(font());
  const QVector<Place> places = placesFor(size.width());
  for (int map = 0; map < maps_.size(); ++map) paintMap(painter, map, places[map]);
  if (!maps_.isEmpty()) paintLegend(painter, yOf(longest()));
}

void WordLinesView::paintMap(QPainter& painter, int index, const Place& place) const {
  const WeightMap& map = maps_[index];
  if (!map.title.isEmpty()) {
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    painter.setFont(bold);
    painter.setPen(theme().text);
    painter.drawText(QPointF(place.left - measures().columns[std::size_t(index)] - 6,
                             kLinesMargin + lineHeight() - 8),
                     map.title);
    painter.setFont(font());
  }
  const QRectF visible = painter.hasClipping() ? painter.clipBoundingRect() : QRectF();
  for (int row = 0; row < map.rows.size() && !map.isEmpty(); ++row) {
    for (int column = 0; column < map.columns.size(); ++column) {
      const auto weight = double(map.at(row, column));
      if (!(std::abs(weight) >= kLeast)) continue;
      const double from = yOf(column), to = yOf(row);
      if (!visible.isNull() &&
          (std::max(from, to) < visible.top() - 4 || std::min(from, to) > visible.bottom() + 4))
        continue;
      QColor colour = lineColour(map, weight);
      const bool kept = hovered_.map < 0 || hovered_.index == (hovered_.isColumn ? column : row);
      if (!kept) colour.setAlphaF(colour.alphaF() * 0.12f);
      painter.setPen(QPen(colour, thicknessOf(weight), Qt::SolidLine, Qt::FlatCap));
      painter.drawLine(QPointF(place.left, from), QPointF(place.right, to));
    }
  }
  paintWords(painter, index, place, true);
  paintWords(painter, index, place, false);
}

// The words of one side, outside of them the weights of the hovered word on the other side.
void WordLinesView::paintWords(QPainter& painter, int index, const Place& place,
                               bool columns) const {
  const WeightMap& map = maps_[index];
  const QStringList& words = columns ? map.columns : map.rows;
  const double line = lineHeight();
  const double wide = (columns ? measures().columns : measures().rows)[std::size_t(index)];
  const int sign = columns ? -1 : 1;
  const double edge = columns ? place.left : place.right;
  const auto box = [&](double from, double width, int word) {
    const double x = edge + sign * from;
    return QRectF(columns ? x - width : x, yOf(word) - line / 2, width, line);
  };
  const int alignment = (columns ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter;
  const QRectF visible = painter.hasClipping() ? painter.clipBoundingRect() : QRectF();
  for (int word = 0; word < words.size(); ++word) {
    const double y = yOf(word);
    if (!visible.isNull() && (y + line < visible.top() || y - line > visible.bottom())) continue;
    const bool chosen = hovered_.map >= 0 && hovered_.isColumn == columns && hovered_.index == word;
    painter.setPen(chosen ? theme().accent : theme().text);
    painter.drawText(box(6, wide + 1, word), alignment, words[word]);
    if (hovered_.map < 0 || hovered_.isColumn == columns || map.isEmpty()) continue;
    const int row = columns ? hovered_.index : word, column = columns ? word : hovered_.index;
    if (row >= map.rows.size() || column >= map.columns.size()) continue;
    const auto weight = double(map.at(row, column));
    if (!(std::abs(weight) >= kLeast)) continue;
    painter.setPen(theme().muted);
    painter.drawText(box(wide + 8, kNumber, word), alignment, weightText(weight, map.difference));
  }
}

void WordLinesView::paintLegend(QPainter& painter, double top) const {
  const QFontMetricsF metrics(font());
  const bool differs = std::ranges::any_of(maps_, &WeightMap::difference);
  double x = kLinesMargin;
  const double y = top + lineHeight();
  const auto entry = [&](const WeightMap& map, double weight, const QString& text) {
    painter.setPen(QPen(lineColour(map, weight), thicknessOf(weight), Qt::SolidLine, Qt::FlatCap));
    painter.drawLine(QPointF(x, y), QPointF(x + 26, y));
    painter.setPen(theme().muted);
    painter.drawText(QPointF(x + 32, y + metrics.ascent() / 2 - 1), text);
    x += 32 + metrics.horizontalAdvance(text) + 18;
  };
  for (const double weight : {0.1, 0.5, 1.0})
    entry({}, weight, tr("weight %1").arg(QString::number(weight, 'g', 2)));
  WeightMap difference;
  difference.difference = true;
  if (differs) entry(difference, 0.5, tr("more in B"));
  if (differs) entry(difference, -0.5, tr("less in B"));
}

QString WordLinesView::labelOf(int map, bool columns, int index) const {
  const QStringList& words = columns ? maps_[map].columns : maps_[map].rows;
  return index < words.size() ? words[index] : QString();
}

QString WordLinesView::readout(const Word& word) const {
  if (word.map < 0) return {};
  const WeightMap& map = maps_[word.map];
  if (map.isEmpty()) return {};
  std::vector<std::pair<double, int>> weights;
  const auto partners = word.isColumn ? map.rows.size() : map.columns.size();
  for (int other = 0; other < partners; ++other) {
    const float weight = word.isColumn ? map.at(other, word.index) : map.at(word.index, other);
    if (std::isfinite(weight)) weights.emplace_back(double(weight), other);
  }
  std::ranges::stable_sort(weights, std::greater(),
                           [](const auto& each) { return std::abs(each.first); });
  QStringList parts;
  for (std::size_t i = 0; i < weights.size() && i < std::size_t(kMostNamed); ++i) {
    parts << QStringLiteral("%1 %2").arg(labelOf(word.map, !word.isColumn, weights[i].second),
                                         QString::number(weights[i].first, 'f', 3));
  }
  const QString text = word.isColumn ? tr("%1 is read by: %2") : tr("%1 reads: %2");
  const QString said = text.arg(labelOf(word.map, word.isColumn, word.index), parts.join(", "));
  return map.title.isEmpty() ? said : map.title + QStringLiteral(" · ") + said;
}

void WordLinesView::hover(const Word& word) {
  if (word == hovered_) return;
  hovered_ = word;
  update();
  emit hovered();
}

void WordLinesView::mouseMoveEvent(QMouseEvent* event) {
  const int index = int(std::floor((event->position().y() - top()) / lineHeight()));
  for (int map = 0; map < maps_.size(); ++map) {
    for (const bool column : {true, false}) {
      const Word word{map, column, index};
      if (wordRect(word).contains(event->position())) return hover(word);
    }
  }
  hover({});
}

void WordLinesView::leaveEvent(QEvent*) {
  hover({});
}

void WordLinesView::keyPressEvent(QKeyEvent* event) {
  const int down = event->key() == Qt::Key_Down ? 1 : event->key() == Qt::Key_Up ? -1 : 0;
  const int right = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
  if ((down == 0 && right == 0) || maps_.isEmpty()) return QWidget::keyPressEvent(event);
  Word word = hovered_;
  if (word.map < 0) return hover({0, false, 0});
  // Sides from left to right: the columns and the rows of each map.
  const int side =
      std::clamp(2 * word.map + (word.isColumn ? 0 : 1) + right, 0, 2 * int(maps_.size()) - 1);
  word.map = side / 2;
  word.isColumn = side % 2 == 0;
  const WeightMap& map = maps_[word.map];
  const int words = int((word.isColumn ? map.columns : map.rows).size());
  word.index = std::clamp(word.index + down, 0, std::max(0, words - 1));
  hover(word);
}

}  // namespace strata::ui
