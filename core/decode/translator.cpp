#include "core/decode/translator.h"

#include <algorithm>
#include <numeric>

#include "core/base/error.h"

namespace strata {

std::vector<std::vector<Hypothesis>> Translator::translate(const std::vector<std::string>& lines,
                                                           const std::vector<std::string>& prefixes,
                                                           const TranslateOptions& options) {
  if (!prefixes.empty() && prefixes.size() != lines.size())
    throw usageError("There are {} prefixes for {} lines", prefixes.size(), lines.size());
  std::vector<std::vector<TokenId>> sources;
  std::vector<std::size_t> order;  // of the lines with words
  for (const std::string& line : lines) {
    sources.push_back(text_.encode(Side::kSource, line));
    if (!sources.back().empty()) order.push_back(sources.size() - 1);
    sources.back().push_back(kEndId);
  }
  // Like lengths together; the longest first, so that memory is at its peak at once.
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return sources[a].size() > sources[b].size();
  });
  Hypothesis empty;
  empty.tokens = {kEndId};
  empty.tokenLogProbabilities = {0};
  std::vector<std::vector<Hypothesis>> results(lines.size(), {empty});
  const auto width = static_cast<std::size_t>(std::max(1, options.batchSentences));
  for (std::size_t begin = 0; begin < order.size(); begin += width) {
    const std::size_t end = std::min(order.size(), begin + width);
    BeamInput input;
    for (std::size_t i = begin; i < end; ++i) {
      input.sources.push_back(sources[order[i]]);
      if (!prefixes.empty())
        input.prefixes.push_back(text_.encode(Side::kTarget, prefixes[order[i]]));
    }
    auto found = beamSearch(model_, input, options.search);
    for (std::size_t i = begin; i < end; ++i) results[order[i]] = std::move(found[i - begin]);
    if (options.advance) options.advance(static_cast<std::int64_t>(end));
  }
  return results;
}

}  // namespace strata
