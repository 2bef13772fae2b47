#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// Histograms of a model's values. The bins are the same for all runs, steps and layers, so that
// counts can be added and compared: signed, half an octave wide, with bins of their own for 0 and
// for what is not finite. In ascending order of the values:
//   0                     x <= -2^16
//   1 ... 112             -2^16 < x <= -2^-40, the bounds are -2^(k/2)
//   113                   -2^-40 < x < 0
//   114                   0
//   115                   0 < x < 2^-40
//   116 ... 227           2^-40 <= x < 2^16
//   228                   x >= 2^16
//   229                   NaN and infinities
// Bounds are the float32 numbers nearest to 2^(k/2).
constexpr int kLowestOctave = -40, kHighestOctave = 16, kBinsPerOctave = 2;
constexpr int kMagnitudeBounds = (kHighestOctave - kLowestOctave) * kBinsPerOctave + 1;
constexpr int kZeroBin = kMagnitudeBounds + 1, kOrderedBins = 2 * kZeroBin + 1;
constexpr int kNonFiniteBin = kOrderedBins, kHistogramBins = kOrderedBins + 1;

// The bounds of magnitudes, ascending. A value whose magnitude is at or above m of them is in bin
// kZeroBin + sign * (m + 1).
const std::array<float, kMagnitudeBounds>& magnitudeBounds();
int histogramBinOf(float value);
// The least and the greatest value of an ordered bin; infinite at both ends.
double lowerBound(int bin);
double upperBound(int bin);

struct ValueHistogram {
  std::array<std::int64_t, kHistogramBins> counts{};  // of the bins

  void add(const ValueHistogram& other);
  bool operator==(const ValueHistogram&) const = default;
};

enum class HistogramKind { kWeights, kGradients, kActivations };
inline constexpr std::array kHistogramKinds{HistogramKind::kWeights, HistogramKind::kGradients,
                                            HistogramKind::kActivations};
std::string_view nameOf(HistogramKind kind);  // "weights", ...
std::optional<HistogramKind> histogramKindFrom(std::string_view name);

struct LayerHistogram {
  HistogramKind kind = HistogramKind::kWeights;
  std::string layer;  // "encoder.layers.0", as of the series grad_norm/LAYER
  ValueHistogram values;
};

// One that is stored.
struct StepHistogram {
  std::int64_t step = 0;
  HistogramKind kind = HistogramKind::kWeights;
  std::string layer;
  ValueHistogram values;
};

// The histograms of one step.
struct HistogramEvent {
  std::int64_t runId = 0;
  std::int64_t step = 0;
  std::vector<LayerHistogram> layers;
};

}  // namespace strata
