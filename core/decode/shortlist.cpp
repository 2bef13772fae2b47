#include "core/decode/shortlist.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "core/base/error.h"
#include "core/text/words.h"

namespace strata {

Shortlist::Shortlist(TextPipeline& text, std::vector<LexiconEntry> dictionary,
                     const ShortlistOptions& options)
    : text_(text) {
  if (options.translations < 1 || options.frequent < 0)
    throw usageError(
        "A shortlist keeps at least 1 translation of each word and at least 0 frequent words, not "
        "{} and {}",
        options.translations, options.frequent);
  const std::int64_t words = text.vocabulary(Side::kTarget).size();
  always_.resize(static_cast<std::size_t>(
      std::min<std::int64_t>(words, std::int64_t{kFirstWordId} + options.frequent)));
  std::iota(always_.begin(), always_.end(), TokenId{0});
  std::ranges::stable_sort(dictionary, std::ranges::greater{}, &LexiconEntry::probability);
  for (LexiconEntry& entry : dictionary) {
    auto& kept = translations_[entry.source];
    if (std::ssize(kept) < options.translations) kept.push_back(std::move(entry.target));
  }
}

const std::vector<TokenId>& Shortlist::unitsFor(const std::string& word) {
  const auto [at, added] = units_.try_emplace(word);
  if (!added) return at->second;
  std::string line;
  if (const auto found = translations_.find(word); found != translations_.end()) {
    line = fmt::format("{}", fmt::join(found->second, " "));
  } else if (word.find(text_.vocabulary(Side::kSource).wordOf(kUnknownId)) == std::string::npos) {
    line = word;
  }
  at->second = text_.ids(Side::kTarget, text_.units(Side::kTarget, line));
  return at->second;
}

std::vector<TokenId> Shortlist::wordsFor(const std::vector<std::vector<TokenId>>& sources,
                                         const std::vector<std::vector<TokenId>>& prefixes) {
  std::vector<TokenId> ids = always_;
  const auto add = [&](const std::vector<TokenId>& more) {
    ids.insert(ids.end(), more.begin(), more.end());
  };
  for (const auto& source : sources) {
    for (const std::string& word : wordsOf(text_.tokensOf(Side::kSource, source)))
      add(unitsFor(word));
  }
  for (const auto& prefix : prefixes) add(prefix);
  std::ranges::sort(ids);
  const auto repeated = std::ranges::unique(ids);
  ids.erase(repeated.begin(), repeated.end());
  return ids;
}

}  // namespace strata
