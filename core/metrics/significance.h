#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/metrics/metric.h"

namespace strata {

struct BootstrapOptions {
  int samples = 1000;          // >= 40, so that an interval has ends
  std::uint64_t seed = 12345;  // sacreBLEU's
};

// Resamples of a set of sentences: how often each contains each sentence, drawn with numpy's
// generator so that results equal sacreBLEU's. The same for all systems and metrics on the set.
class Resamples {
 public:
  explicit Resamples(std::size_t sentences, const BootstrapOptions& options = {});

  std::size_t count() const { return count_; }
  std::size_t sentences() const { return sentences_; }
  // paddedWeights() values.
  std::span<const std::int16_t> weights(std::size_t sample) const {
    return std::span(weights_).subspan(sample * padded_, padded_);
  }

 private:
  std::size_t count_, sentences_, padded_;
  std::vector<std::int16_t> weights_;
};

// A system's score, and that of every resample. Those of the same Resamples can be compared
// pairwise.
struct ResampledScores {
  double score = 0;
  std::vector<double> samples;
};
// On `threads` threads (0: one per core).
ResampledScores resampleScores(const Metric& metric, const MetricRows& rows,
                               const Resamples& resamples, int threads = 0);

// The middle of the resampled scores: mean and half-width of the 95 % interval, as reported by
// sacreBLEU.
struct ConfidenceInterval {
  double mean = 0, halfWidth = 0;
};
ConfidenceInterval intervalOf(const ResampledScores& scores);

// Two systems on the same sentences, resampled together (Koehn 2004).
struct PairedBootstrap {
  double baseline = 0, system = 0;  // scores of the full set
  double difference = 0;            // system - baseline
  double low = 0, high = 0;         // 95 % percentile interval of the difference
  double pValue = 1;                // sacreBLEU's paired bootstrap test; 1 if no resample differs
  ConfidenceInterval baselineInterval = {}, systemInterval = {};

  bool decided() const { return low > 0 || high < 0; }  // the interval excludes zero
};
PairedBootstrap pairedBootstrap(const ResampledScores& baseline, const ResampledScores& system);

struct RandomizationOptions {
  int trials = 10000;
  std::uint64_t seed = 12345;  // sacreBLEU's
};

// Two systems whose sentences are swapped at random (Riezler and Maxwell 2005).
struct PairedRandomization {
  double baseline = 0, system = 0;  // scores of the full set
  double difference = 0;            // system - baseline
  // Share of trials with a greater difference, as in sacreBLEU; 1 if no exchange makes one.
  double pValue = 1;
};
// Trials run on `threads` threads (0: one per core).
PairedRandomization pairedRandomization(const Metric& metric, const MetricRows& baseline,
                                        const MetricRows& system,
                                        const RandomizationOptions& options = {}, int threads = 0);

// Holm's correction (1979) of p-values that are tested together; in their order, none above 1.
std::vector<double> holmCorrected(std::span<const double> pValues);

// A metric's signature including resampling, as in sacreBLEU: "nrefs:1|bs:1000|seed:...".
std::string withResampling(std::string_view signature, const BootstrapOptions& options);

}  // namespace strata
