#include "app/sentence_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/data/corpus.h"
#include "core/data/long_pairs.h"
#include "core/train/estimate.h"
#include "models/presets.h"

namespace strata {
namespace {

// What the configuration reads of a set.
struct ReadSet {
  std::string key, set;
  std::int64_t sentences = 0;  // the first of the set; 0: all
};
// Empty: the model has positions for all of it.
std::string longSetProblem(const Dataset& dataset, const ReadSet& read,
                           const SentenceLimit& limit) {
  const Corpus corpus(dataset.set(read.set).corpus);
  const LongPairs found = longPairs(corpus, {.most = limit.tokens, .pairs = read.sentences});
  if (found.count == 0) return "";
  return fmt::format(
      "{}: line {} of the set '{}' has {} {} tokens, </s> included, but the model has positions "
      "for {} ({} = {}){}: set {} to at least {}, or prepare the dataset with a set without such "
      "lines",
      read.key, found.pair + 1, read.set, found.tokens,
      found.side == CorpusSide::kSource ? "source" : "target", limit.tokens, limit.key, limit.value,
      found.count > 1 ? fmt::format("; {} lines of it are too long", found.count) : "", limit.key,
      limit.valueFor(found.longest));
}

// The same of the training text, which is read only if the configuration lets long pairs through.
std::string longTrainingProblem(const Dataset& dataset, const ExperimentSpec& spec,
                                const SentenceLimit& limit) {
  std::int64_t longest = 0;  // pair that is trained on in a phase
  for (const PhaseSpec& phase : spec.training.phases) {
    const std::int64_t own = longestTrained(batchOptionsOf(spec, phase));
    longest = std::max(longest, own == 0 ? std::numeric_limits<std::int64_t>::max() : own);
  }
  if (longest <= limit.tokens) return "";
  const LongPairs found =
      longPairs(Corpus(dataset.trainCorpus()), {.most = limit.tokens, .ignored = longest});
  if (found.count == 0) return "";
  return fmt::format(
      "data.max_length: {} training pair{} longer than the {} tokens, </s> included, that the "
      "model has positions for ({} = {}), the first is pair {} with {}: set data.max_length to {} "
      "or less, or {} to at least {}",
      found.count, found.count == 1 ? " is" : "s are", limit.tokens, limit.key, limit.value,
      found.pair + 1, found.tokens, limit.tokens - 1 /* without </s> */, limit.key,
      limit.valueFor(found.longest));
}

}  // namespace

std::vector<std::string> lengthProblems(const ExperimentSpec& spec, const Dataset& dataset) {
  const auto limit = sentenceLimitOf(
      modelConfig(spec.model, dataset.sourceVocabularySize(), dataset.targetVocabularySize()));
  if (!limit) return {};
  std::vector<std::string> problems{longTrainingProblem(dataset, spec, *limit)};
  for (const std::string& set : spec.validation.sets)
    problems.push_back(longSetProblem(dataset, {"validation.sets", set}, *limit));
  for (const MonitorSpec& monitor : spec.validation.monitor) {
    if (monitor.set != MonitorSpec::kTrainSample)
      problems.push_back(
          longSetProblem(dataset, {"validation.monitor", monitor.set, monitor.sentences}, *limit));
  }
  std::erase(problems, "");
  return problems;
}

}  // namespace strata
