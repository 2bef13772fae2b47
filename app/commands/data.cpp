#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <span>

#include "app/commands/listing.h"
#include "app/commands/prepare_flags.h"
#include "app/commands/verbs.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/log.h"
#include "core/data/dataset.h"
#include "core/data/prepare.h"
#include "core/data/recipe.h"
#include "core/store/runs.h"

namespace strata {
namespace {

fs::path datasetsOf(const GlobalOptions& global) {
  return global.workspace / "datasets";
}

std::string cell(const Json& object, const char* key) {
  return object.contains(key) ? fmt::format("{}", object[key].get<std::int64_t>()) : "";
}

void printSplits(const Json& manifest) {
  constexpr const char* kRow = "  {:<16} {:>11} {:>13} {:>13} {:>9} {:>9}  {}\n";
  fmt::print(kRow, "split", "pairs", "source units", "target units", "<unk> src", "<unk> tgt",
             "shared with train");
  const auto row = [&](const std::string& name, const Json& facts, const std::string& pairs,
                       const std::string& shared) {
    fmt::print(fmt::runtime(kRow), name, pairs, cell(facts, "source_tokens"),
               cell(facts, "target_tokens"), cell(facts, "source_unknown"),
               cell(facts, "target_unknown"), shared);
  };
  row("train", manifest["train"], cell(manifest["train"], "pairs"), "");
  for (const auto& [name, set] : manifest["sets"].items()) {
    const Json& overlap = set["overlap_with_train"];
    row(name, set, cell(set, "sentences"),
        fmt::format("{} sources, {} targets, {} pairs", cell(overlap, "source"),
                    cell(overlap, "target"), cell(overlap, "pair")));
  }
}

void printDataset(const Dataset& dataset) {
  const Json& manifest = dataset.manifest();
  fmt::print("dataset {} (version {}), {} to {}, vocabularies of {} and {}\n", dataset.name(),
             dataset.version(), dataset.sourceLanguage(), dataset.targetLanguage(),
             dataset.sourceVocabularySize(), dataset.targetVocabularySize());
  printSplits(manifest);
  std::string dropped;
  for (const auto& [why, count] : manifest["train"]["dropped"].items()) {
    dropped += fmt::format("{}{} {}", dropped.empty() ? "" : ", ", count.get<std::int64_t>(), why);
  }
  if (!dropped.empty()) {
    fmt::print("  of {} pairs read for train, dropped: {}\n",
               manifest["train"]["read"].get<std::int64_t>(), dropped);
  }
  fmt::print("  digest {}, folder {}\n", dataset.digest(), dataset.folder().string());
}

Json jsonOf(const Dataset& dataset) {
  Json json = {{"folder", dataset.folder().string()}};
  json.update(dataset.manifest());
  return json;
}

void prepare(const GlobalOptions& global, const PrepareOptions& options) {
  const PreparedDataset result = prepareDataset(datasetsOf(global), options, terminalProgress());
  if (global.json) {
    Json json = jsonOf(result.dataset);
    json["unchanged"] = result.unchanged;
    return printJson(json);
  }
  printDataset(result.dataset);
  if (result.unchanged) fmt::print("  it already existed, unchanged\n");
}

void addPrepare(CLI::App& data, const GlobalOptions& global) {
  auto* verb =
      data.add_subcommand("prepare", "Create a dataset from parallel text or from a recipe");
  auto recipe = std::make_shared<std::string>();
  verb->add_option("recipe", *recipe, "A recipe's name or file");
  const auto flags = addPrepareFlags(*verb);
  verb->footer(
      "Examples:\n"
      "  strata-run data prepare multi30k-deen --from ~/multi30k\n"
      "  strata-run data prepare --name ted --train corpus/train --valid valid=corpus/valid --test "
      "test=corpus/test \\\n"
      "      --source de --target en --tokenizer moses --lowercase --bpe 10000\n"
      "Recipes: " +
      fmt::format("{}", fmt::join(builtInRecipes(), " ")));
  verb->callback([verb, flags, recipe, &global] {
    if (recipe->empty() && flags->options.name.empty())
      throw usageError("a dataset needs a name: --name NAME (or give a recipe)");
    prepare(global,
            recipe->empty() ? prepareOptions(*flags) : prepareOptions(*verb, *flags, *recipe));
  });
}

void listTrashed(const GlobalOptions& global) {
  Json json = Json::array();
  std::string text;
  for (const fs::path& folder : trashedDatasets(datasetsOf(global))) {
    json.push_back(folder.filename().string());
    text += folder.filename().string() + "\n";
  }
  if (global.json) return printJson(json);
  fmt::print("{}", text.empty() ? "the trash has no dataset\n" : text);
}

void addList(CLI::App& data, const GlobalOptions& global) {
  auto trash = std::make_shared<bool>(false);
  auto* verb = data.add_subcommand("list", "List the datasets of the workspace");
  verb->add_flag("--trash", *trash, "Those in the trash instead");
  verb->footer("Example:\n  strata-run data list");
  verb->callback([trash, &global] {
    if (*trash) return listTrashed(global);
    const DatasetList list = listDatasets(datasetsOf(global));
    for (const std::string& message : list.damaged) spdlog::warn("{}", message);
    if (global.json) {
      Json json = Json::array();
      for (const Dataset& dataset : list.datasets) json.push_back(jsonOf(dataset));
      return printJson(json);
    }
    if (list.datasets.empty())
      fmt::print("no datasets yet: create one with `strata-run data prepare`\n");
    for (const Dataset& dataset : list.datasets) {
      std::string sets;
      for (const EvaluationSet& set : dataset.sets())
        sets += fmt::format("{}{} {}", sets.empty() ? "" : ", ", set.name, set.sentences);
      fmt::print("{:<28} {}-{}  {:>10} pairs  {}/{} words  {}\n",
                 dataset.folder().filename().string(), dataset.sourceLanguage(),
                 dataset.targetLanguage(), dataset.manifest()["train"]["pairs"].get<std::int64_t>(),
                 dataset.sourceVocabularySize(), dataset.targetVocabularySize(), sets);
    }
  });
}

void addShow(CLI::App& data, const GlobalOptions& global) {
  auto name = std::make_shared<std::string>();
  auto check = std::make_shared<bool>(false), figures = std::make_shared<bool>(false);
  auto* verb = data.add_subcommand("show", "Show what a dataset contains and how it was prepared");
  verb->add_option("name", *name, "NAME or NAME@VERSION")->required();
  verb->add_flag("--verify", *check, "Read every file and compare its digest");
  verb->add_flag("--figures", *figures,
                 "Read the training text: lengths, vocabulary, coverage, shared sentences");
  verb->footer("Example:\n  strata-run data show multi30k-deen --verify");
  verb->callback([name, check, figures, &global] {
    const Dataset dataset = Dataset::open(datasetsOf(global), *name);
    if (*check) dataset.verify(terminalProgress());
    std::optional<DatasetFigures> read;
    if (*figures) read = datasetFigures(dataset, {}, terminalProgress());
    if (global.json) {
      Json json = jsonOf(dataset);
      if (read) json["text"] = read->json();
      return printJson(json);
    }
    printDataset(dataset);
    if (read) return printFigures(read->figures);
    fmt::print("\n{}", toYaml(dataset.manifest()));
  });
}

// The runs that were trained on a version of a dataset, or wait to be.
std::vector<std::string> usersOf(const GlobalOptions& global, const Dataset& dataset) {
  if (!fs::exists(global.workspace / "workspace.db")) return {};
  Workspace workspace = openFresh(global);
  std::vector<std::string> users;
  for (const RunSummary& run : listRuns(workspace)) {
    if (run.dataset.substr(0, run.dataset.find('@')) != dataset.name()) continue;
    const auto starts = runStarts(workspace, run.id);
    const bool trained = std::ranges::any_of(
        starts, [&](const RunStart& start) { return start.datasetDigest == dataset.digest(); });
    if (starts.empty() || trained) users.push_back(run.name);
  }
  return users;
}

// On a terminal the user is asked; elsewhere --yes says so.
void requireConsent(const Dataset& dataset, const std::vector<std::string>& users) {
  constexpr std::size_t kShown = 8;
  const std::span<const std::string> shown(users.data(), std::min(users.size(), kShown));
  const std::string named =
      fmt::format("{} {} {} it: {}{}", users.size(), users.size() == 1 ? "run" : "runs",
                  users.size() == 1 ? "needs" : "need", fmt::join(shown, ", "),
                  users.size() > kShown ? ", ..." : "");
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDERR_FILENO) == 0)
    throw usageError("{}; --yes moves it to the trash all the same", named);
  std::fprintf(stderr, "%s\nMove %s to the trash? [y/N] ", named.c_str(),
               dataset.folder().filename().c_str());
  std::string answer;
  std::getline(std::cin, answer);
  if (answer != "y" && answer != "Y" && answer != "yes") throw Error("nothing was changed");
}

