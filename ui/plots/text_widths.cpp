#include "ui/plots/text_widths.h"

#include <QFontMetricsF>

namespace strata::ui {

const std::vector<double>& TextWidths::of(const QStringList& texts, const QFont& font) {
  if (widths_ && font == font_) return *widths_;
  font_ = font;
  widths_.emplace();
  const QFontMetricsF metrics(font);
  for (const QString& text : texts) widths_->push_back(metrics.horizontalAdvance(text));
  return *widths_;
}

}  // namespace strata::ui
