#include "core/decode/translator.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/decode/search_all.h"

namespace strata {

std::vector<TokenId> targetIds(TextPipeline& text, std::vector<std::string> tokens) {
  const Vocabulary& vocabulary = text.vocabulary(Side::kTarget);
  if (!tokens.empty() && tokens.back() == vocabulary.wordOf(kEndId)) tokens.pop_back();
  std::vector<TokenId> ids;
  for (const std::string& token : tokens) {
    ids.push_back(vocabulary.idOf(token));
    if (ids.back() == kUnknownId && token != vocabulary.wordOf(kUnknownId))
      throw usageError("'{}' is not in the target vocabulary", token);
  }
  return ids;
}

void addWords(Hypothesis& hypothesis, TextPipeline& text, const std::string& tokens) {
  hypothesis.words = text.vocabulary(Side::kTarget).wordsOf(hypothesis.tokens);
  hypothesis.text = text.text(Side::kTarget, tokens);
}

std::vector<std::string> bestTokens(
    TranslationModel& model, const BeamInput& input, const BeamOptions& search, int batchSentences,
    const std::function<std::string(const std::vector<TokenId>&)>& asText,
    const std::function<void(std::int64_t)>& advance) {
  std::vector<std::string> texts;
  for (const auto& found : searchAll(model, input, search, batchSentences, advance))
    texts.push_back(found.empty() ? std::string() : asText(found.front().tokens));
  return texts;
}

namespace {

// Passes on each line of which the source, or else the prefix, is too long.
void tellLong(const TranslationModel& model, const BeamInput& input,
              const TranslateOptions& options) {
  auto found = longSentences(model, CorpusSide::kSource, input.sources);
  for (const LongSentence& each :
       longSentences(model, CorpusSide::kTarget, input.prefixes, /*more=*/1)) {
    if (std::ranges::find(found, each.sentence, &LongSentence::sentence) == found.end())
      found.push_back(each);
  }
  std::ranges::sort(found, {}, &LongSentence::sentence);
  for (const LongSentence& each : found) options.tooLong(each);
}

}  // namespace

std::vector<std::vector<Hypothesis>> Translator::translate(const std::vector<std::string>& lines,
                                                           const std::vector<std::string>& prefixes,
                                                           const TranslateOptions& options) {
  if (!prefixes.empty() && prefixes.size() != lines.size())
    throw usageError("There are {} prefixes for {} lines", prefixes.size(), lines.size());
  BeamInput input;
  for (const std::string& line : lines)
    input.sources.push_back(withEnd(text_.encode(Side::kSource, line)));
  for (const std::string& prefix : prefixes)
    input.prefixes.push_back(text_.encode(Side::kTarget, prefix));
  if (!options.begin.empty()) input.prefixes.assign(lines.size(), targetIds(text_, options.begin));
  if (options.tooLong && options.search.tooLong != TooLong::kError)
    tellLong(model_, input, options);
  return searchAll(model_, input, options.search, options.batchSentences, options.advance);
}

}  // namespace strata
