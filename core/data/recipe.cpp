#include "core/data/recipe.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/strict_map.h"
#include "core/base/text_limits.h"
#include "core/text/language.h"
#include "embedded/recipes.h"

namespace strata {
namespace {

constexpr StrictMap::Range kCount{.minimum = 0};

// A string that is not empty.
std::string wordsOf(StrictMap& map, const std::string& key) {
  const std::string text = map.text(key);
  if (text.empty()) map.refuse(key, "must not be empty");
  return text;
}

void readSizes(StrictMap& map, PrepareOptions& options) {
  const auto sizes = map.integers("vocabulary_size", kCount);
  if (sizes.empty()) return;
  if (sizes.size() > 2) map.refuse("vocabulary_size", "must be one number, or one for each side");
  options.sourceVocabularySize = sizes.front();
  options.targetVocabularySize = sizes.back();
}

PrepareOptions::SampleBy sampleByOf(StrictMap& map) {
  const auto& names = PrepareOptions::kSampleByNames;
  const std::string name = map.choice("sample_by", {names.begin(), names.end()});
  return static_cast<PrepareOptions::SampleBy>(std::ranges::find(names, name) - names.begin());
}

void readOptions(StrictMap map, PrepareOptions& options) {
  const auto count = [&](const char* key, std::int64_t& to) { to = map.integer(key, to, kCount); };
  const auto flag = [&](const char* key, bool& to) { to = map.flag(key, to); };
  if (map.has("tokenizer"))
    options.tokenizer = map.choice("tokenizer", {kTokenizers.begin(), kTokenizers.end()});
  flag("lowercase", options.lowercase);
  flag("truecase", options.truecase);
  count("bpe", options.bpeMerges);
  flag("bpe_separate", options.bpeSeparate);
  count("bpe_vocabulary_threshold", options.bpeThreshold);
  readSizes(map, options);
  count("vocabulary_minimum", options.vocabularyMinimum);
  flag("joint_vocabulary", options.jointVocabulary);
  count("max_length", options.maxLength);
  count("max_subwords", options.maxSubwords);
  options.ratio = map.number("ratio", options.ratio, kCount);
  flag("drop_overlap", options.dropOverlap);
  count("valid_sample", options.validSample);
  count("test_sample", options.testSample);
  count("valid_every", options.validEvery);
  options.sampleBy = sampleByOf(map);
  map.done();
}

Recipe::Part readPart(StrictMap map) {
  if (!map.has("source") || !map.has("target")) map.refuse("source", "or 'target' is missing");
  TextInput common;
  common.format = textFormatOf(map.text("format", "auto"));
  common.keepEntities = map.flag("keep_entities");
  for (const auto& [from, to] : map.entries("replace")) {
    if (from.empty() || !to.is_string()) map.refuse("replace", "must map strings to strings");
    common.replace.emplace_back(from, to.get<std::string>());
  }
  const auto input = [&](const std::string& location, const char* columnKey) {
    TextInput result = common;
    result.location = location;
    if (map.has(columnKey))
      result.column = static_cast<int>(map.integer(columnKey, {}, {.minimum = 1, .maximum = 100}));
    return result;
  };
  Recipe::Part part;
  part.files.source = input(wordsOf(map, "source"), "source_column");
  for (const std::string& target : map.texts("target")) {
    if (target.empty()) map.refuse("target", "must not be empty");
    part.files.targets.push_back(input(target, "target_column"));
  }
  if (part.files.targets.empty()) map.refuse("target", "must not be empty");
  part.optional = map.flag("optional");
  map.has("source_column");
  map.has("target_column");
  map.done();
  return part;
}

std::vector<Recipe::Part> readParts(StrictMap& map, const std::string& key) {
  std::vector<Recipe::Part> parts;
  for (const StrictMap& part : map.maps(key, "part")) parts.push_back(readPart(part));
  if (parts.empty()) map.refuse(key, "must be a list of parts");
  return parts;
}

void readSets(StrictMap& map, const std::string& key, bool test, Recipe& recipe) {
  auto sets = map.map(key);
  if (!sets) return;
  for (const std::string& name : sets->keys())
    recipe.sets.push_back({name, test, readParts(*sets, name)});
}

void readJoins(StrictMap& map, PrepareOptions& options) {
  auto joins = map.map("join");
  if (!joins) return;
  for (const std::string& name : joins->keys()) {
    options.joins.push_back({.name = name, .sets = joins->texts(name)});
    if (options.joins.back().sets.empty()) joins->refuse(name, "must be a list of sets");
  }
}

void readExpected(StrictMap& map, ExpectedCounts& expected) {
  if (auto counts = map.map("expect")) {
    for (const std::string& name : counts->keys())
      expected.counts.emplace_back(name, counts->integer(name, {}, kCount));
  }
  expected.enforced = map.flag("expect_enforced", expected.enforced);
}

// The user's files, by name.
class FileIndex {
 public:
  explicit FileIndex(const std::vector<std::filesystem::path>& from) {
    for (const auto& path : from) {
      if (!std::filesystem::exists(path))
        throw usageError("--from {}: there is no such file or folder", path.string());
      if (!std::filesystem::is_directory(path)) {
        addFile(path);
        continue;
      }
      for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
        if (entry.is_regular_file() && !entry.is_symlink()) addFile(entry.path());
      }
    }
  }

