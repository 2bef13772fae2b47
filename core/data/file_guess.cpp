#include "core/data/file_guess.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>

#include "core/base/error.h"
#include "core/data/byte_source.h"
#include "core/data/sentences.h"

namespace strata {
namespace {

// A file with its name taken apart: "corpus/train.de.gz" has the prefix "corpus/train" and the
// language "de".
struct NamedFile {
  std::string location, prefix, language;
};

std::string lowered(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

bool isLanguage(const std::string& text) {
  return (text.size() == 2 || text.size() == 3) &&
         std::ranges::all_of(text, [](unsigned char c) { return std::islower(c) != 0; });
}

// Evaluation sets of WMT have "src" and "ref" in their names.
void dropSideWord(std::string& prefix) {
  for (const char* word : {"-src", "-ref", ".src", ".ref"}) {
    if (prefix.ends_with(word)) prefix.resize(prefix.size() - 4);
  }
}

NamedFile takenApart(const std::string& location) {
  std::string rest = location;
  for (bool more = true; more;) {
    more = false;
    for (const std::string_view end :
         {".gz", ".bz2", ".xz", ".txt", ".xml", ".sgm", ".sgml", ".jsonl", ".ndjson"}) {
      if (!rest.ends_with(end)) continue;
      rest.resize(rest.size() - end.size());
      more = true;
    }
  }
  const auto dot = rest.rfind('.');
  const auto slash = rest.find_last_of("/:");
  if (dot == std::string::npos || (slash != std::string::npos && dot < slash))
    return {location, rest, ""};
  const std::string end = lowered(rest.substr(dot + 1));
  if (!isLanguage(end)) return {location, rest, ""};
  std::string prefix = rest.substr(0, dot);
  dropSideWord(prefix);
  return {location, prefix, end};
}

std::string lastPart(const std::string& path) {
  const auto slash = path.find_last_of("/:");
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

// Characters that a dataset or set may be named by.
std::string cleanName(std::string name) {
  for (char& c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 || (std::isalnum(byte) == 0 && c != '.' && c != '_' && c != '-')) c = '-';
  }
  name.erase(0, std::min(name.find_first_not_of(".-"), name.size()));
  return name.substr(0, 100);
}

enum class Role { kTrain, kValid, kTest };

Role roleOf(const std::string& prefix) {
  const std::string name = lowered(lastPart(prefix));
  const auto has = [&](const char* word) { return name.find(word) != std::string::npos; };
  if (has("train")) return Role::kTrain;
  if (has("test") || has("tst")) return Role::kTest;
  if (has("val") || has("dev") || has("tune")) return Role::kValid;
  return Role::kTrain;
}

// Dictionaries and codes of other tools, which lie next to the text.
bool isWordList(const std::string& prefix) {
  const std::string name = lowered(lastPart(prefix));
  return name.starts_with("dict") || name.starts_with("vocab") || name.starts_with("codes");
}

std::vector<std::string> filesIn(const std::vector<std::string>& places) {
  std::vector<std::string> files;
  const auto addFile = [&](const std::filesystem::path& path) {
    if (!isArchiveName(path)) return files.push_back(path.string());
    for (const std::string& member : archiveMembers(path))
      files.push_back(path.string() + ":" + member);
  };
  for (const std::string& place : places) {
    if (!std::filesystem::exists(fileOfLocation(place)))
      throw usageError("{}: there is no such file or folder", place);
    if (!std::filesystem::is_directory(place)) {
      addFile(place);
      continue;
    }
    std::vector<std::filesystem::path> inside;
    for (const auto& entry : std::filesystem::directory_iterator(place)) {
      if (entry.is_regular_file() && !entry.path().filename().string().starts_with('.'))
        inside.push_back(entry.path());
    }
    std::ranges::sort(inside);
    std::ranges::for_each(inside, addFile);
  }
  return files;
}

using Groups = std::map<std::string, std::vector<NamedFile>>;  // by prefix

// The two languages that occur together most often, source first: as a prefix names them
// ("train.de-en"), else English is the target, else in alphabetical order.
std::array<std::string, 2> languagesOf(const Groups& groups) {
  std::map<std::array<std::string, 2>, int> together;
  for (const auto& [prefix, files] : groups) {
    for (const NamedFile& a : files) {
      for (const NamedFile& b : files) {
        if (a.language < b.language && !a.language.empty()) ++together[{a.language, b.language}];
      }
    }
  }
  if (together.empty()) return {};
  auto languages =
      std::ranges::max_element(together, {}, [](const auto& each) { return each.second; })->first;
  for (const auto& [prefix, files] : groups) {
    const std::string name = lowered(prefix);
    for (const char* dash : {"-", "_", ""}) {
      const bool forward = name.find("." + languages[0] + dash + languages[1]) != std::string::npos;
      const bool back = name.find("." + languages[1] + dash + languages[0]) != std::string::npos;
      if (forward && !back) return languages;
      if (back && !forward) return {languages[1], languages[0]};
    }
  }
  if (languages[0] == "en") std::swap(languages[0], languages[1]);
  return languages;
}

const NamedFile* fileOf(const std::vector<NamedFile>& files, const std::string& language) {
  const auto found = std::ranges::find(files, language, &NamedFile::language);
  return found == files.end() ? nullptr : &*found;
}

void addPair(PrepareOptions& options, const std::string& prefix, PairInput pair) {
  const Role role = roleOf(prefix);
  if (role == Role::kTrain) return options.train.push_back(std::move(pair));
  std::string name = role == Role::kTest ? "test" : "valid";
  const auto taken = [&] {
    return std::ranges::find(options.sets, name, &SetInput::name) != options.sets.end();
  };
  if (taken()) name = cleanName(lastPart(prefix));
  for (int number = 2; taken(); ++number) name = fmt::format("{}-{}", lastPart(prefix), number);
  options.sets.push_back({name, role == Role::kTest, {std::move(pair)}});
}

// Files that hold both sides, such as WMT's XML: their languages are those of all, or they belong
// to no pair.
void addTwoSided(const std::vector<std::string>& files, PrepareOptions& options,
                 std::vector<std::string>& used) {
  for (const std::string& file : files) {
    const bool isUsed = std::ranges::find(used, file) != used.end();
    if (isUsed || formatByName(file) == TextFormat::kAuto) continue;
    const std::vector<std::string> languages = languagesIn(file);
    if (languages.size() < 2) continue;
    if (options.sourceLanguage.empty()) {
      options.sourceLanguage = languages[0];
      options.targetLanguage = languages[1];
    }
    const auto has = [&](const std::string& wanted) {
      return std::ranges::any_of(
          languages, [&](const std::string& each) { return isSameLanguage(each, wanted); });
    };
    if (!has(options.sourceLanguage) || !has(options.targetLanguage)) continue;
    used.push_back(file);
    addPair(options, takenApart(file).prefix,
            {.source = {.location = file}, .targets = {{.location = file}}});
  }
}

// After the folder or archive of the training text.
std::string nameFor(const PrepareOptions& options) {
  if (options.train.empty()) return {};
  const std::filesystem::path file = fileOfLocation(options.train.front().source.location);
  std::string stem = isArchiveName(file)
                         ? file.filename().string()
                         : std::filesystem::absolute(file).parent_path().filename().string();
  for (const char* end : {".tar", ".tgz", ".zip"}) stem = stem.substr(0, stem.find(end));
  const std::string languages = options.sourceLanguage + options.targetLanguage;
  if (lowered(stem).find(languages) == std::string::npos) stem += "-" + languages;
  return cleanName(stem);
}

}  // namespace

FileGuess guessFiles(const std::vector<std::string>& places) {
  Groups groups;
  std::vector<std::string> files = filesIn(places);
  for (const std::string& file : files) {
    NamedFile named = takenApart(file);
    groups[named.prefix].push_back(std::move(named));
  }
  FileGuess guess;
  PrepareOptions& options = guess.options;
  const auto languages = languagesOf(groups);
  options.sourceLanguage = languages[0];
  options.targetLanguage = languages[1];
  std::vector<std::string> used;
  for (const auto& [prefix, members] : groups) {
    const NamedFile* source = fileOf(members, languages[0]);
    const NamedFile* target = fileOf(members, languages[1]);
    if (languages[0].empty() || !source || !target || isWordList(prefix)) continue;
    used.insert(used.end(), {source->location, target->location});
    addPair(
        options, prefix,
        {.source = {.location = source->location}, .targets = {{.location = target->location}}});
  }
  addTwoSided(files, options, used);
  // Two files without languages in their names can only be the two sides.
  if (used.empty() && files.size() == 2) {
    used = files;
    options.train.push_back(
        {.source = {.location = files[0]}, .targets = {{.location = files[1]}}});
  }
  std::ranges::copy_if(files, std::back_inserter(guess.unused), [&](const std::string& file) {
    return std::ranges::find(used, file) == used.end();
  });
  options.name = nameFor(options);
  return guess;
}

}  // namespace strata
