#include "core/report/comparison_export.h"

namespace strata {
namespace {

void addCorrelation(const Correlation& correlation, Json& json) {
  json["pearson"] = orNull(correlation.pearson);
  json["spearman"] = orNull(correlation.spearman);
}

Json groupScoreJson(const GroupScore& score) {
  Json json{{"mean", score.mean}, {"std", orNull(score.deviation)}};
  if (score.test) {
    json.update({{"difference", score.test->difference},
                 {"low", score.test->low},
                 {"high", score.test->high},
                 {"p_value", score.test->pValue},
                 {"p_holm", score.pHolm},
                 {"direction", nameOf(score.direction)}});
  }
  return json;
}

Json groupJson(const Comparison& comparison, const SystemGroup& group) {
  return {
      {"name", group.name},
      {"runs", jsonList(group.systems, [&](auto s) { return comparison.systems[s].name; })},
      {"scores", byMetric(comparison, [&](auto m) { return groupScoreJson(group.scores[m]); })}};
}

Json likelihoodJson(const Comparison& comparison, const SystemLikelihood& each) {
  Json json{{"system", comparison.systems[each.system].name},
            {"tokens", each.tokens},
            {"nats", each.nats.score},
            {"perplexity", each.perplexity}};
  if (each.system == comparison.baseline) return json;
  addDifference(each.nats, json);
  json["likelier"] = each.likelier;
  addCorrelation(each.agreement, json);
  return json;
}

Json nbestJson(const Comparison& comparison, const NBestLists& lists) {
  const auto score = [&](std::size_t m) {
    return Json{{"first", lists.scores[m].first}, {"oracle", lists.scores[m].oracle}};
  };
  return {{"system", comparison.systems[lists.system].name},
          {"mean_candidates", lists.candidates},
          {"first_is_best", lists.firstIsBest},
          {"scores", byMetric(comparison, score)}};
}

Json confidenceJson(const Comparison& comparison, const SystemConfidence& each) {
  Json json{{"system", comparison.systems[each.system].name}, {"sentences", each.sentences}};
  addCorrelation(each.asIs, json);
  addCorrelation(each.perWord, json["per_word"]);
  return json;
}

}  // namespace

void addAnalyses(const Comparison& comparison, Json& json) {
  for (const SystemGroup& group : comparison.groups)
    json["groups"].push_back(groupJson(comparison, group));
  if (!comparison.likelihoods.empty()) {
    json["likelihoods"] = {{"unit", comparison.likelihoodsAWord ? "word" : "token"},
                           {"systems", Json::array()}};
    for (const SystemLikelihood& each : comparison.likelihoods)
      json["likelihoods"]["systems"].push_back(likelihoodJson(comparison, each));
  }
  for (const NBestLists& lists : comparison.nbest)
    json["nbest"].push_back(nbestJson(comparison, lists));
  for (const SystemConfidence& each : comparison.confidence)
    json["confidence"].push_back(confidenceJson(comparison, each));
}

Json filteredJson(const Comparison& comparison, std::span<const FilteredScores> metrics) {
  Json json{{"sentences", metrics.front().sentences.size()},
            {"share", metrics.front().share},
            {"scores", Json::object()}};
  for (std::size_t m = 0; m < metrics.size(); ++m) {
    Json rows = Json::array();
    for (std::size_t s = 0; s < comparison.systems.size(); ++s) {
      const SystemScore& score = metrics[m].systems[s];
      Json row{{"system", comparison.systems[s].name},
               {"score", metrics[m].sentences.empty() ? Json(nullptr) : Json(score.score)},
               {"all_sentences", comparison.metrics[m].systems[s].score}};
      addInterval(score.interval, row);
      if (s != comparison.baseline) addDifference(score, row);
      rows.push_back(std::move(row));
    }
    json["scores"][comparison.metrics[m].metric->name()] = std::move(rows);
  }
  return json;
}

}  // namespace strata
