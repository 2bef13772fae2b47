#include "core/decode/known_ids.h"

#include <limits>

#include "core/base/error.h"

namespace strata {

void requireKnownIds(const TranslationModel& model, CorpusSide side,
                     std::span<const std::vector<TokenId>> sentences) {
  const char* key = side == CorpusSide::kSource ? "src_vocab" : "tgt_vocab";
  // A model without a family does not state its vocabulary sizes.
  const std::int64_t words = model.config().is_object() && model.config().contains(key)
                                 ? model.config().at(key).get<std::int64_t>()
                                 : std::numeric_limits<TokenId>::max();
  for (std::size_t sentence = 0; sentence < sentences.size(); ++sentence) {
    for (const TokenId id : sentences[sentence]) {
      if (id >= 0 && id < words) continue;
      throw Error(
          "Sentence {} has the {} id {}, but the model has {} words, with ids from 0: the text "
          "or its vocabulary belongs to another model",
          sentence + 1, side == CorpusSide::kSource ? "source" : "target", id, words);
    }
  }
}

}  // namespace strata
