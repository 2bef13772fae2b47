#include "core/data/long_pairs.h"

#include <algorithm>

namespace strata {

LongPairs longPairs(const Corpus& corpus, const LongPairsRequest& request) {
  LongPairs found;
  const std::int64_t end =
      request.pairs > 0 ? std::min(request.pairs, corpus.pairs()) : corpus.pairs();
  for (std::int64_t pair = 0; pair < end; ++pair) {
    const std::int64_t source = corpus.length(CorpusSide::kSource, pair) + 1,
                       target = corpus.length(CorpusSide::kTarget, pair) + 1,
                       tokens = std::max(source, target);
    if (tokens <= request.most || (request.ignored > 0 && tokens > request.ignored)) continue;
    if (found.count++ == 0) {
      found.pair = pair;
      found.side = source >= target ? CorpusSide::kSource : CorpusSide::kTarget;
      found.tokens = tokens;
    }
    found.longest = std::max(found.longest, tokens);
  }
  return found;
}

}  // namespace strata
