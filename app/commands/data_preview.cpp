#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "app/commands/prepare_flags.h"
#include "core/base/error.h"
#include "core/data/file_guess.h"
#include "core/data/recipe.h"
#include "core/report/table.h"

namespace strata {
namespace {

constexpr std::size_t kShownRows = 5;
constexpr const char* kSides[] = {"source", "target"};

struct PreviewFlags {
  std::vector<std::string> what;
  PreviewOptions options;
};

void printTable(const char* title, const Table& table) {
  if (!table.rows.empty()) fmt::print("\n{}\n{}", title, textTable(table));
}

// What the verb's files are, if no flag says it: a recipe, or pairs as their names suggest.
PrepareOptions options(CLI::App& verb, PrepareFlags& flags, const std::vector<std::string>& what) {
  if (what.size() == 1 && isRecipe(what.front())) return prepareOptions(verb, flags, what.front());
  if (what.empty()) return prepareOptions(flags);
  if (!flags.train.empty()) throw usageError("give files, or --train, --valid and --test");
  const FileGuess guess = guessFiles(what);
  PrepareOptions options = textOptions(flags);
  options.train = guess.options.train;
  options.sets = guess.options.sets;
  if (options.name.empty()) options.name = guess.options.name;
  if (options.sourceLanguage.empty()) options.sourceLanguage = guess.options.sourceLanguage;
  if (options.targetLanguage.empty()) options.targetLanguage = guess.options.targetLanguage;
  for (const std::string& file : guess.unused) fmt::print(stderr, "{}: belongs to no pair\n", file);
  return options;
}

void printHead(const DatasetPreview& preview) {
  fmt::print("{}{} pairs read, {} kept\n", preview.complete ? "" : "the first ", preview.read,
             preview.cleaning.kept());
  Table rejected;
  for (const RejectedLine& line : preview.rejected) {
    if (rejected.rows.size() >= kShownRows && !line.stops) continue;
    rejected.beginRow("file", line.file);
    rejected.addNumber("line", Cell::count(line.line));
    rejected.addText("reason", line.reason);
    rejected.addText("text", line.text);
  }
  printTable(fmt::format("rejected lines ({})", preview.rejectedLines).c_str(), rejected);
  Table pairs;
  for (std::size_t i = 0; i < std::min(kShownRows, preview.pairs.size()); ++i) {
    pairs.beginRow("source", preview.pairs[i].source);
    pairs.addText("target", preview.pairs[i].target);
  }
  printTable("first pairs", pairs);
}

void printMerges(const MergeEffect& merges) {
  Table table;
  for (const MergeRow& row : merges.rows) {
    table.beginRow("merges", row.merges == 0 ? Cell("none") : Cell::count(row.merges));
    for (std::size_t side = 0; side < 2; ++side) {
      const MergeSide& of = row.sides[side];
      const auto title = [&](const char* what) { return fmt::format("{} {}", kSides[side], what); };
      table.addNumber(title("units"), Cell::count(of.vocabulary));
      table.addNumber(title("per word"), Cell::number(of.unitsPerWord));
      table.addNumber(title("split"), Cell::number(of.split, kShareNumber));
      table.addNumber(title("unknown"), Cell::number(of.unknown, kShareNumber));
    }
    table.addNumber("joint", Cell::count(row.joint));
  }
  printTable(
      fmt::format("numbers of merges, learned from {} of {} pairs{}", merges.pairs, merges.of,
                  merges.isSample() ? " (a sample: more pairs have more units)" : "")
          .c_str(),
      table);
}

}  // namespace

void printFigures(const TextFigures& figures) {
  Table words;
  for (std::size_t side = 0; side < 2; ++side) {
    const SideFigures& of = figures.sides[side];
    words.beginRow("words", kSides[side]);
    words.addNumber("running", Cell::count(of.tokens));
    words.addNumber("different", Cell::count(of.types));
    words.addNumber("per sentence", Cell::number(of.mean));
    words.addNumber("median", Cell::count(of.median));
    words.addNumber("95 %", Cell::count(of.p95));
    words.addNumber("longest", Cell::count(of.longest));
  }
  printTable("words of train", words);
  Table coverage;
  for (const Coverage& of : figures.coverage) {
    coverage.beginRow("set", of.set);
    coverage.addText("side", kSides[of.side]);
    coverage.addNumber("running words", Cell::count(of.tokens));
    coverage.addNumber("in train", Cell::number(of.points.back().share, kShareNumber));
  }
  printTable("words of the evaluation sets", coverage);
  Table overlap;
  for (const OverlapCounts& of : figures.overlap) {
    overlap.beginRow("set", of.set);
    overlap.addNumber("sentences", Cell::count(of.sentences));
    overlap.addNumber("sources in train", Cell::count(of.source));
    overlap.addNumber("references in train", Cell::count(of.target));
    overlap.addNumber("pairs in train", Cell::count(of.pair));
  }
  printTable("shared with train", overlap);
  fmt::print("\n{} pairs have more than {} times as many words on one side\n", figures.outlierPairs,
             figures.outlierRatio);
}

void addPreviewCommand(CLI::App& data, const GlobalOptions& global) {
  auto* verb = data.add_subcommand(
      "preview", "Show what files, an archive or a recipe contain before they are prepared");
  auto preview = std::make_shared<PreviewFlags>();
  verb->add_option("what", preview->what,
                   "Files, archives and folders, whose names say what they are, or a recipe");
  verb->add_option("--limit", preview->options.limit,
                   "Read only this many pairs of the training text; 0: all")
      ->check(CLI::NonNegativeNumber);
  verb->add_option("--merges", preview->options.merges, "Numbers of BPE merges to try")
      ->delimiter(',')
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  verb->add_option("--merge-pairs", preview->options.mergePairs,
                   "Learn them from a sample of this many pairs")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  const auto flags = addPrepareFlags(*verb);
  verb->footer(
      "Examples:\n"
      "  strata-run data preview corpus/train.de corpus/train.en corpus/valid.de corpus/valid.en\n"
      "  strata-run data preview corpus.tgz --tokenizer moses --lowercase --bpe 10000\n"
      "  strata-run data preview multi30k-deen --from ~/multi30k");
  verb->callback([verb, preview, flags, &global] {
    const DatasetPreview result =
        previewDataset(options(*verb, *flags, preview->what), preview->options, terminalProgress());
    if (global.json) return printJson(result.json());
    printHead(result);
    printFigures(result.figures);
    printMerges(result.merges);
    for (const std::string& warning : result.warnings) fmt::print("\nwarning: {}\n", warning);
    for (const std::string& note : result.notes) fmt::print("note: {}\n", note);
  });
}

}  // namespace strata
