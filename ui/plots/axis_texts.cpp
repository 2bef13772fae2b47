#include "ui/plots/axis_texts.h"

#include <qcustomplot.h>

#include <QFontMetrics>
#include <algorithm>

namespace strata::ui {
namespace {

constexpr int kTickWidth = 58, kTimeWidth = 84, kTickHeight = 22;  // pixels of a label and a gap
constexpr int kBesideAxes = 60, kBelowAxes = 40;                   // pixels, usually
constexpr int kMostTicks = 5, kBesideLabel = 2;

bool isHorizontal(const QCPAxis* axis) {
  return axis->orientation() == Qt::Horizontal;
}

// Between the outer edges of what is around the axes, as far as a text in their middle reaches.
int roomOf(const QCPAxis* axis) {
  const QRect inner = axis->axisRect()->rect(), outer = axis->axisRect()->outerRect();
  return isHorizontal(axis) ? inner.width() + 2 * std::min(inner.left() - outer.left(),
                                                           outer.right() - inner.right())
                            : inner.height() + 2 * std::min(inner.top() - outer.top(),
                                                            outer.bottom() - inner.bottom());
}

int widthOf(const QFontMetrics& metrics, const QString& text) {
  return metrics.boundingRect(QRect(), Qt::TextDontClip, text).width();
}

// Labels of neighbouring ticks run into each other.
bool labelsMeet(const QCPAxis* axis) {
  const QFontMetrics metrics(axis->tickLabelFont());
  const QVector<QString> labels = axis->tickVectorLabels();
  const QVector<double> ticks = axis->tickVector();
  double end = -1e9;
  for (qsizetype i = 0; i < std::min(labels.size(), ticks.size()); ++i) {
    if (!axis->range().contains(ticks[i]) || labels[i].isEmpty()) continue;
    const double at = axis->coordToPixel(ticks[i]), half = widthOf(metrics, labels[i]) / 2.0;
    if (at - half < end + kBesideLabel) return true;
    end = at + half;
  }
  return false;
}

}  // namespace

QString fittedTitle(const QString& title, const QFont& font, int room, bool twoLines) {
  const QFontMetrics metrics(font);
  if (widthOf(metrics, title) <= room) return title;
  // Its unit in the second line, or else the break that leaves the shortest lines.
  QString best;
  int least = room + 1;
  for (qsizetype at = title.indexOf(QLatin1Char(' ')); twoLines && at > 0;
       at = title.indexOf(QLatin1Char(' '), at + 1)) {
    const int width =
        std::max(widthOf(metrics, title.first(at)), widthOf(metrics, title.mid(at + 1)));
    const bool unit = title[at + 1] == QLatin1Char('(') && width <= room;
    if (width >= least && !unit) continue;
    best = title.first(at) + QLatin1Char('\n') + title.mid(at + 1);
    if (unit) break;
    least = width;
  }
  return best.isEmpty() ? metrics.elidedText(title, Qt::ElideRight, room) : best;
}

AxisTexts::AxisTexts(QCustomPlot* plot) : plot_(plot) {}

void AxisTexts::setTitle(QCPAxis* axis, const QString& title) {
  titles_.removeIf([axis](const Title& each) { return each.axis == axis; });
  titles_ << Title{axis, title};
  axis->setLabel(title);
}

QString AxisTexts::title(const QCPAxis* axis) const {
  const auto found = std::ranges::find(titles_, axis, &Title::axis);
  return found == titles_.end() ? QString() : found->text;
}

QString AxisTexts::wholeTitleAt(const QPointF& position) const {
  for (const auto& [axis, title] : titles_) {
    if (axis->getPartAt(position) == QCPAxis::spAxisLabel &&
        QString(axis->label()).replace(QLatin1Char('\n'), QLatin1Char(' ')) != title)
      return title;
  }
  return {};
}

void AxisTexts::fit() {
  if (fitTickCounts()) plot_->plotLayout()->update(QCPLayoutElement::upPreparation);
  separateTicks();
  const bool margins = fitMargins(), titles = fitTitles();
  if (!margins && !titles) return;
  for (const auto phase : {QCPLayoutElement::upMargins, QCPLayoutElement::upLayout})
    plot_->plotLayout()->update(phase);
}

// By what is there for axis and texts together: what the texts take does not change their number.
bool AxisTexts::fitTickCounts() {
  bool changed = false;
  const QSize room = plot_->axisRect()->outerRect().size() - QSize(kBesideAxes, kBelowAxes);
  for (QCPAxis* axis : plot_->axisRect()->axes()) {
    QCPAxisTicker* ticker = axis->ticker().data();
    if (!axis->visible() || dynamic_cast<QCPAxisTickerText*>(ticker)) continue;
    const bool time = dynamic_cast<QCPAxisTickerTime*>(ticker) != nullptr ||
                      dynamic_cast<QCPAxisTickerDateTime*>(ticker) != nullptr;
    const int fitting = isHorizontal(axis) ? room.width() / (time ? kTimeWidth : kTickWidth)
                                           : room.height() / kTickHeight;
    const int count = std::clamp(fitting, 2, kMostTicks);
    changed |= count != ticker->tickCount();
    ticker->setTickCount(count);
  }
  return changed;
}

// Steps between ticks are round numbers: there may be more of them than wanted.
void AxisTexts::separateTicks() {
  for (const QCPAxis* axis : plot_->axisRect()->axes(QCPAxis::atBottom)) {
    QCPAxisTicker* ticker = axis->ticker().data();
    if (dynamic_cast<QCPAxisTickerText*>(ticker)) continue;
    while (ticker->tickCount() > 1 && labelsMeet(axis)) {
      ticker->setTickCount(ticker->tickCount() - 1);
      plot_->plotLayout()->update(QCPLayoutElement::upPreparation);
    }
  }
}

// Half of a label may lie beyond the end of its axis. Labels of categories are where they are;
// others move with the range, and the margin does not.
bool AxisTexts::fitMargins() {
  QCPAxisRect* rect = plot_->axisRect();
  if (!margins_) margins_ = rect->minimumMargins();
  QMargins needed = *margins_;
  for (const QCPAxis* axis : rect->axes(QCPAxis::atBottom)) {
    const bool named = dynamic_cast<QCPAxisTickerText*>(axis->ticker().data()) != nullptr;
    const QFontMetrics metrics(axis->tickLabelFont());
    const QVector<QString> labels = axis->tickVectorLabels();
    const QVector<double> ticks = axis->tickVector();
    for (qsizetype i = 0; i < std::min(labels.size(), ticks.size()); ++i) {
      if (!axis->range().contains(ticks[i])) continue;
      const double half = widthOf(metrics, labels[i]) / 2.0 + kBesideLabel;
      const double at = axis->coordToPixel(ticks[i]);
      const double right = named ? half - (rect->right() - at) : half;
      needed.setRight(std::max(needed.right(), int(right)));
      if (named) needed.setLeft(std::max(needed.left(), int(half - (at - rect->left()))));
    }
  }
  const bool changed = needed != rect->minimumMargins();
  rect->setMinimumMargins(needed);
  return changed;
}

bool AxisTexts::fitTitles() {
  bool moved = false;
  for (const auto& [axis, title] : titles_) {
    const QString fitted =
        fittedTitle(title, axis->labelFont(), roomOf(axis), /*twoLines=*/!isHorizontal(axis));
    if (fitted == axis->label()) continue;
    moved |= fitted.count(QLatin1Char('\n')) != axis->label().count(QLatin1Char('\n'));
    axis->setLabel(fitted);
  }
  return moved;
}

}  // namespace strata::ui
