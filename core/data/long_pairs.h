#pragma once
#include <cstdint>

#include "core/data/corpus.h"

namespace strata {

// Which pairs of a corpus are looked at, and which of them are too long. Lengths are those of the
// longer side, </s> included.
struct LongPairsRequest {
  std::int64_t most = 0;     // longer ones are too long
  std::int64_t ignored = 0;  // longer ones are not looked at, as they are left out; 0: all are
  std::int64_t pairs = 0;    // only the first; 0: all
};

struct LongPairs {
  std::int64_t count = 0;
  std::int64_t longest = 0;  // tokens of the longest of them
  // The first of them.
  std::int64_t pair = 0;  // from 0
  CorpusSide side = CorpusSide::kSource;
  std::int64_t tokens = 0;  // of that side, the longer one
};
LongPairs longPairs(const Corpus& corpus, const LongPairsRequest& request);

}  // namespace strata
