#include "core/decode/search_all.h"

#include <algorithm>
#include <optional>
#include <set>

#include "core/decode/sentence_lengths.h"

namespace strata {
namespace {

// Some of the sentences.
BeamInput picked(const BeamInput& input, const std::vector<std::size_t>& sentences) {
  BeamInput some;
  for (const std::size_t i : sentences) {
    some.sources.push_back(input.sources[i]);
    if (!input.prefixes.empty()) some.prefixes.push_back(input.prefixes[i]);
    some.numbers.push_back(input.numbers.empty() ? i : input.numbers[i]);
  }
  return some;
}

// Batches that are encoded together, so that their sentences can wait. Words of a shortlist are a
// batch's own, and recordings and replacements count the steps of all its sentences alike.
std::size_t batchesTogether(const BeamOptions& options, std::size_t batchSentences) {
  constexpr std::size_t kBatches = 4;
  const bool waits = batchSentences > 1 && options.shortlist == nullptr && options.record.empty() &&
                     options.interventions == nullptr;
  return waits ? kBatches : 1;
}

// What is searched of an input, and the sentences that are not since they are too long.
struct Searched {
  std::optional<BeamInput> cut;  // none: the input as it is
  std::set<std::size_t> skipped;
};

Searched searchedOf(const TranslationModel& model, const BeamInput& input, TooLong tooLong) {
  Searched searched;
  if (tooLong == TooLong::kError) requirePositions(model, CorpusSide::kSource, input.sources);
  if (tooLong != TooLong::kSkip)
    requirePositions(model, CorpusSide::kTarget, input.prefixes, /*more=*/1);
  const auto sources = longSentences(model, CorpusSide::kSource, input.sources);
  if (tooLong == TooLong::kSkip) {
    for (const LongSentence& each : sources) searched.skipped.insert(each.sentence);
    for (const LongSentence& each :
         longSentences(model, CorpusSide::kTarget, input.prefixes, /*more=*/1))
      searched.skipped.insert(each.sentence);
  } else if (!sources.empty()) {
    searched.cut = input;
    for (const LongSentence& each : sources)
      cutSentence(searched.cut->sources[each.sentence], model.sentenceLimit()->tokens);
  }
  return searched;
}

}  // namespace

std::vector<std::vector<Hypothesis>> searchAll(TranslationModel& model, const BeamInput& asked,
                                               const BeamOptions& options, int batchSentences,
                                               const std::function<void(std::int64_t)>& advance) {
  const Searched searched = searchedOf(model, asked, options.tooLong);
  const BeamInput& input = searched.cut ? *searched.cut : asked;
  std::vector<std::size_t> order;  // of the sentences with words
  for (std::size_t i = 0; i < input.sources.size(); ++i) {
    if (input.sources[i].size() != 1 && !searched.skipped.contains(i)) order.push_back(i);
  }
  // The longest first, so that peak memory is reached at once.
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return input.sources[a].size() > input.sources[b].size();
  });
  Hypothesis empty;
  empty.tokens = {kEndId};
  empty.tokenLogProbabilities = {0};
  std::vector<std::vector<Hypothesis>> results(input.sources.size(), {empty});
  for (const std::size_t i : order) results[i].clear();
  const bool single = options.interventions && options.interventions->namesPositions();
  const auto width = static_cast<std::size_t>(single ? 1 : std::max(1, batchSentences));
  const std::size_t together = width * batchesTogether(options, width);
  Places places{width};
  std::vector<std::size_t> group;
  std::int64_t done = 0;  // sentences, with those of other parts
  if (advance) places.completed = [&](std::int64_t completed) { advance(done + completed); };
  for (std::size_t begin = 0; begin < order.size(); begin += width) {
    const std::size_t end = std::min(order.size(), begin + width);
    if (begin / width % input.part.of == input.part.index)
      group.insert(group.end(), order.begin() + static_cast<std::ptrdiff_t>(begin),
                   order.begin() + static_cast<std::ptrdiff_t>(end));
    if (group.size() < together && end < order.size()) continue;
    auto found = beamSearch(model, picked(input, group), options, places);
    for (std::size_t i = 0; i < group.size(); ++i) results[group[i]] = std::move(found[i]);
    group.clear();
    done = static_cast<std::int64_t>(end);
    if (advance) advance(done);
  }
  return results;
}

}  // namespace strata
