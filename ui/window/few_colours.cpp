#include "ui/window/few_colours.h"

#include <QHash>
#include <QVector>
#include <algorithm>

namespace strata::ui {
namespace {

constexpr int kMostColours = 256;
constexpr QRgb kSimilar = 0xfff8f8f8;  // colours that do not differ in these bits are similar

struct Counted {
  QRgb colour;
  int count = 0;
};

// Of each group of similar colours the most frequent one; the largest groups.
QVector<QRgb> paletteOf(const QImage& picture, int count) {
  QHash<QRgb, int> pixels;
  for (int y = 0; y < picture.height(); ++y) {
    const auto* line = reinterpret_cast<const QRgb*>(picture.constScanLine(y));
    for (int x = 0; x < picture.width(); ++x) ++pixels[line[x]];
  }
  QHash<QRgb, Counted> groups, best;
  for (auto it = pixels.cbegin(); it != pixels.cend(); ++it) {
    groups[it.key() & kSimilar].count += it.value();
    Counted& most = best[it.key() & kSimilar];
    if (it.value() > most.count) most = {it.key(), it.value()};
  }
  QVector<Counted> sorted;
  for (auto it = groups.cbegin(); it != groups.cend(); ++it)
    sorted << Counted{best[it.key()].colour, it->count};
  std::ranges::sort(sorted, [](const Counted& a, const Counted& b) {
    return std::pair(-a.count, a.colour) < std::pair(-b.count, b.colour);
  });
  QVector<QRgb> palette;
  for (const Counted& each : sorted.first(std::min<qsizetype>(sorted.size(), count)))
    palette << each.colour;
  return palette;
}

}  // namespace

QImage withFewColours(const QImage& picture, int count) {
  const QImage whole = picture.convertToFormat(QImage::Format_RGB32);
  const QVector<QRgb> palette = paletteOf(whole, std::clamp(count, 2, kMostColours));
  return whole.convertToFormat(QImage::Format_Indexed8, palette,
                               Qt::ThresholdDither | Qt::AvoidDither);
}

}  // namespace strata::ui
