#include "core/report/comparison_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/compare/worth.h"
#include "core/report/comparison_tables.h"
#include "core/report/latex.h"
#include "core/text/replace.h"

namespace strata {
namespace {

Json scoreJson(const MetricComparison& compared, std::size_t system) {
  Json json = metricDetails(*compared.metric, compared.rows[system].sums());
  const SystemScore& score = compared.systems[system];
  json["score"] = score.score;
  json["signature"] = compared.signature;
  if (score.interval) addInterval(score.interval, json);
  if (const ImportedMetric* imported = importedMetric(*compared.metric)) {
    const std::size_t scored = ImportedMetric::scored(compared.rows[system]);
    json.update({{"imported", true},
                 {"model", imported->info().model},
                 {"scale", nameOf(imported->info().scale)},
                 {"higher_is_better", imported->higherIsBetter()},
                 {"missing", compared.rows[system].sentences() - scored}});
  }
  return json;
}

// Null if the study does not have the metric.
Json worthJson(const Comparison& comparison, const MetricComparison& compared, std::size_t system) {
  const double difference = compared.systems[system].difference;
  const auto worth = worthToPeople(*compared.metric, difference);
  if (!worth) return nullptr;
  const std::size_t preferred = compared.improves(difference) ? system : comparison.baseline;
  return {
      {"metric", worth->study},
      {"share", worth->share},
      {"chance", worth->isChance()},
      {"preferred", worth->isChance() ? Json(nullptr) : Json(comparison.systems[preferred].name)}};
}

Json statisticsJson(const TextStatistics& statistics) {
  Json json{{"words", statistics.words},
            {"types", statistics.types},
            {"reference_words", statistics.referenceWords},
            {"length_ratio", orNull(statistics.lengthRatio())},
            {"empty_lines", statistics.emptyLines},
            {"repeating_lines", statistics.repeatingLines},
            {"repeated_words", statistics.repeatedWords}};
  if (statistics.source) {
    json["source_lines"] = statistics.source->equalLines;
    json["copied_words"] = statistics.source->copiedWords;
    json["invented_words"] = statistics.source->inventedWords;
  }
  return json;
}

void addSignificance(const Comparison& comparison, const MetricComparison& compared, Json& rows) {
  const ComparisonOptions& options = comparison.options;
  for (std::size_t s = 0; s < compared.systems.size(); ++s) {
    if (s == comparison.baseline) continue;
    const SystemScore& system = compared.systems[s];
    Json row{{"test", nameOf(options.test)},
             {"metric", compared.metric->name()},
             {"baseline", comparison.systems[comparison.baseline].name},
             {"system", comparison.systems[s].name}};
    if (options.test == SignificanceTest::kRandomization) {
      row["trials"] = options.randomization.trials;
      row["seed"] = options.randomization.seed;
    } else {
      row["samples"] = options.bootstrap.samples;
      row["seed"] = options.bootstrap.seed;
    }
    addDifference(system, row);
    row["worth"] = worthJson(comparison, compared, s);
    rows.push_back(std::move(row));
  }
}

Json bucketsJson(const Comparison& comparison, const BucketTable& table) {
  Json rows = Json::array();
  for (std::size_t b = 0; b < table.labels.size(); ++b) {
    Json systems = Json::array();
    for (std::size_t s = 0; s < table.scores.size(); ++s) {
      systems.push_back(bucketScoreJson(comparison.systems[s].name, table.scores[s][b]));
    }
    rows.push_back({{"bucket", table.labels[b]}, {"systems", std::move(systems)}});
  }
  return {{"by", table.title},
          {"metric", comparison.first().metric->name()},
          {"same_sentences", table.common},
          {"buckets", std::move(rows)}};
}

Json differencesJson(const std::vector<NGramDifference>& list) {
  return jsonList(list, [](const NGramDifference& each) {
    return Json{{"ngram", each.text},
                {"order", each.order},
                {"baseline", each.first},
                {"system", each.second}};
  });
}

Json productionsJson(const std::vector<NGramProduction>& list) {
  return jsonList(list, [](const NGramProduction& each) {
    return Json{{"ngram", each.text},
                {"order", each.order},
                {"system", each.hypothesis},
                {"reference", each.reference},
                {"confirmed", each.confirmed}};
  });
}

Json ngramsJson(const Comparison& comparison, std::size_t s) {
  const NGramTables& tables = comparison.ngrams[s];
  Json json{{"system", comparison.systems[s].name}};
  json["orders"] = jsonList(tables.produced.totals, [](const NGramTotals& totals) {
    return Json{{"order", totals.order},
                {"confirmed", totals.confirmed},
                {"unconfirmed", totals.unconfirmed}};
  });
  if (s != comparison.baseline) {
    json["confirmed_here"] = differencesJson(tables.against.secondConfirmed);
    json["confirmed_in_baseline"] = differencesJson(tables.against.firstConfirmed);
  }
  json["over_produced"] = productionsJson(tables.produced.over);
  json["under_produced"] = productionsJson(tables.produced.under);
  return json;
}

Json wordAccuracyJson(const Comparison& comparison, std::size_t s) {
  Json rows = jsonList(comparison.wordAccuracy[s], [](const WordAccuracy& each) {
    return Json{{"training_count", each.label},
                {"matched", each.matched},
                {"reference", each.reference},
                {"hypothesis", each.hypothesis},
                {"f1", each.f1()}};
  });
  return {{"system", comparison.systems[s].name}, {"buckets", std::move(rows)}};
}

Json sentencesJson(const Comparison& comparison, std::size_t s) {
  const DifferenceHistogram histogram = comparison.differenceHistogram(s);
  return {{"better", histogram.better}, {"equal", histogram.equal}, {"worse", histogram.worse}};
}

Json oracleJson(const Comparison& comparison) {
  Json chosen = Json::object();
  for (std::size_t s = 0; s < comparison.systems.size(); ++s) {
    const auto& all = comparison.first().oracle.chosen;
    chosen[comparison.systems[s].name] = std::count(all.begin(), all.end(), s);
  }
  const auto score = [&](std::size_t m) { return comparison.metrics[m].oracle.score; };
  return {{"scores", byMetric(comparison, score)}, {"chosen", chosen}};
}

// Replaces the other tables' marks by LaTeX arrows.
std::string withArrows(std::string text) {
  replaceAll(text, "\u25b2", "$\\uparrow$");
  replaceAll(text, "\u25bc", "$\\downarrow$");
  return text;
}

double bestOf(const MetricComparison& compared) {
  double best = compared.systems.front().score;
  for (const SystemScore& system : compared.systems) {
    if (std::isnan(best) || compared.improves(system.score - best)) best = system.score;
  }
  return best;
}

Cell texCell(const MetricComparison& compared, const SystemScore& system) {
  const Metric& metric = *compared.metric;
  Cell cell = scoreCell(metric, system.score);
  if (cell == scoreCell(metric, bestOf(compared))) cell.best();
  if (system.interval) cell.add(" \u00b1 " + scoreCell(metric, system.interval->halfWidth).text());
  return cell.mark(significanceMark(compared, system));
}

Cell texGroupCell(const MetricComparison& compared, const GroupScore& score) {
  if (std::isnan(score.mean)) return std::string(kNoValue);
  Cell cell =
      Cell::plusMinus(score.mean, score.deviation, {.digits = scoreDigits(*compared.metric)});
  if (score.direction != Direction::kConfirmed && score.direction != Direction::kOpposite)
    return cell;
  return cell.mark(compared.improves(score.test->difference) ? CellMark::kBetter
                                                             : CellMark::kWorse);
}

// With four digits; empty without a value.
Cell valueCell(double value) {
  if (std::isnan(value)) return "";
  return Cell::number(value, {.digits = 4});
}

// Below the systems; ± is the standard deviation over runs here, not an interval.
std::string texGroups(const Comparison& comparison) {
  if (comparison.groups.empty()) return "";
  std::string out = "\\hline\n% mean of the runs, standard deviation (n - 1)\n";
  for (const SystemGroup& group : comparison.groups) {
    std::vector<std::string> cells{texEscaped(fmt::format(
        "{} ({} run{})", group.name, group.systems.size(), group.systems.size() == 1 ? "" : "s"))};
    for (std::size_t m = 0; m < group.scores.size(); ++m)
      cells.push_back(texGroupCell(comparison.metrics[m], group.scores[m]).latex());
    out += latexRow(cells);
  }
  return out;
}

}  // namespace

void addDifference(const SystemScore& score, Json& json) {
  const auto& test = score.test;
  json["difference"] = score.difference;
  json["low"] = test ? Json(test->low) : Json(nullptr);
  json["high"] = test ? Json(test->high) : Json(nullptr);
  json["p_value"] = test ? Json(test->pValue) : Json(nullptr);
  json["p_holm"] = test ? Json(test->pHolm) : Json(nullptr);
}

void addInterval(const std::optional<ConfidenceInterval>& interval, Json& json) {
  json["mean"] = interval ? Json(interval->mean) : Json(nullptr);
  json["ci"] = interval ? Json(interval->halfWidth) : Json(nullptr);
}

Json bucketScoreJson(const std::string& system, const BucketScore& score) {
  Json json{{"name", system},
            {"score", score.count == 0 ? Json(nullptr) : Json(score.score)},
            {"sentences", score.count},
            {"share", score.share}};
  addInterval(score.interval, json);
  return json;
}

Json toJson(const Comparison& comparison) {
  Json json{{"test_set", comparison.testSet},
            {"sentences", comparison.sentences.size()},
            {"all_sentences", comparison.allSentences},
            {"baseline", comparison.systems[comparison.baseline].name},
            {"systems", Json::array()},
            {"significance", Json::array()},
            {"buckets", Json::array()},
            {"ngrams", Json::array()},
            {"oracle", oracleJson(comparison)}};
  for (std::size_t s = 0; s < comparison.systems.size(); ++s) {
    const auto scores = [&](std::size_t m) { return scoreJson(comparison.metrics[m], s); };
    Json system{{"name", comparison.systems[s].name},
                {"scores", byMetric(comparison, scores)},
                {"statistics", statisticsJson(comparison.statistics[s])}};
    if (s != comparison.baseline) system["sentences"] = sentencesJson(comparison, s);
    json["systems"].push_back(std::move(system));
    json["ngrams"].push_back(ngramsJson(comparison, s));
  }
  for (const MetricComparison& compared : comparison.metrics)
    addSignificance(comparison, compared, json["significance"]);
  for (const BucketTable& table : comparison.buckets)
    json["buckets"].push_back(bucketsJson(comparison, table));
  if (!comparison.wordAccuracy.empty()) {
    json["word_accuracy"] = Json::array();
    for (std::size_t s = 0; s < comparison.systems.size(); ++s)
      json["word_accuracy"].push_back(wordAccuracyJson(comparison, s));
  }
  addAnalyses(comparison, json);
  return json;
}

std::string sentencesTsv(const Comparison& comparison) {
  Table table;
  const std::string metric = comparison.first().metric->name();
  const auto lengths = sentenceLengths(comparison.references.front());
  for (std::size_t i = 0; i < comparison.sentences.size(); ++i) {
    table.beginRow("line", Cell::count(comparison.sentences[i] + 1));
    table.addNumber("reference words", Cell::number(lengths[i], {.digits = 0}));
    if (!comparison.source.empty()) table.addText("source", comparison.source[i]);
    for (std::size_t r = 0; r < comparison.references.size(); ++r) {
      table.addText(r == 0 ? "reference" : fmt::format("reference {}", r + 1),
                    comparison.references[r][i]);
    }
    for (std::size_t s = 0; s < comparison.systems.size(); ++s) {
      const std::string& name = comparison.systems[s].name;
      table.addNumber(name + " " + metric, valueCell(comparison.sentenceScores[s][i]));
      if (s != comparison.baseline)
        table.addNumber(name + " difference", valueCell(comparison.sentenceDifference(s, i)));
      for (std::size_t m = 1; m < comparison.metrics.size(); ++m) {
        const MetricComparison& further = comparison.metrics[m];
        if (importedMetric(*further.metric) == nullptr) continue;
        table.addNumber(name + " " + further.metric->name(),
                        valueCell(further.sentenceScore(s, i)));
      }
      table.addText(name, comparison.systems[s].lines[i]);
    }
  }
  return tsvTable(table);
}

std::string latexOf(const Comparison& comparison) {
  std::string out = fmt::format("% {}, {} sentences\n", onOneLine(comparison.testSet),
                                comparison.sentences.size());
  for (const MetricComparison& compared : comparison.metrics)
    out += fmt::format("% {}: {}\n", compared.metric->name(), compared.signature);
  for (const std::string& note : comparisonNotes(comparison))
    out += "% " + withArrows(onOneLine(note)) + "\n";
  Table table;
  for (std::size_t s = 0; s < comparison.systems.size(); ++s) {
    table.beginRow("system", comparison.systems[s].name);
    for (const MetricComparison& compared : comparison.metrics)
      table.addNumber(compared.metric->name(), texCell(compared, compared.systems[s]));
  }
  return out + latexTable(table, texGroups(comparison));
}

}  // namespace strata
