// strata-run compare: compares translations of one test set: scores, significance tests, buckets,
// n-grams, sentences.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>

#include "app/commands/compare_input.h"
#include "app/commands/sentence_options.h"
#include "app/commands/verbs.h"
#include "core/base/error.h"
#include "core/base/named_output.h"
#include "core/base/parse_number.h"
#include "core/compare/comparison.h"
#include "core/compare/comparison_filter.h"
#include "core/report/comparison_export.h"
#include "core/report/comparison_page.h"
#include "core/report/comparison_tables.h"

namespace strata {
namespace {

std::optional<double> lengthOf(std::string_view text, const std::string& whole) {
  if (text.empty()) return std::nullopt;
  const auto words = parseNumber<std::uint32_t>(text);
  if (!words)
    throw usageError("--length {} is not a range of word counts; expected MIN:MAX", whole);
  return *words;
}

SentenceFilter filterOf(const CompareOptions& options) {
  using Where = SentenceFilter::Where;
  SentenceFilter filter{.pattern = options.pattern, .caseSensitive = options.caseSensitive};
  filter.where = options.where == "source"       ? Where::kSource
                 : options.where == "references" ? Where::kReferences
                 : options.where == "systems"    ? Where::kSystems
                                                 : Where::kAnywhere;
  if (options.length.empty()) return filter;
  const std::string& text = options.length;
  const auto colon = text.find(':');
  if (colon != text.npos) {
    filter.length = {lengthOf(std::string_view(text).substr(0, colon), text),
                     lengthOf(std::string_view(text).substr(colon + 1), text)};
  }
  const auto& [low, high] = filter.length;
  if (filter.length.isOpen() || (low && high && *low > *high))
    throw usageError("--length {} is not a range of word counts; expected MIN:MAX, MIN: or :MAX",
                     text);
  return filter;
}

// For every metric; empty without a filter.
std::vector<FilteredScores> filteredScores(const Comparison& comparison,
                                           const SentenceFilter& filter) {
  std::vector<FilteredScores> metrics;
  if (filter.isOpen()) return metrics;
  const auto sentences = filteredSentences(comparison, filter);
  for (std::size_t m = 0; m < comparison.metrics.size(); ++m)
    metrics.push_back(scoreSentences(comparison, m, sentences));
  return metrics;
}

Json filterJson(const CompareOptions& options) {
  Json json = Json::object();
  if (!options.pattern.empty()) {
    json = {{"pattern", options.pattern},
            {"in", options.where},
            {"case_sensitive", options.caseSensitive}};
  }
  if (!options.length.empty()) json["length"] = options.length;
  return json;
}

// Returns the kinds of files written and their paths.
Json writeFiles(const Comparison& comparison, const CompareOptions& options) {
  Json files = Json::object();
  const auto write = [&](const char* kind, const std::string& path, const auto& make) {
    if (path.empty()) return;
    writeNamedOutput(path, make());
    files[kind] = path;
  };
  write("html", options.html, [&] { return comparisonPage(comparison); });
  write("tsv", options.tsv, [&] { return sentencesTsv(comparison); });
  write("latex", options.latex, [&] { return latexOf(comparison); });
  return files;
}

void print(const Comparison& comparison) {
  for (std::size_t m = 0; m < comparison.metrics.size(); ++m)
    fmt::print("{}\n", textTable(scoreTable(comparison, m)));
  for (const std::string& note : comparisonNotes(comparison)) fmt::print("{}\n", note);
  fmt::print("\n");
  for (const NotedTable& noted : analysisTables(comparison)) {
    for (const Table& table : noted.tables) fmt::print("{}\n", textTable(table));
    fmt::print("{}\n\n", noted.note);
  }
  fmt::print("{}\n", textTable(statisticsTable(comparison)));
  for (const BucketTable& table : comparison.buckets) {
    fmt::print("{}", textTable(bucketTable(comparison, table)));
    fmt::print("{}{}\n", table.note, table.note.empty() ? "" : "\n");
  }
  if (!comparison.wordAccuracy.empty())
    fmt::print("{}\n", textTable(wordAccuracyTable(comparison)));
  if (comparison.systems.size() > 1) fmt::print("{}", textTable(oracleTable(comparison)));
}

void print(const Comparison& comparison, const std::vector<FilteredScores>& filtered) {
  for (std::size_t m = 0; m < filtered.size(); ++m)
    fmt::print("\n{}", textTable(filteredTable(comparison, m, filtered[m])));
  if (filtered.empty() || filtered.front().sentences.size() > 1) return;
  fmt::print("{}\n", filtered.front().sentences.empty()
                         ? "No sentence is left by the filter."
                         : "One sentence is left by the filter: there are no intervals and no "
                           "tests.");
}

void compare(const GlobalOptions& global, const CompareOptions& options) {
  const SentenceFilter filter = filterOf(options);
  const Comparison comparison = compareSystems(comparisonInputOf(options, global));
  const auto filtered = filteredScores(comparison, filter);
  const Json files = writeFiles(comparison, options);
  if (global.json) {
    for (const std::string& note : tokenizationNotes(comparison)) spdlog::warn("{}", note);
    Json json = toJson(comparison);
    json["notes"] = comparisonNotes(comparison);
    if (!filtered.empty()) {
      json["filtered"] = filteredJson(comparison, filtered);
      json["filtered"]["filter"] = filterJson(options);
    }
    json["files"] = files;
    return printJson(json);
  }
  print(comparison);
  print(comparison, filtered);
  if (!files.empty()) fmt::print("\n");
  for (const auto& [kind, path] : files.items()) fmt::print("wrote {}\n", path.get<std::string>());
}

void addBucketOptions(CLI::App& verb, CompareOptions& options) {
  verb.add_option("--length-edges", options.of.lengthEdges,
                  "Lower edges of buckets by length of the first reference in words")
      ->delimiter(',')
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb.add_option("--length-buckets", options.of.lengthBuckets,
                  "Also use this number of length buckets with equally many sentences")
      ->check(CLI::Range(2, 1000));
  verb.add_option(
      "--counts", options.counts,
      "Target-side training text, plain or compressed: adds buckets and word accuracy by "
      "frequency");
  verb.add_option("--vocabulary", options.vocabulary,
                  "Target vocabulary: adds buckets by number of unknown words");
  verb.add_option("--subword-reference", options.subwordReference,
                  "The first reference after BPE: adds buckets by number of split words");
  verb.add_option("--subset", options.subset,
                  "references-in-vocabulary: only sentences whose references have no unknown words")
      ->check(CLI::IsMember({"references-in-vocabulary"}));
}

void addStoredOptions(CLI::App& verb, CompareOptions& options) {
  auto* set = verb.add_option("--set", options.set,
                              "Test set of the workspace (see systems sets) instead of "
                              "--reference; without --system all its systems are compared");
  for (const char* other : {"--reference", "--source"}) set->excludes(verb.get_option(other));
  verb.add_flag("--tokens", options.tokens,
                "With --set: compare the dataset's tokens, with counts of its training "
                "text, instead of plain text")
      ->needs(set);
  verb.add_flag("--keep-case", options.keepsCase,
                "With --set: keep case even if the scorers of all runs that are compared ignore it "
                "(their scoring.case)")
      ->needs(set);
}

void addFilterOptions(CLI::App& verb, CompareOptions& options) {
  auto* filter = verb.add_option("--filter", options.pattern,
                                 "Also score the sentences that match this regular expression");
  verb.add_option("--filter-in", options.where,
                  "Where to search: source, references, systems or anywhere")
      ->check(CLI::IsMember({"source", "references", "systems", "anywhere"}))
      ->needs(filter)
      ->capture_default_str();
  verb.add_flag("--filter-case-sensitive", options.caseSensitive, "Match case in --filter")
      ->needs(filter);
  verb.add_option(
      "--length", options.length,
      "Also score the sentences whose first reference has this many words, as MIN:MAX, MIN: "
      "or :MAX; combined with --filter");
}

}  // namespace

void addCompareCommand(CLI::App& app, const GlobalOptions& global) {
  auto options = std::make_shared<CompareOptions>();
  auto* verb = app.add_subcommand("compare", "Compare translations of one test set");
  verb->add_option("--reference", options->references,
                   "Reference files; give several files for several references");
  verb->add_option(
      "--system", options->systems,
      "Translations, each as NAME=FILE; NAME#RUN=FILE is one of several runs "
      "of NAME, which are also compared as a group. With --set also names of systems in "
      "the workspace");
  verb->add_option("--source", options->source, "File of the source sentences");
  addSentenceOptions(*verb, options->reading, {.outputs = true});
  addStoredOptions(*verb, *options);
  verb->add_option("--baseline", options->of.baseline,
                   "The system or group that the others are compared with (default: the first "
                   "system); of a group its first run");
  verb->add_option("--likelihoods", options->likelihoods,
                   "Output of strata-run score for the first reference, as NAME=FILE: compares the "
                   "log-probabilities that the systems assign to it");
  verb->add_option(
          "--nbest-size", options->nbestSize,
          "Plain files with this many lines per sentence are n-best lists, best first; other "
          "formats are detected")
      ->check(CLI::Range(1, 10000));
  addMetricOptions(*verb, options->scoring, MetricNames::kImportedToo);
  verb->get_option("--keep-case")->excludes(verb->get_option("--lowercase"));
  verb->add_option("--significance", options->significance,
                   "Significance test against the baseline: bootstrap or randomization")
      ->check(CLI::IsMember({"bootstrap", "randomization"}))
      ->capture_default_str();
  addBucketOptions(*verb, *options);
  addFilterOptions(*verb, *options);
  verb->add_option("--html", options->html,
                   "Write everything, sentences included, to one HTML page");
  verb->add_option("--tsv", options->tsv, "Write the sentences with scores as TSV");
  verb->add_option("--latex", options->latex, "Write the scores as a LaTeX table");
  verb->footer(
      "Examples:\n"
      "  strata-run compare --reference test.en --system base=base.txt ours=ours.txt --html "
      "comparison.html\n"
      "  strata-run compare --reference test.tok.en --system a=a.tok b=b.tok c=c.tok --baseline b "
      "--metric multi-bleu,ter --lowercase --counts train.tok.en.gz --latex scores.tex\n"
      "  strata-run compare --reference r0.en r1.en --source test.de --system base=b.txt "
      "ours=o.txt "
      "--significance randomization --json\n"
      "  strata-run compare --set multi30k-deen/test --system 23 28 other=o.txt --html page.html\n"
      "  strata-run compare --reference test.en --system base#1=a.txt base#2=b.txt ours#1=c.txt "
      "ours#2=d.txt --baseline base --filter '\\bnot\\b' --length 5:20");
  verb->callback([options, &global] { compare(global, *options); });
}

}  // namespace strata
