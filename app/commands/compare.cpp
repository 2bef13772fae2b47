// strata-run compare: two or more translations of one test set, with everything that a paper says
// about them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "app/commands/metric_options.h"
#include "app/commands/verbs.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/data/lines.h"
#include "core/report/comparison.h"
#include "core/report/comparison_export.h"
#include "core/report/comparison_page.h"
#include "core/report/comparison_tables.h"

namespace strata {
namespace {

struct CompareOptions {
  std::vector<std::string> references, systems;  // systems as NAME=FILE
  std::string source, counts, vocabulary;
  std::string significance = "bootstrap", subset;
  MetricRequest scoring;
  ComparisonOptions of;
  std::string html, tsv, latex;
};

struct NamedFile {
  std::string name, path;
};

NamedFile namedFile(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw usageError("--system {} has no {}: give it as NAME=FILE", text,
                     equals == std::string::npos || equals == 0 ? "name" : "file");
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

// Counted while it is read: a training text need not fit into memory.
WordCounts countedWords(const std::string& path) {
  TextLines lines(path);
  WordCounts counts;
  for (std::string_view line; lines.next(line);) countWords(line, counts);
  if (counts.empty()) throw Error("{} holds no word: there are no counts in it", path);
  return counts;
}

ComparisonOptions comparisonOptions(const CompareOptions& options) {
  ComparisonOptions of = options.of;
  of.test = significanceTestNamed(options.significance);
  of.metrics = options.scoring.metrics;
  of.of = metricOptionsOf(options.scoring);
  of.referencesInVocabulary = options.subset == "references-in-vocabulary";
  if (of.referencesInVocabulary && options.vocabulary.empty())
    throw usageError("--subset references-in-vocabulary needs --vocabulary FILE");
  return of;
}

ComparisonInput inputOf(const CompareOptions& options) {
  ComparisonInput input;
  input.options = comparisonOptions(options);
  const std::string& reference = options.references.front();
  input.testSet = std::filesystem::path(reference).filename().string();
  input.references.push_back(readLines(reference));
  const std::size_t lines = input.references.front().size();
  if (lines == 0) throw Error("{} is empty: there is nothing to compare", reference);
  const auto checked = [&](const std::string& path, std::vector<std::string> read) {
    checkLineCounts(path, read.size(), reference, lines);
    return read;
  };
  for (std::size_t r = 1; r < options.references.size(); ++r)
    input.references.push_back(checked(options.references[r], readLines(options.references[r])));
  for (const std::string& text : options.systems) {
    const NamedFile file = namedFile(text);
    input.systems.push_back({file.name, checked(file.path, readTranslations(file.path))});
  }
  if (!options.source.empty()) input.source = checked(options.source, readLines(options.source));
  if (!options.vocabulary.empty()) input.vocabulary = Vocabulary::read(options.vocabulary);
  if (!options.counts.empty()) input.counts = countedWords(options.counts);
  return input;
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
  fmt::print("\n{}\n", textTable(statisticsTable(comparison)));
  for (const BucketTable& table : comparison.buckets) {
    fmt::print("{}", textTable(bucketTable(comparison, table)));
    fmt::print("{}{}\n", table.note, table.note.empty() ? "" : "\n");
  }
  if (!comparison.wordAccuracy.empty())
    fmt::print("{}\n", textTable(wordAccuracyTable(comparison)));
  fmt::print("{}", textTable(oracleTable(comparison)));
}

void compare(const GlobalOptions& global, const CompareOptions& options) {
  const Comparison comparison = compareSystems(inputOf(options));
  const Json files = writeFiles(comparison, options);
  if (global.json) {
    Json json = toJson(comparison);
    json["files"] = files;
    fmt::print("{}\n", json.dump(2));
    return;
  }
  print(comparison);
  if (!files.empty()) fmt::print("\n");
  for (const auto& [kind, path] : files.items()) fmt::print("wrote {}\n", path.get<std::string>());
}

void addBucketOptions(CLI::App& verb, CompareOptions& options) {
  verb.add_option("--length-edges", options.of.lengthEdges,
                  "Where buckets by words of the first reference begin")
      ->delimiter(',')
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb.add_option("--counts", options.counts,
                  "Training text of the target side, plain or compressed: adds buckets and word "
                  "accuracy by frequency");
  verb.add_option("--vocabulary", options.vocabulary,
                  "Vocabulary of the target side: adds buckets by unknown words");
  verb.add_option("--subset", options.subset,
                  "references-in-vocabulary: only sentences whose references hold no unknown word")
      ->check(CLI::IsMember({"references-in-vocabulary"}));
}

}  // namespace

void addCompareCommand(CLI::App& app, const GlobalOptions& global) {
  auto options = std::make_shared<CompareOptions>();
  auto* verb = app.add_subcommand("compare", "Compare translations of one test set");
  verb->add_option("--reference", options->references,
                   "Files of references, one line a sentence; several are several references")
      ->required();
  verb->add_option("--system", options->systems, "Two or more translations, each as NAME=FILE")
      ->required();
  verb->add_option("--source", options->source, "File of the source sentences");
  verb->add_option("--baseline", options->of.baseline,
                   "The system that others are compared with; the first one unless named");
  addMetricOptions(*verb, options->scoring);
  verb->add_option("--significance", options->significance,
                   "Test against the baseline: bootstrap or randomization")
      ->check(CLI::IsMember({"bootstrap", "randomization"}))
      ->capture_default_str();
  addBucketOptions(*verb, *options);
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
      "--significance randomization --json");
  verb->callback([options, &global] { compare(global, *options); });
}

}  // namespace strata
