// strata-run text clean: the one filter that reads and writes pairs of files.
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "app/commands/verbs.h"
#include "core/base/json.h"
#include "core/data/clean.h"
#include "core/text/line_stream.h"

namespace strata {
namespace {

void printCleanJson(const CleanCounts& counts, const std::vector<std::int64_t>& kept) {
  Json document;
  document["kept"] = kept;
  for (std::size_t i = 0; i < kCleanVerdicts; ++i) {
    document["counts"][std::string(nameOf(static_cast<CleanVerdict>(i)))] = counts.byVerdict[i];
  }
  fmt::print("{}\n", document.dump());
}

void runClean(const CleanFiles& files, const CleanOptions& options, bool json) {
  LineWriter output{STDOUT_FILENO, "standard output"};
  std::vector<std::int64_t> kept;
  const CleanCounts counts = cleanFiles(files, options, [&](std::int64_t number) {
    if (json) {
      kept.push_back(number);
      return;
    }
    output.buffer() += std::to_string(number);
    output.buffer().push_back('\n');
    output.flushIfLarge();
  });
  output.flush();
  if (json) printCleanJson(counts, kept);
}

}  // namespace

void addCleanCommand(CLI::App& text, const GlobalOptions& global) {
  CLI::App* filter = text.add_subcommand("clean",
                                         "Drop empty, long and uneven pairs and print the numbers "
                                         "of the kept lines, like Moses's clean-corpus-n.perl");
  filter->footer(
      "Example:\n  strata-run text clean --source t.de --target t.en --min 1 --max 50 > kept");
  const auto files = std::make_shared<CleanFiles>();
  const auto options = std::make_shared<CleanOptions>();
  filter->add_option("--source", files->source, "Source text")->required();
  filter->add_option("--target", files->target, "Target text")->required();
  filter->add_option("--min", options->minimum, "Minimum words per side")->capture_default_str();
  filter->add_option("--max", options->maximum, "Maximum words per side")->capture_default_str();
  filter->add_option("--ratio", options->ratio, "Maximum length ratio between the sides")
      ->capture_default_str();
  filter->add_flag("--lowercase", options->lowercase,
                   "Lowercase the kept lines, by the tool's rules for all languages");
  filter->add_flag("--ignore-ratio", options->ignoreRatio, "Keep pairs above the length ratio");
  filter->add_flag("--ignore-xml", options->ignoreXml, "Do not count XML tags as words");
  filter->add_option("--max-word-length", options->maxWordLength, "Maximum characters per word")
      ->capture_default_str();
  filter->add_option("--output-source", files->outputSource,
                     "File to write the kept source lines to");
  filter->add_option("--output-target", files->outputTarget,
                     "File to write the kept target lines to");
  filter->callback([files, options, &global] {
    options->sourceName = files->source.string();
    options->targetName = files->target.string();
    runClean(*files, *options, global.json);
  });
}

}  // namespace strata
