// strata-run evaluate: BLEU and multi-bleu of translations against references.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <set>

#include "app/commands/verbs.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/data/lines.h"
#include "core/metrics/bleu.h"
#include "core/metrics/hyphens.h"
#include "core/metrics/significance.h"
#include "core/report/table.h"

namespace strata {
namespace {

struct EvaluateOptions {
  std::vector<std::string> hypotheses, references;
  std::vector<std::string> metrics{"bleu"};
  std::string tokenize = "13a";
  std::string smooth = "exp";
  std::optional<double> smoothValue;
  int order = 4;
  bool lowercase = false;
  bool effectiveOrder = false;
  bool splitHyphens = false;
  bool sentence = false;
  bool confidence = false;
  std::string significance;
};

struct System {
  std::string name;
  std::vector<std::string> lines;
};

// One metric over all systems. Without `bleu` it is multi-bleu.
struct Metric {
  std::string name;
  std::optional<BleuOptions> bleu;
  std::string signature;
  std::vector<std::vector<BleuStats>> stats;  // a system, a sentence

  BleuScore score(const BleuStats& of) const {
    return bleu ? strata::bleu(of, *bleu) : multiBleu(of);
  }
};

std::string baseName(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

// File names, or paths where two files have the same name.
std::vector<System> readSystems(const EvaluateOptions& options) {
  std::multiset<std::string> names;
  for (const std::string& path : options.hypotheses) names.insert(baseName(path));
  std::vector<System> systems;
  for (const std::string& path : options.hypotheses) {
    systems.push_back({names.count(baseName(path)) > 1 ? path : baseName(path), readLines(path)});
  }
  return systems;
}

std::vector<std::vector<std::string>> readReferences(const EvaluateOptions& options,
                                                     const std::vector<System>& systems) {
  std::vector<std::vector<std::string>> references;
  for (const std::string& path : options.references) references.push_back(readLines(path));
  const std::size_t lines = references.front().size();
  const auto check = [&](const std::string& path, std::size_t count) {
    if (count != lines) {
      throw Error("{} has {} lines and {} has {}: line n of one belongs to line n of the other",
                  path, count, options.references.front(), lines);
    }
  };
  for (std::size_t r = 1; r < references.size(); ++r)
    check(options.references[r], references[r].size());
  for (std::size_t s = 0; s < systems.size(); ++s)
    check(options.hypotheses[s], systems[s].lines.size());
  if (lines == 0) throw Error("{} is empty: there is nothing to score", options.references.front());
  return references;
}

BleuOptions bleuOptionsOf(const EvaluateOptions& options) {
  BleuOptions bleu;
  bleu.tokenizer = bleuTokenizerNamed(options.tokenize);
  bleu.lowercase = options.lowercase;
  bleu.smoothing = bleuSmoothingNamed(options.smooth);
  bleu.smoothValue = options.smoothValue;
  bleu.order = options.order;
  // As sacreBLEU: a sentence shorter than the order would have no score otherwise.
  bleu.effectiveOrder = options.effectiveOrder || options.sentence;
  const bool valued =
      bleu.smoothing == BleuSmoothing::kFloor || bleu.smoothing == BleuSmoothing::kAddK;
  if (bleu.smoothValue && !valued)
    throw usageError("--smooth-value needs --smooth floor or --smooth add-k");
  return bleu;
}

Metric measure(const std::string& name, const EvaluateOptions& options,
               const std::vector<System>& systems,
               const std::vector<std::vector<std::string>>& references) {
  Metric metric;
  std::optional<BleuReferences> prepared;
  const bool split = options.splitHyphens;
  std::vector<std::vector<std::string>> sides = references;
  if (split) {
    for (auto& side : sides) side = withSplitHyphens(std::move(side));
  }
  if (name == "bleu") {
    metric.name = "BLEU";
    metric.bleu = bleuOptionsOf(options);
    metric.signature = options.confidence
                           ? bleuSignature(*metric.bleu, references.size(), BootstrapOptions{})
                           : bleuSignature(*metric.bleu, references.size());
    prepared.emplace(sides, *metric.bleu);
  } else {
    metric.name = "multi-bleu";
    metric.signature = fmt::format("nrefs:{}|case:{}|multi-bleu.perl", references.size(),
                                   options.lowercase ? "lc" : "mixed");
    prepared.emplace(sides, MultiBleuOptions{.lowercase = options.lowercase});
  }
  if (split) metric.signature += "|hyphens:split";
  for (const System& system : systems) {
    metric.stats.push_back(
        prepared->compare(split ? withSplitHyphens(system.lines) : system.lines));
  }
  return metric;
}

ConfidenceInterval intervalOf(const Metric& metric, const std::vector<BleuStats>& stats) {
  return pairedBootstrap(stats, stats, metric.bleu).systemInterval;
}

Json scoreJson(const Metric& metric, const std::vector<BleuStats>& stats,
               const EvaluateOptions& options) {
  const BleuScore score = metric.score(sum(stats));
  Json json{{"score", score.score},
            {"precisions", score.precisions},
            {"counts", score.counts},
            {"totals", score.totals},
            {"bp", score.brevityPenalty},
            {"sys_len", score.systemLength},
            {"ref_len", score.referenceLength},
            {"signature", metric.signature}};
  if (!metric.bleu) json["line"] = multiBleuLine(score);
  if (options.confidence) {
    const ConfidenceInterval interval = intervalOf(metric, stats);
    json["mean"] = interval.mean;
    json["ci"] = interval.halfWidth;
  }
  if (options.sentence && metric.bleu) {
    Json& sentences = json["sentences"] = Json::array();
    for (const BleuStats& sentence : stats) sentences.push_back(metric.score(sentence).score);
  }
  return json;
}

// Every further system against the first.
Json significanceOf(const Metric& metric, const std::vector<System>& systems,
                    const std::string& test) {
  Json rows = Json::array();
  for (std::size_t s = 1; s < systems.size(); ++s) {
    Json row{{"test", test},
             {"metric", metric.name},
             {"baseline", systems[0].name},
             {"system", systems[s].name}};
    if (test == "bootstrap") {
      const BootstrapOptions options;
      const auto result = pairedBootstrap(metric.stats[0], metric.stats[s], metric.bleu, options);
      row.update({{"samples", options.samples},
                  {"seed", options.seed},
                  {"difference", result.difference},
                  {"low", result.low},
                  {"high", result.high},
                  {"p_value", result.pValue}});
    } else {
      const RandomizationOptions options;
      const auto result =
          pairedRandomization(metric.stats[0], metric.stats[s], metric.bleu, options);
      row.update({{"trials", options.trials},
                  {"seed", options.seed},
                  {"difference", result.difference},
                  {"p_value", result.pValue}});
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Json resultOf(const std::vector<Metric>& metrics, const std::vector<System>& systems,
              const EvaluateOptions& options) {
  Json result{{"systems", Json::array()}, {"significance", Json::array()}};
  for (std::size_t s = 0; s < systems.size(); ++s) {
    Json scores = Json::object();
    for (const Metric& metric : metrics)
      scores[metric.name] = scoreJson(metric, metric.stats[s], options);
    result["systems"].push_back({{"name", systems[s].name}, {"scores", std::move(scores)}});
  }
  if (options.significance.empty()) return result;
  for (const Metric& metric : metrics) {
    for (Json& row : significanceOf(metric, systems, options.significance))
      result["significance"].push_back(std::move(row));
  }
  return result;
}

void printScores(const Json& result, const Metric& metric, const EvaluateOptions& options) {
  Table table{.caption = metric.name + "  " + metric.signature,
              .columns = {{"system"}, {metric.name, Align::kRight}},
              .rows = {},
              .marked = {}};
  if (options.confidence) table.columns.push_back({"95 % interval", Align::kRight});
  for (const char* title : {"precisions", "BP", "length", "reference"})
    table.columns.push_back({title, Align::kRight});
  for (const Json& system : result["systems"]) {
    const Json& score = system["scores"][metric.name];
    std::vector<std::string> row{system["name"],
                                 fmt::format("{:.2f}", score["score"].get<double>())};
    if (options.confidence) {
      row.push_back(fmt::format("{:.2f} \u00b1 {:.2f}", score["mean"].get<double>(),
                                score["ci"].get<double>()));
    }
    std::vector<std::string> precisions;
    for (const Json& precision : score["precisions"])
      precisions.push_back(fmt::format("{:.1f}", precision.get<double>()));
    row.push_back(fmt::format("{}", fmt::join(precisions, "/")));
    row.push_back(fmt::format("{:.3f}", score["bp"].get<double>()));
    row.push_back(score["sys_len"].dump());
    row.push_back(score["ref_len"].dump());
    table.rows.push_back(std::move(row));
  }
  fmt::print("{}", textTable(table));
}

void printSignificance(const Json& rows, const std::string& test) {
  Table table{.caption = "paired " + test + ", against " + rows[0]["baseline"].get<std::string>(),
              .columns = {{"system"}, {"metric"}, {"difference", Align::kRight}},
              .rows = {},
              .marked = {}};
  const bool interval = test == "bootstrap";
  if (interval) table.columns.push_back({"95 % interval", Align::kRight});
  table.columns.push_back({"p", Align::kRight});
  for (const Json& row : rows) {
    std::vector<std::string> cells{row["system"], row["metric"],
                                   fmt::format("{:+.2f}", row["difference"].get<double>())};
    if (interval)
      cells.push_back(
          fmt::format("{:+.2f} to {:+.2f}", row["low"].get<double>(), row["high"].get<double>()));
    cells.push_back(fmt::format("{:.4f}", row["p_value"].get<double>()));
    table.rows.push_back(std::move(cells));
  }
  fmt::print("\n{}", textTable(table));
}

// One line a sentence, one column a system, for other programs' pipes.
void printSentences(const std::vector<Metric>& metrics) {
  for (const Metric& metric : metrics) {
    if (!metric.bleu) continue;
    for (std::size_t i = 0; i < metric.stats.front().size(); ++i) {
      std::vector<std::string> cells;
      for (const auto& stats : metric.stats)
        cells.push_back(fmt::format("{:.4f}", metric.score(stats[i]).score));
      fmt::print("{}\n", fmt::join(cells, "\t"));
    }
  }
}

void evaluate(const GlobalOptions& global, const EvaluateOptions& options) {
  const std::set<std::string> names(options.metrics.begin(), options.metrics.end());
  if (names.size() != options.metrics.size()) throw usageError("--metric names one metric twice");
  if (!options.significance.empty() && options.hypotheses.size() < 2) {
    throw usageError("--significance compares systems: give --hypothesis two files at least");
  }
  if (options.sentence && !names.contains("bleu"))
    throw usageError("--sentence needs --metric bleu");
  const std::vector<System> systems = readSystems(options);
  const auto references = readReferences(options, systems);
  std::vector<Metric> metrics;
  for (const std::string& name : options.metrics)
    metrics.push_back(measure(name, options, systems, references));
  if (options.sentence && !global.json) return printSentences(metrics);
  const Json result = resultOf(metrics, systems, options);
  if (global.json) {
    fmt::print("{}\n", result.dump(2));
    return;
  }
  for (std::size_t m = 0; m < metrics.size(); ++m) {
    if (m > 0) fmt::print("\n");
    printScores(result, metrics[m], options);
  }
  if (!options.significance.empty())
    printSignificance(result["significance"], options.significance);
}

}  // namespace

void addEvaluateCommand(CLI::App& app, const GlobalOptions& global) {
  auto options = std::make_shared<EvaluateOptions>();
  auto* verb = app.add_subcommand("evaluate", "Score translations against references");
  verb->add_option("--hypothesis", options->hypotheses,
                   "Files of translations, one line a sentence; each is a system")
      ->required();
  verb->add_option("--reference", options->references,
                   "Files of references; several are several references")
      ->required();
  verb->add_option("--metric", options->metrics,
                   "bleu (sacreBLEU's), multi-bleu (of tokenised text)")
      ->delimiter(',')
      ->check(CLI::IsMember({"bleu", "multi-bleu"}))
      ->capture_default_str();
  verb->add_flag("--split-hyphens", options->splitHyphens,
                 "Make a-b three tokens on both sides first");
  verb->add_option("--tokenize", options->tokenize, "Words of BLEU: 13a, intl, char, zh or none")
      ->check(CLI::IsMember({"13a", "intl", "char", "zh", "none"}))
      ->capture_default_str();
  verb->add_flag("--lowercase", options->lowercase, "Compare without regard to case");
  verb->add_option("--smooth", options->smooth, "BLEU's smoothing: exp, floor, add-k or none")
      ->check(CLI::IsMember({"exp", "floor", "add-k", "none"}))
      ->capture_default_str();
  verb->add_option("--smooth-value", options->smoothValue, "Of floor (0.1) or add-k (1)")
      ->check(CLI::NonNegativeNumber);
  verb->add_option("--order", options->order, "Longest n-gram of BLEU")
      ->check(CLI::Range(1, kMaxBleuOrder))
      ->capture_default_str();
  verb->add_flag("--effective-order", options->effectiveOrder,
                 "BLEU: leave out orders that a hypothesis is too short for");
  verb->add_flag("--sentence", options->sentence,
                 "BLEU of every sentence, one line each (implies --effective-order)");
  verb->add_option("--significance", options->significance,
                   "Test every system against the first: bootstrap or randomization")
      ->check(CLI::IsMember({"bootstrap", "randomization"}));
  verb->add_flag("--confidence", options->confidence, "95 % interval of every score by resampling");
  verb->footer(
      "Examples:\n"
      "  strata-run evaluate --hypothesis out.txt --reference test.en\n"
      "  strata-run evaluate --hypothesis a.tok b.tok --reference test.tok.en --metric multi-bleu "
      "--lowercase\n"
      "  strata-run evaluate --hypothesis a.txt b.txt --reference r0.en r1.en --significance "
      "bootstrap --json");
  verb->callback([options, &global] { evaluate(global, *options); });
}

}  // namespace strata
