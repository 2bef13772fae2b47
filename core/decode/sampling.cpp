#include "core/decode/sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/base/random.h"

namespace strata {
namespace {

// Whether `a` ranks after `b`: less likely, or equally likely with the larger id.
bool isBehind(const std::pair<double, TokenId>& a, const std::pair<double, TokenId>& b) {
  return a.first != b.first ? a.first < b.first : a.second > b.second;
}

}  // namespace

void checkSampling(const SamplingOptions& options) {
  if (!(options.temperature > 0) || !std::isfinite(options.temperature))
    throw usageError("The temperature must be above 0, not {}", options.temperature);
  if (options.topK < 0)
    throw usageError("top-k must be at least 1, or 0 for all, not {}", options.topK);
  if (!(options.topP > 0) || options.topP > 1)
    throw usageError("top-p must be above 0 and at most 1, not {}", options.topP);
}

WordSampler::WordSampler(const SamplingOptions& options) : options_(options) {
  checkSampling(options);
}

void WordSampler::weigh(std::span<const double> logProbabilities) {
  const double best = *std::ranges::max_element(logProbabilities);
  words_.clear();
  for (std::size_t id = 0; id < logProbabilities.size(); ++id) {
    if (logProbabilities[id] == -std::numeric_limits<double>::infinity()) continue;
    words_.emplace_back(std::exp((logProbabilities[id] - best) / options_.temperature),
                        static_cast<TokenId>(id));
  }
}

// Keeps the words of top-k, then of top-p, most likely first. A heap, since only few of many are
// taken.
void WordSampler::keepLikeliest() {
  const auto taken = [&](auto enough) {
    std::make_heap(words_.begin(), words_.end(), isBehind);
    auto rest = words_.end();
    double sum = 0;
    for (std::size_t count = 0; rest != words_.begin() && !enough(count, sum); ++count) {
      std::pop_heap(words_.begin(), rest--, isBehind);
      sum += rest->first;
    }
    std::reverse(rest, words_.end());
    words_.erase(words_.begin(), rest);
  };
  if (options_.topK > 0)
    taken([&](std::size_t count, double) { return count >= std::size_t(options_.topK); });
  if (options_.topP >= 1) return;
  double total = 0;
  for (const auto& [weight, id] : words_) total += weight;
  taken([&](std::size_t, double sum) { return sum >= options_.topP * total; });
}

TokenId WordSampler::draw(std::span<const double> logProbabilities, double uniform) {
  weigh(logProbabilities);
  if (options_.topK > 0 || options_.topP < 1) keepLikeliest();
  double total = 0, sum = 0;
  for (const auto& [weight, id] : words_) total += weight;
  const double wanted = uniform * total;
  const Weighted* last = nullptr;  // rounding may leave `wanted` beyond the total
  for (const Weighted& word : words_) {
    if (word.first > 0) last = &word;
    sum += word.first;
    if (sum > wanted) break;
  }
  return last->second;
}

double uniformOf(const DrawKey& key) {
  RandomStream stream(key.seed, key.sentence);
  stream.seek((key.sample << 32) | key.step);
  return stream.uniform();
}

}  // namespace strata