  // Candidates for one name, the best first: as named, compressed, in an archive.
  std::vector<std::string> find(const std::string& name) const {
    for (const auto* places : {&files_, &members_}) {
      for (const char* end : {"", ".gz", ".bz2", ".xz"}) {
        std::vector<std::string> found;
        for (const std::string& place : *places) {
          if (matches(place, name + end)) found.push_back(place);
        }
        if (!found.empty()) return found;
      }
    }
    return {};
  }

 private:
  void addFile(const std::filesystem::path& path) {
    if (!isArchiveName(path)) {
      files_.push_back(path.string());
      return;
    }
    for (const std::string& member : archiveMembers(path))
      members_.push_back(path.string() + ":" + member);
  }
  static bool matches(std::string_view place, std::string_view name) {
    if (!place.ends_with(name)) return false;
    if (place.size() == name.size()) return true;
    const char before = place[place.size() - name.size() - 1];
    return before == '/' || before == ':';
  }

  std::vector<std::string> files_, members_;
};

// Replaces names by locations and collects the missing ones.
class Resolver {
 public:
  Resolver(const Recipe& recipe, const std::vector<std::filesystem::path>& from)
      : recipe_(recipe), index_(from) {}

  // The parts whose files all exist. `complete` becomes false if an optional one is left out.
  std::vector<PairInput> parts(const std::vector<Recipe::Part>& wanted, bool& complete) {
    std::vector<PairInput> found;
    for (const Recipe::Part& part : wanted) {
      PairInput files = part.files;
      std::vector<std::string> absent;
      locate(files.source, absent);
      for (TextInput& target : files.targets) locate(target, absent);
      if (absent.empty()) {
        found.push_back(std::move(files));
      } else if (part.optional) {
        complete = false;
      } else {
        missing_.insert(missing_.end(), absent.begin(), absent.end());
      }
    }
    return found;
  }

  void refuseMissing() const {
    if (missing_.empty()) return;
    throw usageError("recipe {}: not among the files given with --from: {}. How to get them: {}",
                     recipe_.name, fmt::join(missing_, ", "), recipe_.get);
  }

 private:
  void locate(TextInput& input, std::vector<std::string>& absent) const {
    std::string rest = input.location;
    while (!rest.empty()) {
      const auto bar = rest.find(" | ");
      const std::string name = rest.substr(0, bar);
      const auto places = index_.find(name);
      if (places.size() > 1) {
        throw usageError("recipe {}: {} could be {} or {}; give --from only one of them",
                         recipe_.name, name, places[0], places[1]);
      }
      if (places.size() == 1) {
        input.location = places[0];
        return;
      }
      rest = bar == std::string::npos ? "" : rest.substr(bar + 3);
    }
    absent.push_back(input.location);
  }

  const Recipe& recipe_;
  FileIndex index_;
  std::vector<std::string> missing_;
};

}  // namespace

