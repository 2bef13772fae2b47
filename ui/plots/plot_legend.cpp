#include "ui/plots/plot_legend.h"

#include <QFontMetrics>
#include <algorithm>

#include "ui/plots/plot_style.h"
#include "ui/style/theme.h"
#include "ui/widgets/short_names.h"

namespace strata::ui {
namespace {
constexpr int kSampleWidth = 26, kGapWidth = 6, kAboveAndBelow = 44;  // pixels
}

PlotLegend::PlotLegend(QCustomPlot* plot) : QCPLayoutElement(plot) {
  setMargins({});
}

QFont PlotLegend::font() const {
  return smallFont(mParentPlot->font());
}

int PlotLegend::lineHeight() const {
  return QFontMetrics(font()).height() + 3;
}

int PlotLegend::rowsIn(int height) const {
  return std::max(1, height / lineHeight());
}

int PlotLegend::columnWidth() const {
  const QFontMetrics metrics(font());
  int widest = 0;
  for (const Entry& entry : entries_)
    widest = std::max(widest, metrics.horizontalAdvance(entry.label));
  const int width = kSampleWidth + 3 * kGapWidth + widest;
  return complete_ > 0 ? width : std::min(width, kWidth);
}

int PlotLegend::neededWidth() const {
  if (!shown_ || entries_.isEmpty()) return 0;
  if (complete_ == 0) return columnWidth();
  const int rows = rowsIn(complete_ - kAboveAndBelow);  // title and x axis
  return (int(entries_.size()) + rows - 1) / rows * columnWidth();
}

void PlotLegend::draw(QCPPainter* painter) {
  left_ = 0;
  if (!shown_ || entries_.isEmpty()) return;
  const QFontMetrics metrics(font());
  const int line = lineHeight(), width = columnWidth();
  const int rows = complete_ > 0 ? rowsIn(complete_ - kAboveAndBelow) : rowsIn(rect().height());
  int drawn = int(entries_.size());
  if (complete_ == 0 && drawn > rows) drawn = std::max(0, rows - 1);
  left_ = int(entries_.size()) - drawn;
  QStringList labels;
  for (const Entry& entry : entries_) labels << entry.label;
  const ShortNames shortened(labels);
  painter->setFont(font());
  const auto areaOf = [&](int index) {
    return QRect(rect().left() + index / rows * width + kGapWidth,
                 rect().top() + index % rows * line, width - kGapWidth, line);
  };
  for (int i = 0; i < drawn; ++i) {
    const QRect area = areaOf(i);
    drawLineSample(*painter, QRectF(area.left(), area.top(), kSampleWidth, line),
                   lineStyle(entries_[i].style));
    painter->setPen(theme().text);
    const int room = area.width() - kSampleWidth - kGapWidth;
    const QString text =
        complete_ > 0 ? entries_[i].label : shortened.fit(entries_[i].label, metrics, room);
    painter->drawText(area.adjusted(kSampleWidth + kGapWidth, 0, 0, 0),
                      Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip, text);
  }
  if (left_ == 0) return;
  painter->setPen(theme().muted);
  painter->drawText(areaOf(drawn), Qt::AlignLeft | Qt::AlignVCenter,
                    tr("and %n more", nullptr, left_));
}

}  // namespace strata::ui
