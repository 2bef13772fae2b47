#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "app/commands/verbs.h"
#include "core/base/error.h"
#include "core/data/generator/dataset.h"

namespace strata {
namespace {

struct GenerateOptions {
  std::string name;
  generator::GeneratorOptions corpus;
  std::vector<int> length{3, 25};
  bool contrastive = false;
};

void generate(const GlobalOptions& global, GenerateOptions& options) {
  options.corpus.minLength = options.length.at(0);
  options.corpus.maxLength = options.length.at(1);
  const auto made =
      generator::generateDataset(global.workspace / "datasets", options.name, options.corpus,
                                 options.contrastive, terminalProgress());
  const Dataset& dataset = made.dataset;
  if (global.json) return printJson(dataset.manifest());
  fmt::print("{} {} pairs as dataset {} in {}\n", made.unchanged ? "unchanged:" : "generated",
             options.corpus.size, dataset.name(), dataset.folder().string());
  fmt::print("train on it:  strata-run train --preset demo/mlrf --data {}\n", dataset.name());
}

}  // namespace

void addGenerateCommand(CLI::App& data, const GlobalOptions& global) {
  auto options = std::make_shared<GenerateOptions>();
  auto* verb = data.add_subcommand(
      "generate",
      "Generate a controlled German-English corpus from a grammar, with gold alignments");
  auto& corpus = options->corpus;
  verb->add_option("--name", options->name, "Name of the dataset")->required();
  verb->add_option("--size", corpus.size,
                   "Training pairs; valid and test are generated in addition")
      ->capture_default_str();
  verb->add_option("--seed", corpus.seed, "The same seed gives the same corpus")
      ->capture_default_str();
  verb->add_option("--length", options->length, "MIN,MAX German words per sentence")
      ->delimiter(',')
      ->expected(2)
      ->capture_default_str();
  verb->add_option("--depth", corpus.depth, "Clauses nested below the main clause, 0 to 4")
      ->capture_default_str();
  verb->add_option("--ambiguity", corpus.ambiguity,
                   "Probability of leaving a pronoun or role to be resolved by meaning, 0 to 1")
      ->capture_default_str();
  const std::string first = ": the first of each class, in proportion; 0: all";
  verb->add_option("--nouns", corpus.words.nouns, "Nouns to use" + first)->capture_default_str();
  verb->add_option("--verbs", corpus.words.verbs, "Verbs to use" + first)->capture_default_str();
  verb->add_option("--adjectives", corpus.words.adjectives, "Adjectives to use" + first)
      ->capture_default_str();
  verb->add_option("--merges", corpus.merges, "Merges of the joint BPE")->capture_default_str();
  verb->add_flag("--contrastive", options->contrastive,
                 "Also write pairs that differ in one agreement or separable verb");
  verb->footer(
      "Example:\n  strata-run data generate --name grammar --size 100000 --depth 2 --contrastive");
  verb->callback([options, &global] { generate(global, *options); });
}

}  // namespace strata
