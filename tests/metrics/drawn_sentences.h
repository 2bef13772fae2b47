#pragma once
#include <cstdint>
#include <vector>

#include "core/metrics/numpy_random.h"
#include "core/metrics/significance.h"

namespace strata {

// The sentences of every resample in the order in which numpy draws them, samples x sentences.
inline std::vector<std::uint32_t> drawnSentences(std::size_t sentences,
                                                 const BootstrapOptions& options = {}) {
  NumpyRandom random(options.seed);
  std::vector<std::uint32_t> drawn(sentences * static_cast<std::size_t>(options.samples));
  for (std::uint32_t& one : drawn) one = random.below(static_cast<std::uint32_t>(sentences));
  return drawn;
}

}  // namespace strata
