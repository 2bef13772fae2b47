#include "ui/plots/text_widths.h"

#include <QFontMetricsF>
#include <QHash>
#include <algorithm>
#include <map>

namespace strata::ui {
namespace {

constexpr std::size_t kMostFonts = 16;
constexpr qsizetype kMostTexts = 50'000;  // of a font

using Measured = QHash<QString, double>;

Measured& measuredIn(const QFont& font) {
  static thread_local std::map<QString, Measured> fonts;
  const QString key = font.key();
  if (fonts.size() == kMostFonts && !fonts.contains(key)) fonts.clear();
  Measured& measured = fonts[key];
  if (measured.size() > kMostTexts) measured.clear();
  return measured;
}

}  // namespace

std::vector<double> widthsOf(const QStringList& texts, const QFont& font) {
  Measured& measured = measuredIn(font);
  const QFontMetricsF metrics(font);
  std::vector<double> widths;
  widths.reserve(std::size_t(texts.size()));
  for (const QString& text : texts) {
    auto known = measured.constFind(text);
    if (known == measured.constEnd())
      known = measured.insert(text, metrics.horizontalAdvance(text));
    widths.push_back(*known);
  }
  return widths;
}

double widestOf(const QStringList& texts, const QFont& font) {
  const auto widths = widthsOf(texts, font);
  return widths.empty() ? 0 : *std::ranges::max_element(widths);
}

const std::vector<double>& TextWidths::of(const QStringList& texts, const QFont& font) {
  if (widths_ && font == font_) return *widths_;
  font_ = font;
  return widths_.emplace(widthsOf(texts, font));
}

}  // namespace strata::ui
