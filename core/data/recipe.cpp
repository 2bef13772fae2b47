#include "core/data/recipe.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "core/base/error.h"
#include "embedded/recipes.h"

namespace strata {
namespace {

// Reads values of a recipe; every error names file, line and key.
class Reader {
 public:
  explicit Reader(const YamlDocument& document) : document_(document) {}

  [[noreturn]] void fail(const std::string& path, const std::string& message) const {
    throw usageError("{}: {}: {}", document_.where(path), path, message);
  }
  std::string text(const Json& value, const std::string& path) const {
    if (!value.is_string() || value.get_ref<const std::string&>().empty())
      fail(path, "must be text");
    return value.get<std::string>();
  }
  std::int64_t whole(const Json& value, const std::string& path) const {
    if (!value.is_number_integer() || value.get<std::int64_t>() < 0)
      fail(path, "must be an integer of at least 0");
    return value.get<std::int64_t>();
  }
  double number(const Json& value, const std::string& path) const {
    if (!value.is_number() || !(value.get<double>() >= 0))
      fail(path, "must be a number of at least 0");
    return value.get<double>();
  }
  bool truth(const Json& value, const std::string& path) const {
    if (!value.is_boolean()) fail(path, "must be true or false");
    return value.get<bool>();
  }
  const Json& object(const Json& value, const std::string& path) const {
    if (!value.is_object()) fail(path, "must be a mapping of keys");
    return value;
  }
  const Json& list(const Json& value, const std::string& path) const {
    if (!value.is_array() || value.empty()) fail(path, "must be a list");
    return value;
  }

  using Use = std::function<void(const Json& value, const std::string& path)>;
  // Passes each key of an object to its reader; other keys are errors.
  void keys(const Json& value, const std::string& path,
            const std::map<std::string, Use>& known) const {
    for (const auto& [key, inner] : object(value, path).items()) {
      const std::string at = path.empty() ? key : path + "." + key;
      const auto use = known.find(key);
      if (use == known.end()) {
        std::string names;
        for (const auto& [name, ignored] : known) names += (names.empty() ? "" : ", ") + name;
        fail(at, "unknown key; expected one of " + names);
      }
      use->second(inner, at);
    }
  }

