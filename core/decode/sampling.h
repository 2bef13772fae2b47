#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/data/batch.h"
#include "core/run/search_request.h"

namespace strata {

// A usage error that names the option whose value is out of range.
void checkSampling(const SamplingOptions& options);

// Draws words. It keeps its memory from one word to the next.
class WordSampler {
 public:
  explicit WordSampler(const SamplingOptions& options);

  // The word at `uniform` [0, 1) of the distribution's sum. Log-probabilities, which need not be
  // normalised, are of the ids in their order; -infinity is never drawn, and one at least is
  // finite. Among equally likely words the smaller id is the likelier one.
  TokenId draw(std::span<const double> logProbabilities, double uniform);

 private:
  using Weighted = std::pair<double, TokenId>;  // weight, relative to the likeliest word's
  void weigh(std::span<const double> logProbabilities);
  void keepLikeliest();

  SamplingOptions options_;
  std::vector<Weighted> words_;
};

// The number that draws a word: it depends on these alone, so that a sentence has the same samples
// whichever sentences are translated beside it.
struct DrawKey {
  std::uint64_t seed = 0, sentence = 0, sample = 0, step = 0;  // sample and step below 2^32
};
double uniformOf(const DrawKey& key);

}  // namespace strata
