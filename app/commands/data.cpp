#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <ranges>

#include "app/commands/verbs.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/log.h"
#include "core/base/text_limits.h"
#include "core/data/dataset.h"
#include "core/data/prepare.h"
#include "core/data/recipe.h"

namespace strata {
namespace {

struct PrepareArguments {
  std::string recipe;
  std::vector<std::string> from;
  std::vector<std::string> train, valid, test, references, joins;
  std::vector<std::int64_t> vocabularySize;
  std::string overlap = "report";
  PrepareOptions options;
};

fs::path datasetsOf(const GlobalOptions& global) {
  return global.workspace / "datasets";
}

// Splits "NAME=REST"; otherwise a usage error that shows the expected form.
std::pair<std::string, std::string> assignment(const std::string& text, std::string_view flag,
                                               std::string_view form) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw usageError("{} {}: expected {}", flag, text, form);
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<std::string> splitAt(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (const auto part : std::views::split(text, separator)) {
    if (!part.empty()) parts.emplace_back(part.begin(), part.end());
  }
  return parts;
}

TextInput inputOf(const std::string& prefix, const std::string& language) {
  return {.location = locationOfPrefix(prefix, language)};
}

SetInput setOf(const std::string& text, bool test, const PrepareArguments& arguments) {
  const auto [name, prefix] = assignment(text, test ? "--test" : "--valid", "NAME=PREFIX");
  SetInput set{.name = name, .test = test};
  PairInput files{.source = inputOf(prefix, arguments.options.sourceLanguage)};
  for (const std::string& given : arguments.references) {
    const auto [of, list] = assignment(given, "--references", "NAME=FILE,FILE...");
    if (of != name) continue;
    for (const std::string& file : splitAt(list, ',')) files.targets.push_back({.location = file});
  }
  if (files.targets.empty())
    files.targets.push_back(inputOf(prefix, arguments.options.targetLanguage));
  set.parts.push_back(std::move(files));
  return set;
}

void checkReferences(const PrepareArguments& arguments) {
  for (const std::string& given : arguments.references) {
    const std::string name = assignment(given, "--references", "NAME=FILE,FILE...").first;
    const auto& sets = arguments.options.sets;
    if (std::ranges::find(sets, name, &SetInput::name) == sets.end()) {
      throw usageError("--references {}: there is no set '{}'; name it with --valid or --test",
                       given, name);
    }
  }
}

// Files and sets named by the flags.
void readSets(PrepareArguments& arguments) {
  PrepareOptions& options = arguments.options;
  for (const std::string& prefix : arguments.train) {
    options.train.push_back({.source = inputOf(prefix, options.sourceLanguage),
                             .targets = {inputOf(prefix, options.targetLanguage)}});
  }
  for (const std::string& set : arguments.valid)
    options.sets.push_back(setOf(set, false, arguments));
  for (const std::string& set : arguments.test) options.sets.push_back(setOf(set, true, arguments));
  checkReferences(arguments);
  for (const std::string& text : arguments.joins) {
    const auto [name, sets] = assignment(text, "--join", "NEW=NAME+NAME...");
    options.joins.push_back({.name = name, .sets = splitAt(sets, '+')});
  }
}

// The text of a recipe file or of a built-in recipe.
Recipe findRecipe(const std::string& name) {
  if (fs::is_regular_file(name)) return parseRecipe(readBounded(name, kYamlLimits.bytes), name);
  if (auto recipe = builtInRecipe(name)) return *std::move(recipe);
  throw usageError("no recipe '{}': it is neither a file nor one of {}", name,
                   fmt::join(builtInRecipes(), ", "));
}

// Options from a recipe and the flags that override it.
void readRecipe(CLI::App& verb, PrepareArguments& arguments) {
  for (const char* flag :
       {"--train", "--valid", "--test", "--references", "--join", "--source", "--target"}) {
    if (verb.count(flag) > 0)
      throw usageError("{} cannot be used with a recipe, which already names its files", flag);
  }
  const Recipe recipe = findRecipe(arguments.recipe);
  if (arguments.from.empty())
    throw usageError("--from is missing. How to get the files of {}: {}", recipe.name, recipe.get);
  PrepareOptions& options = arguments.options;
  options = resolveRecipe(recipe, {arguments.from.begin(), arguments.from.end()});
  for (CLI::Option* given : verb.get_options([](CLI::Option* each) { return each->count() > 0; })) {
    given->run_callback();  // assigns its value again
    const std::string name = given->get_name();
    if (name != "recipe" && name != "--from" && name != "--name") options.expected.enforced = false;
  }
  if (verb.count("--codes") > 0 && verb.count("--bpe") == 0) options.bpeMerges = 0;
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

void prepare(CLI::App& verb, const GlobalOptions& global, PrepareArguments& arguments) {
  PrepareOptions& options = arguments.options;
  if (!arguments.recipe.empty()) {
    readRecipe(verb, arguments);
  } else if (options.name.empty()) {
    throw usageError("a dataset needs a name: --name NAME (or give a recipe)");
  } else if (options.sourceLanguage.empty() || options.targetLanguage.empty()) {
    throw usageError("both languages are needed: --source and --target");
  } else {
    readSets(arguments);
  }
  if (verb.count("--overlap") > 0) options.dropOverlap = arguments.overlap == "drop-from-train";
  if (!arguments.vocabularySize.empty()) {
    options.sourceVocabularySize = arguments.vocabularySize.front();
    options.targetVocabularySize = arguments.vocabularySize.back();
  }
  const PreparedDataset result = prepareDataset(datasetsOf(global), options, terminalProgress());
  if (global.json) {
    Json json = jsonOf(result.dataset);
    json["unchanged"] = result.unchanged;
    return printJson(json);
  }
  printDataset(result.dataset);
  if (result.unchanged) fmt::print("  it already existed, unchanged\n");
}

void addCleaningFlags(CLI::App& verb, PrepareArguments& arguments) {
  PrepareOptions& options = arguments.options;
  verb.add_option("--max-length", options.maxLength,
                  "Drop training pairs with more WORDS on a side; 0: no limit")
      ->check(CLI::NonNegativeNumber);
  verb.add_option("--max-subwords", options.maxSubwords,
                  "Drop training pairs with more units on a side; 0: no limit")
      ->check(CLI::NonNegativeNumber);
  verb.add_option(
          "--ratio", options.ratio,
          "Drop training pairs in which one side has more than this many times the other's words")
      ->check(CLI::NonNegativeNumber);
  verb.add_option("--overlap", arguments.overlap,
                  "What to do with training pairs that share a sentence with an evaluation set")
      ->check(CLI::IsMember({"report", "drop-from-train"}))
      ->capture_default_str();
  verb.add_option("--seed", options.seed, "Seed for sampling")->capture_default_str();
}

void addTextFlags(CLI::App& verb, PrepareArguments& arguments) {
  PrepareOptions& options = arguments.options;
  verb.add_option("--source", options.sourceLanguage, "Source language (de, en, ...)");
  verb.add_option("--target", options.targetLanguage, "Target language");
  verb.add_option("--tokenizer", options.tokenizer,
                  "moses, or none if the text is already tokenized")
      ->check(CLI::IsMember({"moses", "none"}))
      ->capture_default_str();
  verb.add_flag("--lowercase", options.lowercase, "Lowercase all text");
  verb.add_flag("--truecase", options.truecase,
                "Learn truecasing models from the training data and apply them");
  verb.add_option("--bpe", options.bpeMerges,
                  "Number of BPE merges to learn jointly from both sides")
      ->check(CLI::NonNegativeNumber);
  verb.add_flag("--bpe-separate", options.bpeSeparate,
                "Learn --bpe merges for each side separately");
  verb.add_option("--codes", options.codes, "Use these BPE codes")->check(CLI::ExistingFile);
  verb.add_option("--bpe-vocabulary-threshold", options.bpeThreshold,
                  "Split units that are rarer than this on their side of the training data")
      ->check(CLI::NonNegativeNumber);
  verb.add_option("--source-vocabulary", options.sourceVocabulary,
                  "Use this vocabulary (one word and count per line)")
      ->check(CLI::ExistingFile);
  verb.add_option("--target-vocabulary", options.targetVocabulary, "Use this vocabulary")
      ->check(CLI::ExistingFile);
  verb.add_option("--vocabulary-size", arguments.vocabularySize,
                  "S[,T]: keep the most frequent words per side; the others become <unk>")
      ->delimiter(',')
      ->expected(1, 2)
      ->check(CLI::NonNegativeNumber);
  verb.add_option("--vocabulary-minimum", options.vocabularyMinimum,
                  "Leave out words that are rarer than this in the training data")
      ->check(CLI::NonNegativeNumber);
  verb.add_flag("--joint-vocabulary", options.jointVocabulary,
                "One vocabulary for both sides, for shared embeddings and both directions");
}

void addPrepare(CLI::App& data, const GlobalOptions& global) {
  auto arguments = std::make_shared<PrepareArguments>();
  auto* verb =
      data.add_subcommand("prepare", "Create a dataset from parallel text or from a recipe");
  verb->add_option("recipe", arguments->recipe, "A recipe's name or file");
  verb->add_option("--from", arguments->from,
                   "With a recipe: files, folders and archives that contain its text");
  verb->add_option("--name", arguments->options.name, "Name of the dataset; a recipe has one");
  verb->add_option("--train", arguments->train,
                   "PREFIX of PREFIX.de and PREFIX.en (also .gz, .bz2, .xz, .xml, .sgm, "
                   "ARCHIVE:PREFIX); may repeat");
  verb->add_option("--valid", arguments->valid, "NAME=PREFIX of an evaluation set; may repeat");
  verb->add_option("--valid-sample", arguments->options.validSample,
                   "Sample this many pairs from the training data as the set valid")
      ->check(CLI::NonNegativeNumber);
  verb->add_option("--test", arguments->test, "NAME=PREFIX of a test set; may repeat");
  verb->add_option("--references", arguments->references,
                   "NAME=FILE,FILE...: the references of a set");
  verb->add_option("--join", arguments->joins, "NEW=NAME+NAME...: concatenate sets into a new one");
  addTextFlags(*verb, *arguments);
  addCleaningFlags(*verb, *arguments);
  verb->footer(
      "Examples:\n"
      "  strata-run data prepare multi30k-deen --from ~/multi30k\n"
      "  strata-run data prepare --name ted --train corpus/train --valid valid=corpus/valid --test "
      "test=corpus/test \\\n"
      "      --source de --target en --tokenizer moses --lowercase --bpe 10000\n"
      "Recipes: " +
      fmt::format("{}", fmt::join(builtInRecipes(), " ")));
  verb->callback([verb, arguments, &global] { prepare(*verb, global, *arguments); });
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
  auto check = std::make_shared<bool>(false);
  auto* verb = data.add_subcommand("show", "Show what a dataset contains and how it was prepared");
  verb->add_option("name", *name, "NAME or NAME@VERSION")->required();
  verb->add_flag("--verify", *check, "Read every file and compare its digest");
  verb->footer("Example:\n  strata-run data show multi30k-deen --verify");
  verb->callback([name, check, &global] {
    const Dataset dataset = Dataset::open(datasetsOf(global), *name);
    if (*check) dataset.verify(terminalProgress());
    if (global.json) return printJson(jsonOf(dataset));
    printDataset(dataset);
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
  auto* data =
      app.add_subcommand("data", "Datasets: prepare, generate, lexicon, list, show, remove");
  data->require_subcommand(1);
  data->fallthrough();
  addPrepare(*data, global);
  addGenerateCommand(*data, global);
  addLexiconCommand(*data, global);
  addList(*data, global);
  addShow(*data, global);
  addRemove(*data, global);
}

}  // namespace strata
