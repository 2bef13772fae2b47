#include "core/systems/stored_comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/systems/imported_scores.h"
#include "core/systems/training_counts.h"
#include "core/text/pipeline.h"
#include "core/text/words.h"

namespace strata {
namespace {

// Rows of one system under one metric take 0.1 to 0.5 MB per thousand sentences.
constexpr std::uintmax_t kCacheBytes = std::uintmax_t{512} << 20;

// Only log-probabilities: higher is more confident, and an infinite one carries no information.
std::vector<double> confidenceOf(const StoredSystem& system) {
  const double sign = system.format.starts_with("sockeye") ? -1 : 1;
  std::vector<double> scores = system.scores();
  for (double& score : scores)
    score = std::isfinite(score) ? sign * score : std::numeric_limits<double>::quiet_NaN();
  return scores;
}

// Groups of at least two systems with different seeds. Two checkpoints of one run are two systems,
// not two seeds of one.
std::map<std::string, std::vector<std::size_t>> sharedGroups(
    const std::vector<StoredSystem>& systems) {
  std::map<std::string, std::vector<std::size_t>> byGroup, shared;
  const auto seedsDiffer = [&](const std::vector<std::size_t>& members) {
    std::set<std::int64_t> seeds;
    for (const std::size_t s : members) seeds.insert(systems[s].seed);
    return seeds.size() == members.size();
  };
  for (std::size_t s = 0; s < systems.size(); ++s) {
    if (!systems[s].group.empty()) byGroup[systems[s].group].push_back(s);
  }
  for (const auto& [group, members] : byGroup) {
    if (members.size() < 2) continue;
    if (seedsDiffer(members)) {
      shared[group] = members;
      continue;
    }
    std::map<std::string, std::vector<std::size_t>> byCheckpoint;
    for (const std::size_t s : members) byCheckpoint[systems[s].checkpoint].push_back(s);
    for (const auto& [checkpoint, part] : byCheckpoint) {
      if (part.size() > 1 && seedsDiffer(part)) shared[group + " " + checkpoint] = part;
    }
  }
  return shared;
}

// A group is named after its runs' preset; if several groups or a system have that name, its first
// run is added.
void nameGroups(const std::vector<StoredSystem>& systems, std::vector<ComparedSystem>& compared) {
  const auto groups = sharedGroups(systems);
  std::map<std::string, int> uses;
  for (const StoredSystem& system : systems) ++uses[system.name];
  for (const auto& [group, members] : groups) ++uses[systems[members.front()].preset];
  for (const auto& [group, members] : groups) {
    const StoredSystem& first = systems[members.front()];
    const bool plain = !first.preset.empty() && uses[first.preset] == 1;
    const std::string name = plain ? first.preset : first.name + " and its other seeds";
    for (const std::size_t s : members) compared[s].group = name;
  }
}

// Words of the references that the model can produce: all of their units are in the vocabulary. If
// words are split, the vocabulary itself contains few full words.
Vocabulary knownWords(TextPipeline& pipeline,
                      const std::vector<std::vector<std::string>>& references) {
  const Vocabulary& units = pipeline.vocabulary(Side::kTarget);
  if (pipeline.side(Side::kTarget).codes.empty()) return units;
  const std::int32_t unknown = units.idOf("<unk>");
  Vocabulary known;
  std::set<std::string, std::less<>> seen;
  for (const auto& lines : references) {
    for (const std::string& line : lines) {
      forEachWord(line, [&](std::string_view word) {
        if (!seen.emplace(word).second) return;
        const auto ids = pipeline.ids(Side::kTarget, pipeline.units(Side::kTarget, word));
        if (std::ranges::find(ids, unknown) == ids.end()) known.add(std::string(word), 1);
      });
    }
  }
  return known;
}

// Of plain text: its unknown words are those of the same sentences' tokens. A dataset whose
// pipeline is damaged has none; the text can be compared all the same.
void addPlainVocabulary(const TestSet& set, ComparisonInput& input) {
  if (!set.has(TextState::kTokens)) return;
  try {
    TextPipeline pipeline = pipelineOf(set);
    input.vocabularyReferences = set.referenceLines(TextState::kTokens);
    input.vocabulary = knownWords(pipeline, input.vocabularyReferences);
  } catch (const Error&) {
    input.vocabularyReferences.clear();
  }
}

void addTraining(const Workspace& workspace, const TestSet& set, const StoredComparison& comparison,
                 ComparisonInput& input) {
  if (set.textFolder.empty()) return;
  if (comparison.state != TextState::kTokens) {
    if (comparison.vocabulary) addPlainVocabulary(set, input);
    return;
  }
  TextPipeline pipeline = pipelineOf(set);
  if (comparison.counts) input.counts = trainingCounts(workspace, set, pipeline);
  if (comparison.vocabulary) input.vocabulary = knownWords(pipeline, input.references);
  if (pipeline.side(Side::kTarget).codes.empty()) return;
  for (const std::string& line : input.references.front())
    input.subwordReference.push_back(pipeline.units(Side::kTarget, line));
}

}  // namespace

ComparisonInput comparisonInput(Workspace& workspace, const StoredComparison& comparison) {
  const TestSet set = findTestSet(workspace, comparison.testSet);
  ComparisonInput input;
  input.testSet = set.id;
  input.options = comparison.options;
  input.references = set.referenceLines(comparison.state);
  input.source = set.sourceLines(comparison.state);
  if (!input.source.empty() && set.has(TextState::kRaw))
    input.plainSource = set.sourceLines(TextState::kRaw);
  for (const StoredSystem& system : comparison.systems) {
    if (system.testSet != set.id) {
      throw usageError(
          "{} translates {}, not {}: only systems of the same test set can be compared",
          system.name, system.testSet, set.id);
    }
    input.systems.push_back({.name = system.name,
                             .lines = system.lines(comparison.state),
                             .confidence = confidenceOf(system),
                             .nbest = system.nbest(comparison.state)});
  }
  for (std::string& metric : input.options.metrics)
    metric = metricNamed(metric, importedMetrics(comparison.systems));
  input.imported = scoresUnder(input.options.metrics, comparison.systems);
  nameGroups(comparison.systems, input.systems);
  addTraining(workspace, set, comparison, input);
  const ScoreCache cache(workspace);
  cache.trim(kCacheBytes);
  input.rowsOf = [cache](const Metric& metric, std::span<const std::string> hypotheses,
                         const std::string& references) {
    return cache.rows(metric, hypotheses, references);
  };
  return input;
}

}  // namespace strata
