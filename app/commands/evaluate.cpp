// strata-run evaluate: scores translations against references with any metric.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "app/commands/evaluate_parts.h"
#include "app/commands/metric_options.h"
#include "app/commands/sentence_options.h"
#include "app/commands/verbs.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/metrics/significance.h"
#include "core/metrics/tokenization_check.h"
#include "core/report/table.h"

namespace strata {
namespace {

struct EvaluateOptions {
  std::vector<std::string> hypotheses, references;
  SentenceOptions reading;
  MetricRequest scoring;
  bool sentence = false;
  bool confidence = false;
  std::string significance;
  PartOptions parts;
};

struct System {
  std::string name;
  std::vector<std::string> lines;
};

// One metric over all systems.
struct Measured {
  MetricPointer metric;
  std::vector<MetricRows> rows;              // per system
  std::vector<ResampledScores> resampled{};  // per system, if resampling was requested
  std::string signature;
};

std::string baseName(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

// File names, or paths if two files have the same name. In the order of the first reference.
std::vector<System> readSystems(const EvaluateOptions& options, const SentenceText& reference) {
  std::multiset<std::string> names;
  for (const std::string& path : options.hypotheses) names.insert(baseName(path));
  std::vector<System> systems;
  for (const std::string& path : options.hypotheses) {
    SystemOutput output = readSystemFile(path, options.reading);
    putInOrder(reference, path, output);
    checkLineCounts(path, output.lines.size(), reference.name, reference.lines.size());
    systems.push_back(
        {names.count(baseName(path)) > 1 ? path : baseName(path), std::move(output.lines)});
  }
  return systems;
}

std::vector<SentenceText> readReferences(const EvaluateOptions& options) {
  std::vector<SentenceText> references = readReferenceFiles(options.references, options.reading);
  const std::size_t lines = references.front().lines.size();
  if (lines == 0) throw Error("{} is empty: there is nothing to score", options.references.front());
  if (lines == 1 && (options.confidence || !options.significance.empty())) {
    throw usageError(
        "{} has only one sentence, which cannot be resampled; --confidence and --significance need "
        "more",
        options.references.front());
  }
  return references;
}

// Keeps only the sentences of the subset. Returns a description of it; empty without a subset.
std::string keepSubset(const EvaluateOptions& options, std::vector<System>& systems,
                       std::vector<std::vector<std::string>>& references) {
  const auto kept = subsetOf(options.parts, references);
  if (!kept) return "";
  const std::size_t all = references.front().size();
  for (auto& reference : references) keepOnly(*kept, reference);
  for (System& system : systems) keepOnly(*kept, system.lines);
  return fmt::format("{} of {} sentences, whose references have no word outside {}", kept->size(),
                     all, options.parts.vocabulary);
}

std::vector<Measured> measure(const EvaluateOptions& options, const std::vector<System>& systems,
                              const std::vector<std::vector<std::string>>& references) {
  MetricOptions all = metricOptionsOf(options.scoring);
  // Like sacreBLEU: otherwise a sentence shorter than the order would score 0.
  all.bleu.effectiveOrder = all.bleu.effectiveOrder || options.sentence;
  const bool resamples = options.confidence || options.significance == "bootstrap";
  std::optional<Resamples> drawn;
  if (resamples) drawn.emplace(references.front().size());
  std::vector<Measured> measured;
  for (const std::string& name : options.scoring.metrics) {
    Measured each{.metric = makeMetric(name, references, all), .rows = {}, .signature = {}};
    each.signature = each.metric->signature();
    if (options.confidence) each.signature = withResampling(each.signature, BootstrapOptions{});
    for (const System& system : systems) {
      each.rows.push_back(compareAll(*each.metric, system.lines));
      if (drawn) each.resampled.push_back(resampleScores(*each.metric, each.rows.back(), *drawn));
    }
    measured.push_back(std::move(each));
  }
  return measured;
}

Json scoreJson(const Measured& measured, std::size_t system, const EvaluateOptions& options) {
  const Metric& metric = *measured.metric;
  const auto sums = measured.rows[system].sums();
  Json json = metricDetails(metric, sums);
  json["score"] = metric.score(sums);
  json["signature"] = measured.signature;
  if (options.confidence) {
    const ConfidenceInterval interval = intervalOf(measured.resampled[system]);
    json["mean"] = interval.mean;
    json["ci"] = interval.halfWidth;
  }
  if (options.sentence) {
    Json& sentences = json["sentences"] = Json::array();
    for (std::size_t i = 0; i < measured.rows[system].sentences(); ++i)
      sentences.push_back(metric.sentenceScore(measured.rows[system].row(i)));
  }
  return json;
}

// Tests every other system against the first, with Holm's correction over them if there are
// several.
Json significanceOf(const Measured& measured, const std::vector<System>& systems,
                    const std::string& test) {
  Json rows = Json::array();
  std::vector<double> pValues;
  for (std::size_t s = 1; s < systems.size(); ++s) {
    Json row{{"test", test},
             {"metric", measured.metric->name()},
             {"baseline", systems[0].name},
             {"system", systems[s].name}};
    if (test == "bootstrap") {
      const BootstrapOptions options;
      const auto result = pairedBootstrap(measured.resampled[0], measured.resampled[s]);
      row.update({{"samples", options.samples},
                  {"seed", options.seed},
                  {"difference", result.difference},
                  {"low", result.low},
                  {"high", result.high},
                  {"p_value", result.pValue}});
    } else {
      const RandomizationOptions options;
      const auto result =
          pairedRandomization(*measured.metric, measured.rows[0], measured.rows[s], options);
      row.update({{"trials", options.trials},
                  {"seed", options.seed},
                  {"difference", result.difference},
                  {"p_value", result.pValue}});
    }
    pValues.push_back(row["p_value"]);
    rows.push_back(std::move(row));
  }
  const auto corrected = holmCorrected(pValues);
  for (std::size_t i = 0; i < corrected.size(); ++i) rows[i]["p_holm"] = corrected[i];
  return rows;
}

Json resultOf(const std::vector<Measured>& metrics, const std::vector<System>& systems,
              const EvaluateOptions& options) {
  Json result{{"systems", Json::array()}, {"significance", Json::array()}};
  for (std::size_t s = 0; s < systems.size(); ++s) {
    Json scores = Json::object();
    for (const Measured& each : metrics) scores[each.metric->name()] = scoreJson(each, s, options);
    result["systems"].push_back({{"name", systems[s].name}, {"scores", std::move(scores)}});
  }
  if (options.significance.empty()) return result;
  for (const Measured& each : metrics) {
    for (Json& row : significanceOf(each, systems, options.significance))
      result["significance"].push_back(std::move(row));
  }
  return result;
}

// The additional columns of a metric family.
std::vector<std::pair<std::string, Cell>> extraCells(const Json& score) {
  std::vector<std::pair<std::string, Cell>> cells;
  if (score.contains("precisions")) {
    std::vector<std::string> precisions;
    for (const Json& precision : score["precisions"])
      precisions.push_back(fmt::format("{:.1f}", precision.get<double>()));
    cells.emplace_back("precisions", fmt::format("{}", fmt::join(precisions, "/")));
  }
  for (const auto& [key, title] :
       {std::pair("bp", "BP"), std::pair("penalty", "penalty"), std::pair("edits", "edits"),
        std::pair("sys_len", "length"), std::pair("ref_len", "reference")}) {
    if (!score.contains(key)) continue;
    const bool share = key == std::string("bp") || key == std::string("penalty");
    const auto value = score[key].get<double>();
    cells.emplace_back(
        title, share ? Cell::number(value, {.digits = 3})
                     : Cell::number(value, {.digits = 6, .form = NumberForm::kSignificant}));
  }
  return cells;
}

void printScores(const Json& result, const Measured& measured, const EvaluateOptions& options) {
  const std::string name = measured.metric->name();
  Table table{.caption = name + "  " + measured.signature,
              .columns = {{"system"}, {name, Align::kRight}}};
  if (options.confidence) table.addColumn("95 % interval");
  for (const auto& [title, cell] : extraCells(result["systems"][0]["scores"][name]))
    table.addColumn(title);
  for (const Json& system : result["systems"]) {
    const Json& score = system["scores"][name];
    std::vector<Cell> row{system["name"].get<std::string>(),
                          Cell::number(score["score"].get<double>())};
    if (options.confidence)
      row.push_back(Cell::plusMinus(score["mean"].get<double>(), score["ci"].get<double>()));
    for (const auto& [title, cell] : extraCells(score)) row.push_back(cell);
    table.rows.push_back(std::move(row));
  }
  fmt::print("{}", textTable(table));
}

void printSignificance(const Json& rows, const std::string& test) {
  Table table{.caption = "paired " + test + ", against " + rows[0]["baseline"].get<std::string>(),
              .columns = {{"system"}, {"metric"}, {"difference", Align::kRight}}};
  const bool interval = test == "bootstrap";
  if (interval) table.addColumn("95 % interval");
  table.addColumn("p");
  const bool several = rows.size() > 1;
  if (several) table.addColumn("p (Holm)");
  for (const Json& row : rows) {
    std::vector<Cell> cells{row["system"].get<std::string>(), row["metric"].get<std::string>(),
                            Cell::number(row["difference"].get<double>(), kSignedNumber)};
    if (interval) cells.push_back(Cell::range(row["low"].get<double>(), row["high"].get<double>()));
    cells.push_back(Cell::number(row["p_value"].get<double>(), kProbability));
    if (several) cells.push_back(Cell::number(row["p_holm"].get<double>(), kProbability));
    table.rows.push_back(std::move(cells));
  }
  fmt::print("\n{}", textTable(table));
}

// One line per sentence, one column per metric and system, for shell pipelines.
void printSentences(const std::vector<Measured>& metrics) {
  for (std::size_t i = 0; i < metrics.front().metric->sentences(); ++i) {
    std::vector<std::string> cells;
    for (const Measured& each : metrics) {
      for (const MetricRows& rows : each.rows)
        cells.push_back(fmt::format("{:.4f}", each.metric->sentenceScore(rows.row(i))));
    }
    fmt::print("{}\n", fmt::join(cells, "\t"));
  }
}

void evaluate(const GlobalOptions& global, const EvaluateOptions& options) {
  if (!options.significance.empty() && options.hypotheses.size() < 2) {
    throw usageError("--significance compares systems: give --hypothesis at least two files");
  }
  std::vector<SentenceText> read = readReferences(options);
  std::vector<System> systems = readSystems(options, read.front());
  std::vector<std::vector<std::string>> references;
  for (SentenceText& text : read) references.push_back(std::move(text.lines));
  const std::string subset = keepSubset(options, systems, references);
  for (const System& system : systems) {
    for (const std::string& warning : tokenizationWarnings(system.name, system.lines, references))
      spdlog::warn("{}", warning);
  }
  const std::vector<Measured> metrics = measure(options, systems, references);
  if (options.sentence && !global.json) return printSentences(metrics);
  Json result = resultOf(metrics, systems, options);
  if (!subset.empty()) result["subset"] = {{"name", options.parts.subset}, {"text", subset}};
  std::vector<Table> bucketTables;
  if (!options.parts.lengthEdges.empty()) {
    std::vector<std::string> names;
    for (const System& system : systems) names.push_back(system.name);
    for (const Measured& each : metrics) {
      BucketScores scores =
          lengthBuckets(options.parts, *each.metric, each.rows, names, references.front());
      result["buckets"].push_back(std::move(scores.json));
      bucketTables.push_back(std::move(scores.table));
    }
  }
  if (global.json) return printJson(result);
  if (!subset.empty()) fmt::print("{}\n\n", subset);
  for (std::size_t m = 0; m < metrics.size(); ++m) {
    if (m > 0) fmt::print("\n");
    printScores(result, metrics[m], options);
  }
  for (const Table& table : bucketTables) fmt::print("\n{}", textTable(table));
  if (!options.significance.empty())
    printSignificance(result["significance"], options.significance);
}

}  // namespace

void addEvaluateCommand(CLI::App& app, const GlobalOptions& global) {
  auto options = std::make_shared<EvaluateOptions>();
  auto* verb = app.add_subcommand("evaluate", "Score translations against references");
  verb->add_option("--hypothesis", options->hypotheses,
                   "Translation files, also as toolkits write them; each is a system")
      ->required();
  verb->add_option("--reference", options->references,
                   "Reference files; give several files for several references")
      ->required();
  addSentenceOptions(*verb, options->reading, {.source = false, .outputs = true});
  addMetricOptions(*verb, options->scoring);
  verb->add_flag("--sentence", options->sentence,
                 "Scores of every sentence, one line each (BLEU: implies --effective-order)");
  verb->add_option("--significance", options->significance,
                   "Test every system against the first: bootstrap or randomization")
      ->check(CLI::IsMember({"bootstrap", "randomization"}));
  verb->add_flag("--confidence", options->confidence, "95 % interval of every score by resampling");
  addPartOptions(*verb, options->parts);
  verb->footer(
      "Examples:\n"
      "  strata-run evaluate --hypothesis out.txt --reference test.en --metric bleu,chrf,ter\n"
      "  strata-run evaluate --hypothesis a.tok b.tok --reference test.tok.en --metric multi-bleu "
      "--lowercase\n"
      "  strata-run evaluate --hypothesis a.txt b.txt --reference r0.en r1.en --significance "
      "bootstrap --json\n"
      "  strata-run evaluate --hypothesis out.tok --reference ref.tok --metric multi-bleu "
      "--length-edges 10,20,30,40,50 --subset references-in-vocabulary --vocabulary words.txt");
  verb->callback([options, &global] { evaluate(global, *options); });
}

}  // namespace strata
