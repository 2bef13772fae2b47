// strata-run compare: two or more translations of one test set, with everything that a paper says
// about them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <memory>

#include "app/commands/compare_input.h"
#include "app/commands/verbs.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/compare/comparison.h"
#include "core/report/comparison_export.h"
#include "core/compare/comparison_filter.h"
#include "core/report/comparison_page.h"
#include "core/report/comparison_tables.h"

namespace strata {
namespace {

std::optional<double> lengthOf(std::string_view text, const std::string& whole) {
  if (text.empty()) return std::nullopt;
  std::uint32_t words = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), words);
  if (error != std::errc() || end != text.data() + text.size())
    throw usageError("--length {} is no range of words: give it as MIN:MAX", whole);
  return words;
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
    throw usageError("--length {} is no range of words: give it as MIN:MAX, MIN: or :MAX", text);
  return filter;
}

// Of every metric; empty where there is no filter.
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

// Returns what was written where.
Json writeFiles(const Comparison& comparison, const CompareOptions& options) {
  Json files = Json::object();
  const auto write = [&](const char* kind, const std::string& path, const auto& make) {
    if (path.empty()) return;
    writeFileAtomic(path, make());
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
  fmt::print("{}", textTable(oracleTable(comparison)));
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
    Json json = toJson(comparison);
    if (!filtered.empty()) {
      json["filtered"] = filteredJson(comparison, filtered);
      json["filtered"]["filter"] = filterJson(options);
    }
    json["files"] = files;
    fmt::print("{}\n", json.dump(2));
    return;
  }
  print(comparison);
  print(comparison, filtered);
  if (!files.empty()) fmt::print("\n");
  for (const auto& [kind, path] : files.items()) fmt::print("wrote {}\n", path.get<std::string>());
}

void addBucketOptions(CLI::App& verb, CompareOptions& options) {
  verb.add_option("--length-edges", options.of.lengthEdges,
                  "Where buckets by words of the first reference begin")
      ->delimiter(',')
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb.add_option("--length-buckets", options.of.lengthBuckets,
                  "Besides, so many buckets of equal counts by the same")
      ->check(CLI::Range(2, 1000));
  verb.add_option("--counts", options.counts,
                  "Training text of the target side, plain or compressed: adds buckets and word "
                  "accuracy by frequency");
  verb.add_option("--vocabulary", options.vocabulary,
                  "Vocabulary of the target side: adds buckets by unknown words");
  verb.add_option("--subword-reference", options.subwordReference,
                  "The first reference after BPE: adds buckets by words that it splits");
  verb.add_option("--subset", options.subset,
                  "references-in-vocabulary: only sentences whose references hold no unknown word")
      ->check(CLI::IsMember({"references-in-vocabulary"}));
}

void addStoredOptions(CLI::App& verb, CompareOptions& options) {
  auto* set = verb.add_option("--set", options.set,
                              "Test set of the workspace (see systems sets) instead of "
                              "--reference; without --system all its systems are compared");
  for (const char* other : {"--reference", "--source"}) set->excludes(verb.get_option(other));
  verb.add_flag("--tokens", options.tokens,
                "With --set: compare tokens as the dataset's pipeline leaves them, with counts and "
                "vocabulary of its training text, instead of plain text")
      ->needs(set);
}

void addFilterOptions(CLI::App& verb, CompareOptions& options) {
  auto* filter = verb.add_option("--filter", options.pattern,
                                 "Besides, scores of the sentences where this regular expression "
                                 "is found");
  verb.add_option("--filter-in", options.where,
                  "Where it is searched: source, references, systems or anywhere")
      ->check(CLI::IsMember({"source", "references", "systems", "anywhere"}))
      ->needs(filter)
      ->capture_default_str();
  verb.add_flag("--filter-case-sensitive", options.caseSensitive, "Case matters to it")
      ->needs(filter);
  verb.add_option("--length", options.length,
                  "Besides, scores of the sentences with so many words in the first reference, as "
                  "MIN:MAX, MIN: or :MAX; with --filter of those that are both");
}

}  // namespace

void addCompareCommand(CLI::App& app, const GlobalOptions& global) {
  auto options = std::make_shared<CompareOptions>();
  auto* verb = app.add_subcommand("compare", "Compare translations of one test set");
  verb->add_option("--reference", options->references,
                   "Files of references, one line a sentence; several are several references");
  verb->add_option("--system", options->systems,
                   "Two or more translations, each as NAME=FILE; NAME#RUN=FILE is one of several "
                   "runs of NAME, which are also compared as a group. With --set also names of "
                   "systems in the workspace");
  verb->add_option("--source", options->source, "File of the source sentences");
  addStoredOptions(*verb, *options);
  verb->add_option("--baseline", options->of.baseline,
                   "The system that others are compared with, or a group: its first run; the "
                   "first one unless named");
  verb->add_option("--likelihoods", options->likelihoods,
                   "What strata-run score printed for the first reference, as NAME=FILE: compares "
                   "how likely the systems find it");
  verb->add_option("--nbest-size", options->nbestSize,
                   "Plain files with so many lines a sentence are n-best lists, best first; other "
                   "formats are recognised")
      ->check(CLI::Range(1, 10000));
  addMetricOptions(*verb, options->scoring);
  verb->add_option("--significance", options->significance,
                   "Test against the baseline: bootstrap or randomization")
      ->check(CLI::IsMember({"bootstrap", "randomization"}))
      ->capture_default_str();
  addBucketOptions(*verb, *options);
  addFilterOptions(*verb, *options);
  verb->add_option("--html", options->html, "Writes one page with everything, sentences included");
  verb->add_option("--tsv", options->tsv, "Writes a table of sentences");
  verb->add_option("--latex", options->latex, "Writes the scores as a table for a paper");
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
