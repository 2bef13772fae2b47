#include "core/data/prepare.h"

#include <fmt/chrono.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <optional>
#include <set>
#include <system_error>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/log.h"
#include "core/data/growing_folder.h"
#include "core/data/learn_stage.h"
#include "core/data/map_stage.h"
#include "core/data/pair_sides.h"
#include "core/data/pair_text.h"
#include "core/data/text_stage.h"

namespace strata {
namespace {

void checkSetNames(const PrepareOptions& options) {
  std::set<std::string> names = {"train"};
  const auto add = [&](const std::string& name) {
    checkDatasetName(name, "set");
    if (!names.insert(name).second)
      throw usageError("two sets are named '{}' (train, valid and test may be taken)", name);
  };
  for (const SetInput& set : options.sets) add(set.name);
  if (options.validSample > 0 || options.validEvery > 0) add("valid");
  if (options.testSample > 0) add("test");
  for (const JoinInput& join : options.joins) add(join.name);
}

void checkOptions(const PrepareOptions& options) {
  checkDatasetName(options.name, "dataset");
  checkSetNames(options);
  if (options.train.empty()) throw usageError("no training text is given; use --train PREFIX");
  checkTextSteps(options);
  if (options.validEvery > 0 && options.validSample > 0) {
    throw usageError("valid is either sampled or every N-th pair, not both");
  }
  if (!options.codes.empty() && options.bpeMerges > 0)
    throw usageError("--bpe learns codes and --codes reads them; use one");
  if (options.bpeSeparate && options.bpeMerges == 0) throw usageError("--bpe-separate needs --bpe");
  if (options.sourceVocabulary.empty() != options.targetVocabulary.empty()) {
    throw usageError("give both vocabularies or none: --source-vocabulary and --target-vocabulary");
  }
  if (options.jointVocabulary && !options.sourceVocabulary.empty())
    throw usageError(
        "--joint-vocabulary builds one from train's words; give no vocabularies with it");
  if (options.jointVocabulary && options.sourceVocabularySize != options.targetVocabularySize)
    throw usageError("--joint-vocabulary has one size: give one number to --vocabulary-size");
}

Json jsonOf(const SplitFacts& facts) {
  return {{"source_tokens", facts.tokens[0]},
          {"target_tokens", facts.tokens[1]},
          {"source_unknown", facts.unknown[0]},
          {"target_unknown", facts.unknown[1]}};
}

Json trainJson(const TextStage& text, const LearnStage& learn, const SplitFacts& facts) {
  Json train = {
      {"corpus", "train.corpus"}, {"pairs", facts.pairs}, {"read", text.cleaning().total()}};
  Json dropped = Json::object();
  for (std::size_t i = 1; i < kCleanVerdicts; ++i) {
    const auto verdict = static_cast<CleanVerdict>(i);
    if (const auto count = text.cleaning().of(verdict); count > 0)
      dropped[std::string(nameOf(verdict))] = count;
  }
  if (text.overlapDropped() > 0)
    dropped["shares a sentence with an evaluation set"] = text.overlapDropped();
  if (text.heldOut() > 0) dropped["same sentence as a drawn pair"] = text.heldOut();
  if (learn.tooManyUnits() > 0) dropped[Dataset::kTooManyUnits] = learn.tooManyUnits();
  train["dropped"] = std::move(dropped);
  train.update(jsonOf(facts));
  return train;
}

Json mapSets(const TextStage& text, const MapStage& maps) {
  Json sets = Json::object();
  const auto overlap = text.overlap();
  for (std::size_t i = 0; i < text.sets().size(); ++i) {
    const SetText& set = text.sets()[i];
    const SplitFacts facts = maps.mapSet(set);
    Json entry = {{"role", set.test ? "test" : "valid"},
                  {"sentences", set.sentences},
                  {"references", set.references},
                  {"blank_sources", set.blankSources}};
    entry.update(jsonOf(facts));
    entry["overlap_with_train"] = {
        {"source", overlap[i].source}, {"target", overlap[i].target}, {"pair", overlap[i].pair}};
    if (Json keys = segmentKeysJson(set.segments); !keys.is_null())
      entry["segments"] = std::move(keys);
    sets[set.name] = std::move(entry);
  }
  return sets;
}

Json optionsJson(const PrepareOptions& options) {
  return {{"tokenizer", options.tokenizer},
          {"lowercase", options.lowercase},
          {"truecase", options.truecase},
          {"bpe", options.bpeMerges},
          {"bpe_separate", options.bpeSeparate},
          {"codes", options.codes.string()},
          {"bpe_vocabulary_threshold", options.bpeThreshold},
          {"source_vocabulary", options.sourceVocabulary.string()},
          {"target_vocabulary", options.targetVocabulary.string()},
          {"vocabulary_size", {options.sourceVocabularySize, options.targetVocabularySize}},
          {"vocabulary_minimum", options.vocabularyMinimum},
          {"joint_vocabulary", options.jointVocabulary},
          {"max_length", options.maxLength},
          {"max_subwords", options.maxSubwords},
          {"ratio", options.ratio},
          {"overlap", options.dropOverlap ? "drop-from-train" : "report"},
          {"valid_sample", options.validSample},
          {"test_sample", options.testSample},
          {"valid_every", options.validEvery},
          {"sample_by", PrepareOptions::kSampleByNames[static_cast<std::size_t>(options.sampleBy)]},
          {"seed", options.seed}};
}

// Every file below the folder with size and digest, sorted by name; all of them are made durable.
Json filesJson(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) paths.push_back(entry.path());
    if (entry.is_directory()) syncToDisk(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  Json files = Json::object();
  for (const fs::path& path : paths) {
    syncToDisk(path);
    files[path.lexically_relative(folder).generic_string()] = {{"bytes", fs::file_size(path)},
                                                               {"digest", streamedDigest(path)}};
  }
  return files;
}

// The value of a name of ExpectedCounts in a manifest; none if there is no such entry.
std::optional<std::int64_t> countOf(const Json& manifest, const std::string& name) {
  if (name == "train") return manifest["train"]["pairs"].get<std::int64_t>();
  if (name == "vocabulary.source") return manifest["source"]["vocabulary"].get<std::int64_t>();
  if (name == "vocabulary.target") return manifest["target"]["vocabulary"].get<std::int64_t>();
  if (!manifest["sets"].contains(name)) return std::nullopt;
  return manifest["sets"][name]["sentences"].get<std::int64_t>();
}

void checkExpected(const PrepareOptions& options, Json& manifest,
                   std::vector<std::string>& warnings) {
  std::string differences;
  for (const auto& [name, count] : options.expected.counts) {
    const auto found = countOf(manifest, name);
    if (found == count) continue;
    differences += fmt::format("{}{}: {} instead of {}", differences.empty() ? "" : "; ", name,
                               found ? fmt::to_string(*found) : "absent", count);
  }
  if (differences.empty()) return;
  if (options.expected.enforced) {
    throw Error(
        "the result is not what the recipe promises ({}); are these the files that it names? "
        "Nothing was written",
        differences);
  }
  manifest[kCountsDiffer] = true;
  warnings.push_back("the counts differ from the recipe's: " + differences);
  spdlog::warn("{}", warnings.back());
}

void noteOverlap(const TextStage& text, std::vector<std::string>& warnings) {
  for (const OverlapCounts& counts : text.overlap()) {
    if (counts.source + counts.target == 0) continue;
    warnings.push_back(
        fmt::format("{}: of {} sentences, {} sources, {} targets and {} complete pairs {} in train",
                    counts.set, counts.sentences, counts.source, counts.target, counts.pair,
                    text.overlapDropped() > 0 ? "were" : "are also"));
  }
  for (const SetText& set : text.sets()) {
    if (set.blankSources > 0) {
      warnings.push_back(fmt::format("{}: kept {} blank source lines", set.name, set.blankSources));
    }
  }
}

void copyExtraFiles(const PrepareOptions& options, const fs::path& folder) {
  for (const auto& [name, from] : options.extraFiles) {
    const fs::path to = pathInside(folder, name);
    fs::create_directories(to.parent_path());
    if (!fs::copy_file(from, to)) throw usageError("the dataset already has a file {}", name);
  }
}

// If words are missing from the ids, they do not determine train's text, so that is kept too.
void keepTrainTokens(const TextStage& text, const fs::path& folder) {
  for (int side = 0; side < 2; ++side)
    text.train().writeText(side, folder / Dataset::trainTokensName(side));
}

// Builds everything in `folder` and returns the manifest, without a version yet.
Json build(const PrepareOptions& options, const fs::path& folder, Progress& progress,
           std::vector<std::string>& warnings) {
  TextStage text(options, folder, progress);
  text.run();
  LearnStage learn(options, text, progress);
  learn.run();
  Json manifest = {{"format", "strata-dataset"},
                   {"format_version", 0},  // sealedManifest sets it
                   {"name", options.name},
                   {"version", 1},
                   {"digest", ""},
                   {"created", fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)))}};
  if (!options.recipe.is_null()) manifest["recipe"] = options.recipe;
  manifest["source"] = {{"language", options.sourceLanguage},
                        {"vocabulary", learn.side(0).vocabulary.size()}};
  manifest["target"] = {{"language", options.targetLanguage},
                        {"vocabulary", learn.side(1).vocabulary.size()}};
  manifest["options"] = optionsJson(options);
  {
    const MapStage maps(options, learn, folder);
    progress.begin("mapping train", text.train().pairs(), "pairs");
    const SplitFacts facts = maps.mapTrain(text.train(), progress);
    progress.end();
    manifest["train"] = trainJson(text, learn, facts);
    if (facts.lacksWords()) keepTrainTokens(text, folder);
    if (learn.mergesLearned() > 0) manifest["train"]["merges_learned"] = learn.mergesLearned();
    manifest["sets"] = mapSets(text, maps);
  }
  warnings = text.warnings();
  checkExpected(options, manifest, warnings);
  noteOverlap(text, warnings);
  fs::remove_all(folder / "work");
  copyExtraFiles(options, folder);
  const TextPipeline pipeline(learn.takeSide(0), learn.takeSide(1));
  pipeline.save(folder / "text");
  manifest["pipeline"] = pipeline.description();
  manifest["inputs"] = text.inputs();
  manifest["notes"] = warnings;
  manifest["files"] = filesJson(folder);
  manifest["digest"] = datasetDigest(manifest["files"]);
  return manifest;
}