Recipe parseRecipe(std::string_view text, std::string_view source) {
  const YamlDocument document = parseYaml(text, source);
  StrictMap map(document, "", document.value, "the recipe");
  Recipe recipe;
  PrepareOptions& options = recipe.options;
  recipe.name = wordsOf(map, "recipe");
  recipe.title = wordsOf(map, "title");
  recipe.licence = wordsOf(map, "licence");
  recipe.origin = wordsOf(map, "origin");
  recipe.get = wordsOf(map, "get");
  options.sourceLanguage = wordsOf(map, "source");
  options.targetLanguage = wordsOf(map, "target");
  if (const auto given = map.map("options")) readOptions(*given, options);
  map.any("train");
  recipe.train = readParts(map, "train");
  readSets(map, "valid", false, recipe);
  readSets(map, "test", true, recipe);
  readJoins(map, options);
  readExpected(map, options.expected);
  map.done();
  checkDatasetName(recipe.name, "recipe");
  options.name = recipe.name;
  options.recipe = recipe.document = document.value;
  return recipe;
}

std::vector<std::string> builtInRecipes() {
  std::vector<std::string> names;
  for (const auto& [file, text] : embedded::recipes())
    names.emplace_back(file.substr(0, file.rfind('.')));
  return names;
}

std::optional<Recipe> builtInRecipe(const std::string& name) {
  for (const auto& [file, text] : embedded::recipes()) {
    if (file.substr(0, file.rfind('.')) == name) return parseRecipe(text, file);
  }
  return {};
}

bool isRecipe(const std::string& place) {
  if (place.ends_with(".yaml") || place.ends_with(".yml")) return true;
  const std::vector<std::string> names = builtInRecipes();
  return std::ranges::find(names, place) != names.end() && !std::filesystem::exists(place);
}

Recipe findRecipe(const std::string& name) {
  if (std::filesystem::is_regular_file(name))
    return parseRecipe(readBounded(name, kYamlLimits.bytes), name);
  if (auto recipe = builtInRecipe(name)) return *std::move(recipe);
  throw usageError("no recipe '{}': it is neither a file nor one of {}", name,
                   fmt::join(builtInRecipes(), ", "));
}

bool isMadeBy(const Dataset& dataset, const Recipe& recipe) {
  const Json& manifest = dataset.manifest();
  if (manifest.value("recipe", Json()) != recipe.document || manifest.contains(kCountsDiffer))
    return false;
  // Flags of `data prepare` override the recipe's options and are recorded next to it.
  const Json options = manifest.value("options", Json::object());
  const Json wanted = recipe.document.value("options", Json::object());
  for (const auto& [key, value] : wanted.items()) {
    if (!options.contains(key)) continue;
    const Json& used = options[key];
    const bool both = used.is_array() && value.is_number();  // one size for both sides
    if (both ? used != Json::array({value, value}) : used != value) return false;
  }
  return true;
}

PrepareOptions resolveRecipe(const Recipe& recipe, const std::vector<std::filesystem::path>& from) {
  Resolver resolver(recipe, from);
  PrepareOptions options = recipe.options;
  std::vector<std::string> changed;
  bool trainComplete = true;
  options.train = resolver.parts(recipe.train, trainComplete);
  if (!trainComplete) changed = {"train", "vocabulary.source", "vocabulary.target"};
  for (const Recipe::Set& set : recipe.sets) {
    bool complete = true;
    auto parts = resolver.parts(set.parts, complete);
    if (!complete) changed.push_back(set.name);
    if (!parts.empty()) options.sets.push_back({set.name, set.test, std::move(parts)});
  }
  resolver.refuseMissing();
  const auto absent = [&](const std::string& name) {
    const bool named = std::any_of(recipe.sets.begin(), recipe.sets.end(),
                                   [&](const Recipe::Set& set) { return set.name == name; });
    return named && std::none_of(options.sets.begin(), options.sets.end(),
                                 [&](const SetInput& set) { return set.name == name; });
  };
  std::erase_if(options.joins, [&](const JoinInput& join) {
    const bool gone = std::any_of(join.sets.begin(), join.sets.end(), absent);
    if (gone) changed.push_back(join.name);
    return gone;
  });
  std::erase_if(options.expected.counts, [&](const auto& count) {
    return std::find(changed.begin(), changed.end(), count.first) != changed.end();
  });
  return options;
}

}  // namespace strata
