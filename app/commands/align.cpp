// strata-run align: precision, recall and error rate of word alignments against gold alignments.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "app/commands/sentence_options.h"
#include "app/commands/verbs.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/data/byte_source.h"
#include "core/metrics/alignment_error.h"
#include "core/report/table.h"

namespace strata {
namespace {

struct AlignOptions {
  std::vector<std::string> hypotheses;
  std::string gold, possible, source, target;
  std::string format = "mixed";
  bool fromOne = false, hypothesisFromOne = false;
  SentenceOptions reading;
};

AlignmentFormat formatNamed(const std::string& name) {
  return name == "naacl" ? AlignmentFormat::kNaacl : AlignmentFormat::kMixed;
}

std::optional<AlignmentLengths> lengthsOf(const AlignOptions& options) {
  if (options.source.empty() != options.target.empty())
    throw usageError(
        "--source and --target must be given together: they give the sentence lengths");
  if (options.source.empty()) return std::nullopt;
  const SentenceOptions& reading = options.reading;
  const SentenceText source = readSentences(reading.input(options.source, TextRole::kSource));
  SentenceText target = readSentences(reading.input(options.target, TextRole::kReference));
  putInOrder(source, target);
  return alignmentLengths(source.lines, target.lines);
}

void warn(const Alignments& alignments) {
  for (const std::string& warning : alignments.warnings)
    fmt::print(stderr, "warning: {}\n", warning);
}

// Of a file, compressed or not.
Alignments linksIn(const std::string& path, const AlignmentReading& reading) {
  const Alignments found = parseAlignments(readAllBytes(path), path, reading);
  warn(found);
  return found;
}

Alignments goldOf(const AlignOptions& options, const std::optional<AlignmentLengths>& lengths) {
  const AlignmentFormat format = formatNamed(options.format);
  Alignments gold =
      linksIn(options.gold, {.format = format, .lengths = lengths, .fromOne = options.fromOne});
  if (!options.possible.empty())
    gold = goldAlignments(
        gold, linksIn(options.possible, {.lengths = lengths, .fromOne = options.fromOne}));
  if (!options.fromOne && format != AlignmentFormat::kNaacl && seemsToCountFromOne(gold)) {
    fmt::print(stderr,
               "warning: {}: no link has a 0: if its words are counted from 1, give --from-one\n",
               options.gold);
  }
  return gold;
}

// A hypothesis, of as many sentences as the gold alignment.
Alignments hypothesisIn(const std::string& path, const AlignOptions& options,
                        const std::optional<AlignmentLengths>& lengths, const Alignments& gold) {
  Alignments found = linksIn(path, {.format = AlignmentFormat::kMixed,
                                    .lengths = lengths,
                                    .fromOne = options.hypothesisFromOne});
  if (found.sentences.size() != gold.sentences.size()) {
    throw Error("{} has {} sentences and {} has {}: line n of one belongs to line n of the other",
                path, found.sentences.size(), options.gold, gold.sentences.size());
  }
  if (!options.hypothesisFromOne && seemsToCountFromOne(found) && !seemsToCountFromOne(gold)) {
    fmt::print(stderr,
               "warning: {}: no link has a 0, but those of {} have: if its words are counted from "
               "1, give --hypothesis-from-one\n",
               path, options.gold);
  }
  return found;
}

void align(const GlobalOptions& global, const AlignOptions& options) {
  const auto lengths = lengthsOf(options);
  const Alignments gold = goldOf(options, lengths);
  Json systems = Json::array();
  constexpr NumberStyle kRate{.digits = 4};
  Table table{.caption = "against " + options.gold, .columns = {{"system"}}};
  for (const char* title : {"AER", "precision", "recall", "F1", "links"}) table.addColumn(title);
  for (const std::string& path : options.hypotheses) {
    const Alignments found = hypothesisIn(path, options, lengths, gold);
    const AlignmentCounts counts = sum(compareAlignments(found, gold));
    const std::string name = std::filesystem::path(path).filename().string();
    systems.push_back({{"name", name},
                       {"aer", aer(counts)},
                       {"precision", precision(counts)},
                       {"recall", recall(counts)},
                       {"f1", f1(counts)},
                       {"links", counts.links},
                       {"sure", counts.sure},
                       {"possible", counts.possible}});
    table.rows.push_back({name, Cell::number(aer(counts), kRate),
                          Cell::number(precision(counts), kRate),
                          Cell::number(recall(counts), kRate), Cell::number(f1(counts), kRate),
                          Cell::count(counts.links)});
  }
  if (global.json) return printJson({{"systems", systems}});
  fmt::print("{}", textTable(table));
}

}  // namespace

void addAlignCommand(CLI::App& app, const GlobalOptions& global) {
  auto options = std::make_shared<AlignOptions>();
  auto* verb = app.add_subcommand("align", "Score word alignments against gold alignments");
  verb->add_option(
          "--hypothesis", options->hypotheses,
          "Alignment files, source-target links from 0, one sentence per line; each is a system")
      ->required();
  verb->add_option("--gold", options->gold, "Gold links; compressed or not, as all files here")
      ->required();
  verb->add_option("--possible", options->possible,
                   "Possible links; --gold then has the sure links");
  verb->add_option("--format", options->format,
                   "Format of --gold: mixed (1-2 is sure, 1?2 or 1p2 possible) or naacl (one link "
                   "per line, from 1)")
      ->check(CLI::IsMember({"mixed", "naacl"}))
      ->capture_default_str();
  verb->add_flag("--from-one", options->fromOne,
                 "Words of --gold and --possible are counted from 1, as in NAACL files");
  verb->add_flag("--hypothesis-from-one", options->hypothesisFromOne,
                 "Words of --hypothesis are counted from 1");
  verb->add_option("--source", options->source,
                   "Source sentences, to report links outside of them");
  verb->add_option("--target", options->target, "Target sentences");
  addSentenceOptions(*verb, options->reading, {.format = "--text-format"});
  verb->footer(
      "Examples:\n"
      "  strata-run align --hypothesis ours.align --gold gold.txt\n"
      "  strata-run align --hypothesis ours.align --gold sure.txt --possible possible.txt --json\n"
      "  strata-run align --hypothesis ours.align --gold gold.talp.gz --from-one");
  verb->callback([options, &global] { align(global, *options); });
}

}  // namespace strata
