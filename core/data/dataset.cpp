#include "core/data/dataset.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <system_error>

#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text_limits.h"
#include "core/data/growing_folder.h"

namespace strata {
namespace {

// Version 2 adds the manifest's own digest, kManifestDigest, which covers every other key.
constexpr int kFormatVersion = 2;
constexpr const char* kManifestDigest = "manifest_digest";

// "NAME@3" -> {"NAME", 3}; "NAME" -> {"NAME", 0}.
constexpr const char* kTrash = ".trash";  // below the folder of datasets

struct VersionedName {
  std::string name;
  std::int64_t version = 0;
};

VersionedName parseName(const std::string& text) {
  const auto at = text.find('@');
  VersionedName result{text.substr(0, at), 0};
  checkDatasetName(result.name, "dataset");
  if (at == std::string::npos) return result;
  const std::string digits = text.substr(at + 1);
  const bool number = !digits.empty() && digits.size() < 10 &&
                      digits.find_first_not_of("0123456789") == std::string::npos;
  if (!number || std::stoll(digits) == 0) {
    throw usageError("'{}' is not a dataset: the version after @ must be a number from 1", text);
  }
  result.version = std::stoll(digits);
  return result;
}

// Folders of all versions of one name. The newest is the folder without @, if there is one.
std::vector<fs::path> versionFolders(const fs::path& datasets, const std::string& name) {
  std::vector<std::pair<std::int64_t, fs::path>> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(datasets, ignored)) {
    const std::string folder = entry.path().filename().string();
    if (folder == name) found.emplace_back(INT64_MAX, entry.path());
    if (folder.starts_with(name + "@")) {
      const std::string digits = folder.substr(name.size() + 1);
      found.emplace_back(std::atoll(digits.c_str()), entry.path());
    }
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<fs::path> folders;
  for (const auto& [version, path] : found) folders.push_back(path);
  return folders;
}

[[noreturn]] void refuseUnknown(const fs::path& datasets, const std::string& name) {
  std::string known;
  for (const Dataset& dataset : listDatasets(datasets).datasets) {
    known += (known.empty() ? "" : ", ") + dataset.name();
    if (dataset.folder().filename() != dataset.name())
      known += fmt::format("@{}", dataset.version());
  }
  throw usageError("no dataset '{}' in {}; {}", name, datasets.string(),
                   known.empty() ? "there is none yet: create one with `strata-run data prepare`"
                                 : "there are: " + known);
}

// Which of the folders of all versions `name` means. `version` is 0 for the newest.
std::size_t chosenOf(const std::vector<fs::path>& folders, std::int64_t version,
                     const fs::path& datasets, const std::string& name) {
  if (folders.empty()) refuseUnknown(datasets, name);
  if (version == 0) return 0;
  const auto named =
      std::ranges::find_if(folders, [&](const fs::path& path) { return path.filename() == name; });
  if (named != folders.end()) return static_cast<std::size_t>(named - folders.begin());
  if (Dataset(folders.front()).version() != version) refuseUnknown(datasets, name);
  return 0;
}

// Reads values of a manifest; absent or wrong values count as damage.
template <typename T>
T field(const Json& object, const char* key, const fs::path& manifest) {
  try {
    return object.at(key).get<T>();
  } catch (const nlohmann::json::exception&) {
    throw Error(
        "{}: '{}' is missing or has the wrong type; the dataset is damaged, prepare it again",
        manifest.string(), key);
  }
}

template <typename T>
T sideField(const Dataset& dataset, const char* side, const char* key) {
  const fs::path manifest = dataset.folder() / "manifest.yaml";
  return field<T>(field<Json>(dataset.manifest(), side, manifest), key, manifest);
}

// The content that a manifest's digest covers: all other keys. Text that is not UTF-8 is damage,
// and changes the digest.
std::string manifestDigest(Json manifest) {
  manifest.erase(kManifestDigest);
  return digestOf(manifest.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void checkManifest(const Json& manifest, const fs::path& path) {
  if (!manifest.is_object() || manifest.value("format", Json()) != "strata-dataset")
    throw Error("{}: is not the manifest of a dataset", path.string());
  const auto version = field<int>(manifest, "format_version", path);
  if (version != 1 && version != kFormatVersion) {
    throw Error(
        "{}: has format {}, but this program reads formats 1 to {}; prepare the dataset again",
        path.string(), version, kFormatVersion);
  }
  if (version > 1 &&
      field<std::string>(manifest, kManifestDigest, path) != manifestDigest(manifest)) {
    throw Error("{}: is damaged or was changed by hand; prepare the dataset again", path.string());
  }
}

std::string columnSuffix(std::int64_t column) {
  if (column == 0) return ".source";
  return column == 1 ? ".target" : fmt::format(".target.{}", column);
}

}  // namespace

fs::path EvaluationSet::raw(std::int64_t column) const {
  return folder / ("raw" + columnSuffix(column));
}

fs::path EvaluationSet::tokens(std::int64_t column) const {
  return folder / ("tokens" + columnSuffix(column));
}

Dataset::Dataset(const fs::path& folder) : folder_(folder) {
  const fs::path path = folder / "manifest.yaml";
  manifest_ = readYaml(path).value;
  checkManifest(manifest_, path);
  name_ = field<std::string>(manifest_, "name", path);
  version_ = field<std::int64_t>(manifest_, "version", path);
  digest_ = field<std::string>(manifest_, "digest", path);
  const Json files = field<Json>(manifest_, "files", path);
  for (const auto& [file, facts] : files.items()) {
    std::error_code error;
    const auto size = fs::file_size(pathInside(folder, file), error);
    if (error || size != field<std::uintmax_t>(facts, "bytes", path)) {
      throw Error(
          "{}: is missing or has another size than {} says; the dataset is damaged, prepare it "
          "again",
          (folder / file).string(), path.string());
    }
  }
  if (datasetDigest(files) != digest_)
    throw Error("{}: was changed by hand; prepare the dataset again", path.string());
  const Json sets = field<Json>(manifest_, "sets", path);
  for (const auto& [name, facts] : sets.items()) {
    EvaluationSet set;
    set.name = name;
    set.test = field<std::string>(facts, "role", path) == "test";
    set.sentences = field<std::int64_t>(facts, "sentences", path);
    set.references = field<std::int64_t>(facts, "references", path);
    set.folder = pathInside(folder, fs::path("sets") / name);
    set.corpus = pathInside(folder, name + ".corpus");
    sets_.push_back(std::move(set));
  }
}

Dataset Dataset::open(const fs::path& datasets, const std::string& name) {
  const VersionedName wanted = parseName(name);
  const auto folders = versionFolders(datasets, wanted.name);
  return Dataset(folders[chosenOf(folders, wanted.version, datasets, name)]);
}

std::optional<Dataset> Dataset::find(const fs::path& datasets, const std::string& name,
                                     const std::string& digest) {
  for (const fs::path& folder : versionFolders(datasets, parseName(name).name)) {
    std::error_code ignored;
    if (!fs::exists(folder / "manifest.yaml", ignored)) continue;
    try {
      Dataset dataset(folder);
      if (dataset.digest() == digest) return dataset;
    } catch (const Error&) {
      continue;  // a damaged version does not count
    }
  }
  return std::nullopt;
}

const EvaluationSet& Dataset::set(const std::string& name) const {
  std::string known;
  for (const EvaluationSet& set : sets_) {
    if (set.name == name) return set;
    known += (known.empty() ? "" : ", ") + set.name;
  }
  throw usageError("dataset '{}' has no evaluation set '{}'; it has {}", name_, name,
                   known.empty() ? "none" : known);
}

std::string Dataset::sourceLanguage() const {
  return sideField<std::string>(*this, "source", "language");
}

std::string Dataset::targetLanguage() const {
  return sideField<std::string>(*this, "target", "language");
}

std::int64_t Dataset::sourceVocabularySize() const {
  return sideField<std::int64_t>(*this, "source", "vocabulary");
}

std::int64_t Dataset::targetVocabularySize() const {
  return sideField<std::int64_t>(*this, "target", "vocabulary");
}

std::int64_t Dataset::droppedUnits() const {
  const Json train = manifest_.value("train", Json::object());
  const Json dropped = train.is_object() ? train.value("dropped", Json::object()) : Json::object();
  const Json count = dropped.is_object() ? dropped.value(kTooManyUnits, Json(0)) : Json(0);
  return count.is_number_integer() ? count.get<std::int64_t>() : 0;
}

std::vector<ExpectedFile> Dataset::files(const std::string& part) const {
  const fs::path manifest = folder_ / "manifest.yaml";
  std::vector<ExpectedFile> files;
  for (const auto& [file, facts] : manifest_.at("files").items()) {
    if (!part.empty() && file != part && !file.starts_with(part + "/")) continue;
    files.push_back({.name = file,
                     .digest = field<std::string>(facts, "digest", manifest),
                     .bytes = field<std::int64_t>(facts, "bytes", manifest)});
  }
  return files;
}

void Dataset::verify(Progress& progress) const {
  verifyFiles(folder_, files(""), {.what = "checking " + name_, .recheckAll = true}, progress);
}

void Dataset::requireIntact(Progress& progress, const std::string& part) const {
  verifyFiles(folder_, files(part), {.what = "checking " + name_}, progress);
}

void Dataset::requireIntact(const EvaluationSet& set) const {
  requireIntact(noProgress(), set.folder.lexically_relative(folder_).generic_string());
  requireIntact(noProgress(), set.corpus.lexically_relative(folder_).generic_string());
}

DatasetList listDatasets(const fs::path& datasets) {
  DatasetList list;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(datasets, ignored)) {
    if (!entry.is_directory(ignored) || entry.path().filename().string().starts_with('.')) continue;
    try {
      list.datasets.emplace_back(entry.path());
    } catch (const Error& error) {
      list.damaged.emplace_back(error.what());
    }
  }
  std::sort(list.datasets.begin(), list.datasets.end(), [](const Dataset& a, const Dataset& b) {
    return a.name() != b.name() ? a.name() < b.name() : a.version() > b.version();
  });
  std::sort(list.damaged.begin(), list.damaged.end());
  return list;
}

fs::path trashDataset(const fs::path& datasets, const std::string& name) {
  const VersionedName wanted = parseName(name);
  const FolderLock lock(datasets);
  const auto folders = versionFolders(datasets, wanted.name);
  const std::size_t chosen = chosenOf(folders, wanted.version, datasets, name);
  const fs::path trash = datasets / kTrash;
  fs::create_directories(trash);
  const std::string kept = fmt::format("{}@{}", wanted.name, Dataset(folders[chosen]).version());
  fs::path place = trash / kept;
  for (int number = 2; fs::exists(place); ++number)
    place = trash / fmt::format("{}.{}", kept, number);
  moveDurably(folders[chosen], place);
  if (chosen == 0 && folders.size() > 1) moveDurably(folders[1], datasets / wanted.name);
  return place;
}

void restoreDataset(const fs::path& datasets, const std::string& name) {
  const VersionedName wanted = parseName(name);
  const FolderLock lock(datasets);
  const auto trashed = versionFolders(datasets / kTrash, wanted.name);
  const auto chosen = std::find_if(trashed.begin(), trashed.end(), [&](const fs::path& folder) {
    return wanted.version == 0 || Dataset(folder).version() == wanted.version;
  });
  if (chosen == trashed.end())
    throw usageError(
        "there is no dataset '{}' in the trash: `data list --trash` shows what is there", name);
  const std::int64_t version = Dataset(*chosen).version();
  const auto present = versionFolders(datasets, wanted.name);
  for (const fs::path& folder : present) {
    if (Dataset(folder).version() == version)
      throw usageError("{} is version {} already: remove it first", folder.string(), version);
  }
  const bool isNewest = present.empty() || Dataset(present.front()).version() < version;
  const fs::path newest = datasets / wanted.name;
  if (isNewest && !present.empty())
    moveDurably(newest, datasets / fmt::format("{}@{}", wanted.name, Dataset(newest).version()));
  moveDurably(*chosen, isNewest ? newest : datasets / fmt::format("{}@{}", wanted.name, version));
}

std::vector<fs::path> trashedDatasets(const fs::path& datasets) {
  std::vector<fs::path> folders;
  for (const std::string& name : namesIn(datasets / kTrash)) {
    if (!name.starts_with('.')) folders.push_back(datasets / kTrash / name);
  }
  return folders;
}

void checkDatasetName(std::string_view name, std::string_view what) {
  const auto allowed = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-';
  };
  const bool fine = !name.empty() && name.size() <= 100 && name[0] != '.' && name[0] != '-' &&
                    std::all_of(name.begin(), name.end(), allowed);
  if (!fine) {
    throw usageError(
        "'{}' cannot name a {}: use letters, digits, '.', '_' and '-', starting with a letter or "
        "digit",
        name, what);
  }
}

std::string sealedManifest(Json manifest) {
  manifest["format_version"] = kFormatVersion;
  manifest.erase(kManifestDigest);
  // The digest is computed from the values as they will be read, however numbers are written.
  manifest[kManifestDigest] = manifestDigest(parseYaml(toYaml(manifest), "manifest.yaml").value);
  return toYaml(manifest);
}

std::string datasetDigest(const Json& files) {
  std::map<std::string, std::string> sorted;
  for (const auto& [file, facts] : files.items()) sorted[file] = facts.value("digest", "");
  Digest digest;
  for (const auto& [file, content] : sorted) digest.add(file + '\n' + content + '\n');
  return digest.hex();
}

}  // namespace strata
