#pragma once
#include <string>
#include <vector>

#include "core/text/pipeline.h"

namespace strata {

// A side whose words are these, each of which was seen once.
inline PipelineSide sideOf(const std::vector<std::string>& words) {
  PipelineSide side;
  for (const auto& word : words) side.vocabulary.add(word, 1);
  return side;
}

}  // namespace strata
