#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include "app/commands/prepare_flags.h"
#include "app/commands/verbs.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/log.h"
#include "core/data/dataset.h"
#include "core/data/prepare.h"
#include "core/data/recipe.h"

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

void addList(CLI::App& data, const GlobalOptions& global) {
  auto* verb = data.add_subcommand("list", "List the datasets of the workspace");
  verb->footer("Example:\n  strata-run data list");
  verb->callback([&global] {
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

void addRemove(CLI::App& data, const GlobalOptions& global) {
  auto name = std::make_shared<std::string>();
  auto* verb = data.add_subcommand("remove", "Delete one version of a dataset");
  verb->add_option("name", *name, "NAME (its newest version) or NAME@VERSION")->required();
  verb->footer("Example:\n  strata-run data remove multi30k-deen@1");
  verb->callback([name, &global] {
    removeDataset(datasetsOf(global), *name);
    if (global.json)
      fmt::print("{}\n", Json{{"removed", *name}}.dump());
    else
      fmt::print("removed {}\n", *name);
  });
}

}  // namespace

void addDataCommand(CLI::App& app, const GlobalOptions& global) {
  auto* data = app.add_subcommand(
      "data", "Datasets: preview, prepare, generate, lexicon, list, show, remove");
  data->require_subcommand(1);
  data->fallthrough();
  addPreviewCommand(*data, global);
  addPrepare(*data, global);
  addGenerateCommand(*data, global);
  addLexiconCommand(*data, global);
  addList(*data, global);
  addShow(*data, global);
  addRemove(*data, global);
}

}  // namespace strata
