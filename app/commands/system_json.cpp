#include "app/commands/system_json.h"

#include "core/compare/comparison.h"
#include "core/systems/scorer_case.h"

namespace strata {
namespace {

std::vector<std::string> statesOf(const auto& texts) {
  std::vector<std::string> states;
  for (const TextState state : {TextState::kRaw, TextState::kTokens}) {
    if (texts.has(state)) states.emplace_back(nameOf(state));
  }
  return states;
}

}  // namespace

Json toJson(const StoredSystem& system) {
  Json json{{"id", system.id},
            {"name", system.name},
            {"set", system.testSet},
            {"sentences", system.sentences},
            {"states", statesOf(system)},
            {"created", system.created}};
  if (system.run != 0) {
    json.update({{"run", system.run},
                 {"run_name", system.runName},
                 {"preset", system.preset},
                 {"seed", system.seed},
                 {"group", system.group},
                 {"checkpoint", system.checkpoint},
                 {"decode", system.decode}});
  } else {
    json.update({{"format", system.format},
                 {"file", system.fileName},
                 {"own_scores", system.hasScores},
                 {"nbest", system.hasNBest}});
  }
  for (const StoredScores& scores : system.importedScores)
    json["imported_scores"].push_back(scores.metric.name());
  return json;
}

Json toJson(const TestSet& set) {
  return {{"id", set.id},
          {"imported", set.imported},
          {"test", set.test},
          {"source", set.source},
          {"target", set.target},
          {"sentences", set.sentences},
          {"references", set.references},
          {"states", statesOf(set)},
          {"folder", set.folder.string()}};
}

Json SystemScores::of(const StoredSystem& system) {
  Json scores = Json::object();
  const TestSet& set = setOf(system.testSet);
  const bool raw = set.has(TextState::kRaw) && system.has(TextState::kRaw);
  const TextState state = raw ? TextState::kRaw : TextState::kTokens;
  if (!set.has(state) || !system.has(state)) return scores;
  const auto lines = system.lines(state);
  const bool lower = system.run != 0 && ignoresCase(runById(workspace_, system.run));
  const Measures& measures = measuresOf(set, {state, lower});
  for (const MetricPointer& metric : measures.metrics) {
    const MetricRows rows = cache_.rows(*metric, lines, measures.references);
    scores[metric->name()] = {{"score", metric->score(rows.sums())},
                              {"signature", metric->signature()}};
  }
  return scores;
}

const TestSet& SystemScores::setOf(const std::string& id) {
  const auto found = sets_.find(id);
  if (found != sets_.end()) return found->second;
  return sets_.emplace(id, findTestSet(workspace_, id)).first->second;
}

const SystemScores::Measures& SystemScores::measuresOf(const TestSet& set, const Scoring& scoring) {
  const auto [found, isNew] = measures_.try_emplace({set.id, scoring});
  if (!isNew) return found->second;
  const auto references = set.referenceLines(scoring.state);
  MetricOptions options;
  options.setLowercase(scoring.ignoresCase);
  const std::vector<std::string> names = scoring.state == TextState::kRaw
                                             ? std::vector<std::string>{"bleu", "chrf", "ter"}
                                             : std::vector<std::string>{"multi-bleu"};
  for (const std::string& name : names)
    found->second.metrics.push_back(makeMetric(name, references, options));
  found->second.references = referencesDigest(references);
  return found->second;
}

}  // namespace strata
