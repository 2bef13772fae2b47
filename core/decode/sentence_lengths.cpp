#include "core/decode/sentence_lengths.h"

#include "core/base/error.h"

namespace strata {

std::vector<LongSentence> longSentences(const TranslationModel& model, CorpusSide side,
                                        std::span<const std::vector<TokenId>> sentences,
                                        std::int64_t more) {
  std::vector<LongSentence> found;
  const auto limit = model.sentenceLimit();
  if (!limit) return found;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const std::int64_t tokens = std::ssize(sentences[i]) + more;
    if (tokens > limit->tokens) found.push_back({i, side, tokens});
  }
  return found;
}

void requirePositions(const TranslationModel& model, CorpusSide side,
                      std::span<const std::vector<TokenId>> sentences, std::int64_t more) {
  const auto found = longSentences(model, side, sentences, more);
  if (found.empty()) return;
  const auto limit = model.sentenceLimit();
  const LongSentence& first = found.front();
  throw usageError(
      "Sentence {} {}: cut or leave out longer sentences, or train a model with {} of at least {}",
      first.sentence + 1, lengthText(first, *limit), limit->key, limit->valueFor(first.tokens));
}

std::string lengthText(const LongSentence& sentence, const SentenceLimit& limit) {
  return fmt::format(
      "has {} {} tokens, </s> included, but the model has positions for {} ({} = {})",
      sentence.tokens, sentence.side == CorpusSide::kSource ? "source" : "target", limit.tokens,
      limit.key, limit.value);
}

std::string lengthText(const LongSentence& sentence, const SentenceLimit& limit, TooLong instead) {
  return fmt::format("{}: {}", lengthText(sentence, limit),
                     instead == TooLong::kCut
                         ? fmt::format("only its first {} are translated", limit.tokens - 1)
                         : "it is not translated, its translation is empty");
}

}  // namespace strata
