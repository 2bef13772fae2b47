#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/data/batch.h"
#include "core/data/corpus.h"
#include "core/nn/translation_model.h"
#include "core/run/search_request.h"

namespace strata {

// A sentence that a model has no positions for.
struct LongSentence {
  std::size_t sentence = 0;  // from 0
  CorpusSide side = CorpusSide::kSource;
  std::int64_t tokens = 0;  // </s> included
};

// Those of a side, in their order; none if the model has no such limit. `more`: tokens of each
// sentence that come in addition, such as the </s> after a prefix.
std::vector<LongSentence> longSentences(const TranslationModel& model, CorpusSide side,
                                        std::span<const std::vector<TokenId>> sentences,
                                        std::int64_t more = 0);

// Throws a usage error that names the first of them, its length and the model's limit.
void requirePositions(const TranslationModel& model, CorpusSide side,
                      std::span<const std::vector<TokenId>> sentences, std::int64_t more = 0);

// "has 1302 source tokens, </s> included, but the model has positions for 1022
// (model.position_rows = 1024)".
std::string lengthText(const LongSentence& sentence, const SentenceLimit& limit);
// The same, followed by what is done instead of translating it.
std::string lengthText(const LongSentence& sentence, const SentenceLimit& limit, TooLong instead);

// Removes what comes before a sentence's last token, </s>, until `most` tokens are left.
template <typename Token>
void cutSentence(std::vector<Token>& tokens, std::int64_t most) {
  if (std::ssize(tokens) > most) tokens.erase(tokens.begin() + most - 1, tokens.end() - 1);
}

}  // namespace strata
