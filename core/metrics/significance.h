#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/metrics/bleu.h"

namespace strata {

struct BootstrapOptions {
  int samples = 1000;          // >= 40, so that an interval has ends
  std::uint64_t seed = 12345;  // sacreBLEU's
};

// The middle of the resampled scores: mean and half the width of the 95 % interval, as sacreBLEU
// reports them.
struct ConfidenceInterval {
  double mean = 0, halfWidth = 0;
};

// Two systems on the same sentences, resampled together (Koehn 2004).
struct PairedBootstrap {
  double baseline = 0, system = 0;  // scores of the whole set
  double difference = 0;            // system - baseline
  double low = 0, high = 0;         // 95 % percentile interval of the difference
  double pValue = 1;                // sacreBLEU's paired bootstrap test
  ConfidenceInterval baselineInterval, systemInterval;

  bool decided() const { return low > 0 || high < 0; }  // the interval excludes zero
};

// The sentences of every resample, drawn with numpy's generator so that figures equal sacreBLEU's.
// samples x sentences indices, row-major.
std::vector<std::uint32_t> resampleIndices(std::size_t sentences, const BootstrapOptions& options);

ConfidenceInterval bleuConfidence(std::span<const BleuStats> sentences,
                                  const BleuOptions& bleuOptions,
                                  const BootstrapOptions& options = {});
// `scoreOf` is bleu or multi-bleu, chosen by bleuOptions (absent: multi-bleu). Both spans have one
// entry a sentence.
PairedBootstrap pairedBootstrap(std::span<const BleuStats> baseline,
                                std::span<const BleuStats> system,
                                const std::optional<BleuOptions>& bleuOptions,
                                const BootstrapOptions& options = {});

struct RandomizationOptions {
  int trials = 10000;
  std::uint64_t seed = 12345;  // sacreBLEU's
};

// Two systems whose sentences change sides at random (Riezler and Maxwell 2005).
struct PairedRandomization {
  double baseline = 0, system = 0;  // scores of the whole set
  double difference = 0;            // system - baseline
  double pValue = 1;  // share of trials with a greater difference, as sacreBLEU counts it
};
PairedRandomization pairedRandomization(std::span<const BleuStats> baseline,
                                        std::span<const BleuStats> system,
                                        const std::optional<BleuOptions>& bleuOptions,
                                        const RandomizationOptions& options = {});

// sacreBLEU's signature of a score with resampling: "nrefs:1|bs:1000|seed:12345|case:...".
std::string bleuSignature(const BleuOptions& bleuOptions, std::size_t references,
                          const BootstrapOptions& options);

}  // namespace strata