 private:
  const YamlDocument& document_;
};

void readSizes(const Reader& read, const Json& value, const std::string& path,
               PrepareOptions& options) {
  if (!value.is_array()) {
    options.sourceVocabularySize = options.targetVocabularySize = read.whole(value, path);
    return;
  }
  if (value.size() != 2) read.fail(path, "must be one number, or one for each side");
  options.sourceVocabularySize = read.whole(value[0], path);
  options.targetVocabularySize = read.whole(value[1], path);
}

PrepareOptions::SampleBy sampleByOf(const Reader& read, const Json& value,
                                    const std::string& path) {
  const std::string name = read.text(value, path);
  if (name == "pair") return PrepareOptions::SampleBy::kPair;
  if (name == "source") return PrepareOptions::SampleBy::kSource;
  if (name == "target") return PrepareOptions::SampleBy::kTarget;
  read.fail(path, "must be pair, source or target");
}

void readOptions(const Reader& read, const Json& value, const std::string& path,
                 PrepareOptions& options) {
  const auto whole = [&](std::int64_t& to) {
    return [&read, &to](const Json& v, const std::string& at) { to = read.whole(v, at); };
  };
  const auto truth = [&](bool& to) {
    return [&read, &to](const Json& v, const std::string& at) { to = read.truth(v, at); };
  };
  read.keys(
      value, path,
      {{"tokenizer",
        [&](const Json& v, const std::string& at) { options.tokenizer = read.text(v, at); }},
       {"lowercase", truth(options.lowercase)},
       {"truecase", truth(options.truecase)},
       {"bpe", whole(options.bpeMerges)},
       {"bpe_separate", truth(options.bpeSeparate)},
       {"bpe_vocabulary_threshold", whole(options.bpeThreshold)},
       {"vocabulary_size",
        [&](const Json& v, const std::string& at) { readSizes(read, v, at, options); }},
       {"vocabulary_minimum", whole(options.vocabularyMinimum)},
       {"joint_vocabulary", truth(options.jointVocabulary)},
       {"max_length", whole(options.maxLength)},
       {"max_subwords", whole(options.maxSubwords)},
       {"ratio", [&](const Json& v, const std::string& at) { options.ratio = read.number(v, at); }},
       {"drop_overlap", truth(options.dropOverlap)},
       {"valid_sample", whole(options.validSample)},
       {"test_sample", whole(options.testSample)},
       {"valid_every", whole(options.validEvery)},
       {"sample_by", [&](const Json& v, const std::string& at) {
          options.sampleBy = sampleByOf(read, v, at);
        }}});
}

Recipe::Part readPart(const Reader& read, const Json& value, const std::string& path) {
  Recipe::Part part;
  TextInput source, common;
  int targetColumn = 0;
  std::vector<std::string> targets;
  const auto column = [&](int& to) {
    return [&read, &to](const Json& v, const std::string& at) {
      const auto number = read.whole(v, at);
      if (number < 1 || number > 100) read.fail(at, "must be a column from 1 to 100");
      to = static_cast<int>(number);
    };
  };
  read.keys(
      value, path,
      {{"source",
        [&](const Json& v, const std::string& at) { source.location = read.text(v, at); }},
       {"target",
        [&](const Json& v, const std::string& at) {
          if (v.is_string()) {
            targets.push_back(read.text(v, at));
            return;
          }
          for (const Json& reference : read.list(v, at))
            targets.push_back(read.text(reference, at));
        }},
       {"source_column", column(source.column)},
       {"target_column", column(targetColumn)},
       {"format", [&](const Json& v,
                      const std::string& at) { common.format = textFormatOf(read.text(v, at)); }},
       {"keep_entities",
        [&](const Json& v, const std::string& at) { common.keepEntities = read.truth(v, at); }},
       {"replace",
        [&](const Json& v, const std::string& at) {
          for (const auto& [from, to] : read.object(v, at).items()) {
            if (from.empty() || !to.is_string()) read.fail(at, "must map strings to strings");
            common.replace.emplace_back(from, to.get<std::string>());
          }
        }},
       {"optional",
        [&](const Json& v, const std::string& at) { part.optional = read.truth(v, at); }}});
  if (source.location.empty() || targets.empty()) read.fail(path, "needs source and target");
  const auto input = [&](const std::string& location, int of) {
    TextInput result = common;
    result.location = location;
    result.column = of;
    return result;
  };
  part.files.source = input(source.location, source.column);
  for (const std::string& target : targets)
    part.files.targets.push_back(input(target, targetColumn));
  return part;
}

std::vector<Recipe::Part> readParts(const Reader& read, const Json& value,
                                    const std::string& path) {
  std::vector<Recipe::Part> parts;
  for (std::size_t i = 0; i < read.list(value, path).size(); ++i) {
    parts.push_back(readPart(read, value[i], fmt::format("{}.{}", path, i)));
  }
  return parts;
}

void readJoins(const Reader& read, const Json& value, const std::string& path,
               PrepareOptions& options) {
  for (const auto& [name, sets] : read.object(value, path).items()) {
    JoinInput join{.name = name, .sets = {}};
    for (const Json& set : read.list(sets, path + "." + name))
      join.sets.push_back(read.text(set, path + "." + name));
    options.joins.push_back(std::move(join));
  }
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
    std::string names;
    for (const std::string& name : missing_) names += (names.empty() ? "" : ", ") + name;
    throw usageError("recipe {}: not among the files given with --from: {}. How to get them: {}",
                     recipe_.name, names, recipe_.get);
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

void readSets(const Reader& read, const Json& value, const std::string& path, bool test,
              Recipe& recipe) {
  for (const auto& [name, parts] : read.object(value, path).items()) {
    recipe.sets.push_back({name, test, readParts(read, parts, path + "." + name)});
  }
}

}  // namespace

Recipe parseRecipe(std::string_view text, std::string_view source) {
  const YamlDocument document = parseYaml(text, source);
  const Reader read(document);
  Recipe recipe;
  PrepareOptions& options = recipe.options;
  const auto words = [&](std::string& to) {
    return [&read, &to](const Json& v, const std::string& at) { to = read.text(v, at); };
  };
  using Path = const std::string&;
  read.keys(document.value, "",
            {{"recipe", words(recipe.name)},
             {"title", words(recipe.title)},
             {"licence", words(recipe.licence)},
             {"origin", words(recipe.origin)},
             {"get", words(recipe.get)},
             {"source", words(options.sourceLanguage)},
             {"target", words(options.targetLanguage)},
             {"options", [&](const Json& v, Path at) { readOptions(read, v, at, options); }},
             {"train", [&](const Json& v, Path at) { recipe.train = readParts(read, v, at); }},
             {"valid", [&](const Json& v, Path at) { readSets(read, v, at, false, recipe); }},
             {"test", [&](const Json& v, Path at) { readSets(read, v, at, true, recipe); }},
             {"join", [&](const Json& v, Path at) { readJoins(read, v, at, options); }},
             {"expect",
              [&](const Json& v, Path at) {
                for (const auto& [name, count] : read.object(v, at).items()) {
                  options.expected.counts.emplace_back(name, read.whole(count, at + "." + name));
                }
              }},
             {"expect_enforced",
              [&](const Json& v, Path at) { options.expected.enforced = read.truth(v, at); }}});
  for (const auto& [key, value] : {std::pair{"recipe", &recipe.name},
                                   {"title", &recipe.title},
                                   {"licence", &recipe.licence},
                                   {"origin", &recipe.origin},
                                   {"get", &recipe.get},
                                   {"source", &options.sourceLanguage},
                                   {"target", &options.targetLanguage}}) {
    if (value->empty()) throw usageError("{}: the key '{}' is missing", source, key);
  }
  if (recipe.train.empty()) throw usageError("{}: the key 'train' is missing", source);
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