void addRemove(CLI::App& data, const GlobalOptions& global) {
  auto name = std::make_shared<std::string>();
  auto yes = std::make_shared<bool>(false);
  auto* verb = data.add_subcommand("remove", "Move one version of a dataset to the trash");
  verb->add_option("name", *name, "NAME (its newest version) or NAME@VERSION")->required();
  verb->add_flag("--yes", *yes, "Even if runs need it to be continued");
  verb->footer(
      "`data restore` brings it back; `runs prune --empty-trash --yes` deletes it for good.\n"
      "Example:\n  strata-run data remove multi30k-deen@1");
  verb->callback([name, yes, &global] {
    const Dataset dataset = Dataset::open(datasetsOf(global), *name);
    const auto users = usersOf(global, dataset);
    if (!users.empty() && !*yes) requireConsent(dataset, users);
    const fs::path place = trashDataset(datasetsOf(global), *name);
    printDone(global, {{"removed", *name}, {"trash", place.string()}, {"users", users}},
              fmt::format("{} is in the trash: `data restore {}` brings it back", *name,
                          place.filename().string()));
  });
}

void addRestore(CLI::App& data, const GlobalOptions& global) {
  auto name = std::make_shared<std::string>();
  auto* verb = data.add_subcommand("restore", "Bring a dataset back from the trash");
  verb->add_option("name", *name, "NAME (its newest version there) or NAME@VERSION")->required();
  verb->footer("Example:\n  strata-run data restore multi30k-deen@1");
  verb->callback([name, &global] {
    restoreDataset(datasetsOf(global), *name);
    printDone(global, {{"restored", *name}}, fmt::format("restored {}", *name));
  });
}

}  // namespace

void addDataCommand(CLI::App& app, const GlobalOptions& global) {
  auto* data = app.add_subcommand(
      "data", "Datasets: preview, prepare, generate, lexicon, list, show, remove, restore");
  data->require_subcommand(1);
  data->fallthrough();
  addPreviewCommand(*data, global);
  addPrepare(*data, global);
  addGenerateCommand(*data, global);
  addLexiconCommand(*data, global);
  addList(*data, global);
  addShow(*data, global);
  addRemove(*data, global);
  addRestore(*data, global);
}

}  // namespace strata
