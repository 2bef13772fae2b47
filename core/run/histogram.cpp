#include "core/run/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace strata {
namespace {

constexpr std::array<std::string_view, kHistogramKinds.size()> kNames{"weights", "gradients",
                                                                      "activations"};

// The bound below a bin on the side of the positive values; `bin` > kZeroBin.
double boundBelow(int bin) {
  const int index = bin - kZeroBin - 2;
  return index < 0 ? 0 : magnitudeBounds()[static_cast<std::size_t>(index)];
}

double boundAbove(int bin) {
  return bin + 1 >= kOrderedBins ? std::numeric_limits<double>::infinity() : boundBelow(bin + 1);
}

// The bin of the values of the other sign.
int mirrored(int bin) {
  return 2 * kZeroBin - bin;
}

}  // namespace

const std::array<float, kMagnitudeBounds>& magnitudeBounds() {
  static const auto bounds = [] {
    std::array<float, kMagnitudeBounds> made{};
    for (int i = 0; i < kMagnitudeBounds; ++i)
      made[static_cast<std::size_t>(i)] =
          static_cast<float>(std::exp2(kLowestOctave + i / double(kBinsPerOctave)));
    return made;
  }();
  return bounds;
}

int histogramBinOf(float value) {
  if (!std::isfinite(value)) return kNonFiniteBin;
  if (value == 0) return kZeroBin;
  const auto& bounds = magnitudeBounds();
  const auto above = std::upper_bound(bounds.begin(), bounds.end(), std::abs(value));
  const auto distance = static_cast<int>(above - bounds.begin()) + 1;
  return value > 0 ? kZeroBin + distance : kZeroBin - distance;
}

double lowerBound(int bin) {
  if (bin == kZeroBin) return 0;
  return bin > kZeroBin ? boundBelow(bin) : -boundAbove(mirrored(bin));
}

double upperBound(int bin) {
  if (bin == kZeroBin) return 0;
  return bin > kZeroBin ? boundAbove(bin) : -boundBelow(mirrored(bin));
}

void ValueHistogram::add(const ValueHistogram& other) {
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
}

std::string_view nameOf(HistogramKind kind) {
  return kNames[static_cast<std::size_t>(kind)];
}

std::optional<HistogramKind> histogramKindFrom(std::string_view name) {
  for (const HistogramKind kind : kHistogramKinds) {
    if (nameOf(kind) == name) return kind;
  }
  return {};
}

}  // namespace strata
