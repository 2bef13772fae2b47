// strata-run data lexicon: learns the dictionaries of a dataset's words.
#include <fmt/format.h>

#include <memory>

#include "app/commands/verbs.h"
#include "core/data/lexicon.h"

namespace strata {
namespace {

struct LexiconRequest {
  std::string dataset, import;
  LexiconOptions options;
};

void learn(const LexiconRequest& request, const GlobalOptions& global) {
  const Dataset dataset = Dataset::open(global.workspace / "datasets", request.dataset);
  LearntLexicon lexicon;
  if (request.import.empty()) {
    lexicon =
        learnLexicon(trainWords(dataset, terminalProgress()), request.options, terminalProgress());
  } else {
    lexicon.linked = lexicon.likely =
        readDictionary(request.import, TextPipeline::load(dataset.textFolder()));
  }
  const auto file = lexiconFile(dataset, LexiconKind::kLinked),
             shortlist = lexiconFile(dataset, LexiconKind::kLikely);
  const auto& entries = lexicon.linked;
  writeLexicon(file, entries);
  writeLexicon(shortlist, lexicon.likely);
  const auto words = Lexicon(entries).size();
  printDone(
      global,
      {{"dataset", dataset.name()},
       {"version", dataset.version()},
       {"file", file.string()},
       {"entries", entries.size()},
       {"words", words},
       {"shortlist_file", shortlist.string()},
       {"shortlist_entries", lexicon.likely.size()}},
      fmt::format("{} translations of {} source words of dataset {}: {}\n{} for shortlists: {}",
                  entries.size(), words, dataset.name(), file.string(), lexicon.likely.size(),
                  shortlist.string()));
}

}  // namespace

void addLexiconCommand(CLI::App& data, const GlobalOptions& global) {
  auto request = std::make_shared<LexiconRequest>();
  auto* verb = data.add_subcommand("lexicon",
                                   "Learn the dictionaries of translate --posunk and --shortlist");
  verb->add_option("--dataset", request->dataset, "NAME or NAME@VERSION")->required();
  auto* iterations = verb->add_option("--iterations", request->options.iterations,
                                      "Iterations of IBM Model 1, in both directions")
                         ->check(CLI::PositiveNumber)
                         ->capture_default_str();
  auto* minimum =
      verb->add_option("--minimum", request->options.minimumLinks,
                       "For --posunk, leave out translations linked less often than this")
          ->check(CLI::PositiveNumber)
          ->capture_default_str();
  verb->add_option("--import", request->import,
                   "Use this file instead: source<TAB>target[<TAB>probability] per line")
      ->check(CLI::ExistingFile)
      ->excludes(iterations)
      ->excludes(minimum);
  verb->footer(
      "Example:\n"
      "  strata-run data lexicon --dataset multi30k-deen\n"
      "  strata-run translate --run first --input test.de --posunk");
  verb->callback([request, &global] { learn(*request, global); });
}

}  // namespace strata
