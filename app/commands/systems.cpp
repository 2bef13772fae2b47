// strata-run systems: the translations in a workspace, from its runs and from other toolkits.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>

#include "app/commands/listing.h"
#include "app/commands/sentence_options.h"
#include "app/commands/system_json.h"
#include "app/commands/systems_scores.h"
#include "core/base/error.h"
#include "core/data/system_output.h"
#include "core/report/table.h"
#include "core/systems/imported_scores.h"
#include "core/systems/stored_systems.h"
#include "core/systems/test_sets.h"

namespace strata {
namespace {

struct SystemsOptions {
  std::string set, name, format, source;
  std::vector<std::string> references;
  std::string file;
  SentenceOptions reading;
  bool scores = false, tokens = false, trashed = false;

  TextState state() const { return tokens ? TextState::kTokens : TextState::kRaw; }
};
using SharedOptions = std::shared_ptr<SystemsOptions>;

void printSystems(const Json& systems) {
  Table table{.columns = {{"system"}, {"test set"}, {"from"}, {"sentences", Align::kRight}}};
  std::vector<std::string> metrics;
  for (const Json& system : systems) {
    if (!system.contains("scores")) continue;
    for (const auto& [name, score] : system["scores"].items()) {
      if (std::find(metrics.begin(), metrics.end(), name) == metrics.end()) metrics.push_back(name);
    }
  }
  for (const std::string& name : metrics) table.addColumn(name);
  table.columns.push_back({"created"});
  for (const Json& system : systems) {
    const bool ofRun = system.contains("run");
    std::vector<Cell> row{system["name"].get<std::string>(), system["set"].get<std::string>(),
                          ofRun ? fmt::format("run {}, {}, {}", system["run"].get<std::int64_t>(),
                                              system["checkpoint"].get<std::string>(),
                                              system["decode"].get<std::string>())
                                : fmt::format("{}, {}", system["file"].get<std::string>(),
                                              system["format"].get<std::string>()),
                          Cell::count(system["sentences"].get<std::int64_t>())};
    for (const std::string& name : metrics) {
      const Json& scores = system["scores"];
      row.push_back(scores.contains(name) ? Cell::number(scores[name]["score"].get<double>()) : "");
    }
    row.emplace_back(dateText(system["created"]));
    table.rows.push_back(std::move(row));
  }
  fmt::print("{}", textTable(table));
}

void listTrashed(const GlobalOptions& global) {
  const Workspace workspace(global.workspace);
  const std::vector<TrashedSystem> systems = trashedSystems(workspace);
  if (global.json) {
    return printJson(jsonList(systems, [](const TrashedSystem& system) {
      return Json{{"id", system.id}, {"name", system.name}, {"set", system.testSet}};
    }));
  }
  Table table{.columns = {{"system"}, {"test set"}, {"in the trash as"}}};
  for (const TrashedSystem& system : systems)
    table.rows.push_back({system.name, system.testSet, system.id});
  if (systems.empty()) return fmt::print("no systems in the trash\n");
  fmt::print("{}", textTable(table));
}

void list(const GlobalOptions& global, const SystemsOptions& options) {
  if (options.trashed) return listTrashed(global);
  Workspace workspace = openFresh(global);
  StoredSystems all = listSystems(workspace, options.set);
  Json systems = Json::array();
  SystemScores scores(workspace);
  for (const StoredSystem& system : all.systems) {
    try {
      Json json = toJson(system);
      if (options.scores) json["scores"] = scores.of(system);
      systems.push_back(std::move(json));
    } catch (const Error& error) {
      all.problems.emplace_back(error.what());
    }
  }
  if (global.json) return printJson({{"systems", systems}, {"problems", all.problems}});
  for (const std::string& problem : all.problems) spdlog::warn("{}", problem);
  if (!systems.empty()) return printSystems(systems);
  fmt::print("no systems{} in {}: import one with `strata-run systems import`\n",
             options.set.empty() ? "" : " of " + options.set, workspace.root().string());
}

void listSets(const GlobalOptions& global) {
  const Workspace workspace(global.workspace);
  std::vector<std::string> problems;
  Json sets = Json::array();
  for (const TestSet& set : listTestSets(workspace, &problems)) sets.push_back(toJson(set));
  if (global.json) return printJson({{"sets", sets}, {"problems", problems}});
  for (const std::string& problem : problems) spdlog::warn("{}", problem);
  Table table{.columns = {{"test set"},
                          {"languages"},
                          {"sentences", Align::kRight},
                          {"references", Align::kRight},
                          {"text"}}};
  for (const Json& set : sets) {
    const std::string source = set["source"], target = set["target"];
    table.rows.push_back(
        {set["id"].get<std::string>(),
         source.empty() && target.empty()
             ? ""
             : (source.empty() ? "?" : source) + " to " + (target.empty() ? "?" : target),
         Cell::count(set["sentences"].get<std::int64_t>()),
         Cell::count(set["references"].get<std::int64_t>()),
         fmt::format("{}", fmt::join(set["states"], ", "))});
  }
  if (!table.rows.empty()) return fmt::print("{}", textTable(table));
  fmt::print(
      "no test sets in {}: prepare a dataset, or import one with `strata-run systems "
      "import-set`\n",
      workspace.root().string());
}

void import(const GlobalOptions& global, const SystemsOptions& options) {
  Workspace workspace = openFresh(global);
  NewSystem system{
      .name = options.name, .testSet = options.set, .file = options.file, .state = options.state()};
  system.reading = options.reading;
  if (const auto known = systemOutputFormats();
      std::ranges::find(known, options.format) != known.end())
    system.format = options.format;
  else if (!options.format.empty())
    system.reading.format = textFormatOf(options.format);
  const ImportedSystem imported = importSystem(workspace, system);
  if (global.json) {
    Json json = toJson(imported.system);
    json["warnings"] = imported.warnings;
    return printJson(json);
  }
  for (const std::string& warning : imported.warnings) spdlog::warn("{}", warning);
  fmt::print("{}: {} translations of {}, read as {}{}{}\n", imported.system.name,
             imported.system.sentences, imported.system.testSet, imported.system.format,
             imported.system.hasScores ? ", with scores" : "",
             imported.system.hasNBest ? ", with n-best lists" : "");
}

void importSet(const GlobalOptions& global, const SystemsOptions& options) {
  const Workspace workspace(global.workspace);
  const TestSet set = importTestSet(
      workspace, {.name = options.name,
                  .references = {options.references.begin(), options.references.end()},
                  .source = options.source,
                  .state = options.state(),
                  .sourceLanguage = options.reading.sourceLanguage,
                  .targetLanguage = options.reading.targetLanguage,
                  .reading = options.reading});
  printDone(global, toJson(set),
            fmt::format("{}: {} sentences, {} references{}", set.id, set.sentences, set.references,
                        options.source.empty() ? ", no source" : ""));
}

void trash(const GlobalOptions& global, const SystemsOptions& options) {
  Workspace workspace = openFresh(global);
  const StoredSystem system = findSystem(listSystems(workspace), options.name);
  const std::string id = trashSystem(workspace, system);
  printDone(global, {{"id", system.id}, {"trashed", true}, {"trash", id}},
            fmt::format("{} is in {}", system.name, workspace.trashFolder().string()));
}

void restore(const GlobalOptions& global, const SystemsOptions& options) {
  Workspace workspace = openFresh(global);
  const std::string name = restoreSystem(workspace, options.name);
  printDone(global, {{"id", name}, {"trashed", false}}, name + " is restored");
}

void addImports(CLI::App* systems, const GlobalOptions& global, const SharedOptions& options) {
  std::vector<std::string> formats = systemOutputFormats();
  formats.insert(formats.end(), {"lines", "segments", "tmx", "jsonl", "tsv"});
  auto* file = systems->add_subcommand("import", "Store translations of another toolkit");
  file->add_option("FILE", options->file, "Translations of the complete set, compressed or not")
      ->required();
  file->add_option("--name", options->name, "Name of the system in tables")->required();
  file->add_option("--set", options->set, "The test set, as `systems sets` lists it")->required();
  file->add_option("--format", options->format,
                   "Format of the file (default: detected from its content)")
      ->check(CLI::IsMember(formats));
  file->add_option("--output-of", options->reading.system,
                   "The system whose output is meant, in files with several (default: the one "
                   "that is called NAME)");
  file->add_option("--target-language", options->reading.targetLanguage,
                   "Language of the output, in files of several (default: the set's)");
  file->add_option("--target-column", options->reading.targetColumn,
                   "Column of the output, in TSV, from 1")
      ->check(CLI::PositiveNumber);
  file->add_flag("--tokens", options->tokens, "The file contains tokens, not plain text");
  file->callback([&global, options] { import(global, *options); });

  auto* set = systems->add_subcommand("import-set", "Store a test set that is not in any dataset");
  set->add_option("--name", options->name, "Name of the test set")->required();
  set->add_option("--reference", options->references,
                  "Reference files; give several files for several references")
      ->required();
  set->add_option("--source", options->source, "File of the source sentences");
  set->add_flag("--tokens", options->tokens, "The files contain tokens, not plain text");
  addSentenceOptions(*set, options->reading, {.languages = false});
  set->add_option("--source-language", options->reading.sourceLanguage,
                  "Source language, shown in lists; the one that is meant in files of several");
  set->add_option("--target-language", options->reading.targetLanguage,
                  "Target language, shown in lists; the one that is meant in files of several");
  set->callback([&global, options] { importSet(global, *options); });
}

}  // namespace

void addSystemsCommand(CLI::App& app, const GlobalOptions& global) {
  auto options = std::make_shared<SystemsOptions>();
  auto* systems =
      app.add_subcommand("systems", "List, import and remove translations of test sets");
  systems->require_subcommand(1);
  systems->footer(
      "Examples:\n"
      "  strata-run systems sets\n"
      "  strata-run systems list --set iwslt14/test --scores\n"
      "  strata-run systems import fairseq.out --name fairseq --set iwslt14/test\n"
      "  strata-run systems import-set --name newstest2014 --reference ref.en --source src.de\n"
      "  strata-run systems import marian.nbest --name marian --set newstest2014 --format "
      "marian-nbest\n"
      "  strata-run systems trash marian\n"
      "  strata-run systems restore marian\n"
      "  strata-run systems scores import comet.json --set newstest2014 --model "
      "Unbabel/wmt22-comet-da");
  auto* all =
      systems->add_subcommand("list", "List the systems, from runs and imported, as a table");
  all->add_option("--set", options->set, "Only systems of this test set");
  all->add_flag("--scores", options->scores,
                "Add BLEU (13a), chrF2 and TER of the text; multi-bleu where only tokens are "
                "there");
  all->add_flag("--trash", options->trashed, "Those in the trash instead");
  all->callback([&global, options] { list(global, *options); });
  systems->add_subcommand("sets", "List the test sets, from datasets and imported, as a table")
      ->callback([&global] { listSets(global); });
  addImports(systems, global, options);
  auto* removed =
      systems->add_subcommand("trash", "Move an imported system to the trash of the workspace");
  removed->add_option("NAME", options->name, "The system")->required();
  removed->callback([&global, options] { trash(global, *options); });
  auto* restored = systems->add_subcommand("restore", "Restore an imported system from the trash");
  restored->add_option("NAME", options->name, "Its name, or its name in the trash")->required();
  restored->callback([&global, options] { restore(global, *options); });
  addScoresCommand(*systems, global);
}

}  // namespace strata
