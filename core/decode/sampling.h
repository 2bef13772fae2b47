#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/data/batch.h"
#include "core/run/search_request.h"

namespace strata {

// Throws a usage error that names an option with a value out of range.
void checkSampling(const SamplingOptions& options);

// Draws words, reusing its memory from word to word.
class WordSampler {
 public:
  explicit WordSampler(const SamplingOptions& options);

  // The word at `uniform` [0, 1) of the distribution's sum. Log-probabilities, which need not be
  // normalised, are indexed by id; -infinity is never drawn, and at least one is finite. Among
  // equally likely words the smaller id counts as more likely.
  TokenId draw(std::span<const double> logProbabilities, double uniform);

 private:
  using Weighted = std::pair<double, TokenId>;  // weight, relative to that of the most likely word
  void weigh(std::span<const double> logProbabilities);
  void keepLikeliest();

  SamplingOptions options_;
  std::vector<Weighted> words_;
};

// The key of one draw: the draw depends on it alone, so that a sentence has the same samples
// regardless of the other sentences in its batch.
struct DrawKey {
  std::uint64_t seed = 0, sentence = 0, sample = 0, step = 0;  // sample and step below 2^32
};
double uniformOf(const DrawKey& key);

}  // namespace strata