bool sameAs(const Dataset& old, const Json& manifest) {
  return old.digest() == manifest["digest"].get<std::string>() &&
         old.manifest().value("options", Json()) == manifest["options"] &&
         old.manifest().value("recipe", Json()) == manifest.value("recipe", Json());
}

// A damaged dataset is prepared again even if the result is the same.
bool isIntact(const Dataset& dataset, Progress& progress) {
  try {
    dataset.requireIntact(progress);
    return true;
  } catch (const Error& error) {
    spdlog::warn("{}; the dataset is replaced, and the damaged one is kept as {}@{}", error.what(),
                 dataset.name(), dataset.version());
    return false;
  }
}

}  // namespace

PreparedDataset prepareDataset(const fs::path& datasets, const PrepareOptions& given,
                               Progress& progress) {
  checkOptions(given);
  const PrepareOptions options = withSides(given);
  const GrowingFolder growing(datasets, options.name);
  std::vector<std::string> warnings;
  Json manifest = build(options, growing.path(), progress, warnings);
  const FolderLock lock(datasets);
  const fs::path place = datasets / options.name;
  const auto old = Dataset::find(datasets, options.name, manifest["digest"]);
  if (old && old->folder() == place && sameAs(*old, manifest) && isIntact(*old, progress)) {
    return {.dataset = *old, .unchanged = true, .warnings = std::move(warnings)};
  }
  publishDataset(datasets, growing.path(), std::move(manifest));
  return {.dataset = Dataset(place), .unchanged = false, .warnings = std::move(warnings)};
}

}  // namespace strata
