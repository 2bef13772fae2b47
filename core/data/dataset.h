#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/base/progress.h"
#include "core/data/verified_files.h"

namespace strata {

// A named evaluation set of a dataset and the files of its three states.
struct EvaluationSet {
  std::string name;
  bool test = false;  // a test set: no decision may depend on it
  std::int64_t sentences = 0;
  std::int64_t references = 1;
  std::filesystem::path folder;  // contains the text
  std::filesystem::path corpus;  // ids: source and first reference

  // Column 0 is the source, then come the references.
  std::filesystem::path raw(std::int64_t column) const;
  std::filesystem::path tokens(std::int64_t column) const;
  std::filesystem::path rawSource() const { return raw(0); }
  std::filesystem::path tokensSource() const { return tokens(0); }
  // References are numbered from 0.
  std::filesystem::path rawReference(std::int64_t reference = 0) const {
    return raw(reference + 1);
  }
  std::filesystem::path tokensReference(std::int64_t reference = 0) const {
    return tokens(reference + 1);
  }
};

// A prepared dataset: folder datasets/NAME of a workspace. It never changes; preparing the name
// again moves it to datasets/NAME@VERSION. Copying this object copies only paths and the manifest.
class Dataset {
 public:
  // Opens a folder by its manifest. Checks that every file in it exists with the right size, but
  // not the digests.
  explicit Dataset(const std::filesystem::path& folder);
  // `datasets` is the workspace's folder of datasets; `name` is NAME (its newest version) or
  // NAME@VERSION. An unknown name is a usage error that lists the existing ones.
  static Dataset open(const std::filesystem::path& datasets, const std::string& name);
  // Any version of NAME with this digest; none if it no longer exists.
  static std::optional<Dataset> find(const std::filesystem::path& datasets, const std::string& name,
                                     const std::string& digest);

  const std::string& name() const { return name_; }
  std::int64_t version() const { return version_; }
  const std::string& digest() const { return digest_; }  // of all files' digests
  const std::filesystem::path& folder() const { return folder_; }
  const Json& manifest() const { return manifest_; }

  std::filesystem::path textFolder() const { return folder_ / "text"; }  // for TextPipeline::load
  std::filesystem::path trainCorpus() const { return folder_ / "train.corpus"; }
  // The training set as tokens (after the pipeline, before BPE and vocabulary), if the vocabularies
  // leave out words, so that the ids are incomplete; otherwise the file does not exist. Side 0:
  // source.
  std::filesystem::path trainTokens(int side) const { return folder_ / trainTokensName(side); }
  static const char* trainTokensName(int side) {
    return side == 0 ? "train.tokens.source" : "train.tokens.target";
  }
  const std::vector<EvaluationSet>& sets() const { return sets_; }  // in the order of preparation
  const EvaluationSet& set(const std::string& name) const;  // usage error that lists the names
  std::string sourceLanguage() const;
  std::string targetLanguage() const;
  // Sizes of the vocabularies, special tokens included.
  std::int64_t sourceVocabularySize() const;
  std::int64_t targetVocabularySize() const;
  // Training pairs that were dropped when it was prepared since they had more units than
  // --max-subwords.
  std::int64_t droppedUnits() const;
  static constexpr const char* kTooManyUnits = "too many units";  // in the manifest's counts

  // Reads every file and verifies its digest; throws an Error that names the first mismatch.
  void verify(Progress& progress = noProgress()) const;
  // The same for the files that changed since they were last verified: call this before learning
  // from the dataset or scoring with it. `part`: only files below this path ("text"); empty: all.
  void requireIntact(Progress& progress = noProgress(), const std::string& part = "") const;
  // Only the text and the ids of one evaluation set.
  void requireIntact(const EvaluationSet& set) const;

 private:
  std::vector<ExpectedFile> files(const std::string& part) const;

  std::filesystem::path folder_;
  std::string name_, digest_;
  std::int64_t version_ = 1;
  Json manifest_;
  std::vector<EvaluationSet> sets_;
};

// Every version of every dataset, by name, newest first. Folders that cannot be opened are reported
// in `damaged`.
struct DatasetList {
  std::vector<Dataset> datasets;
  std::vector<std::string> damaged;  // one message per folder
};
DatasetList listDatasets(const std::filesystem::path& datasets);

// Moves one version ("NAME@VERSION"), or with just NAME the newest one, to the trash, after which
// the previous version is the newest. Returns its folder there.
std::filesystem::path trashDataset(const std::filesystem::path& datasets, const std::string& name);
// Moves it back, with just NAME the newest version that is there. A usage error if there is none,
// or the version exists again.
void restoreDataset(const std::filesystem::path& datasets, const std::string& name);
// The folders of the datasets in the trash, sorted.
std::vector<std::filesystem::path> trashedDatasets(const std::filesystem::path& datasets);

// Throws a usage error if a name is invalid for a dataset or set: letters, digits, '.', '_' and
// '-', not starting with '.' or '-', at most 100.
void checkDatasetName(std::string_view name, std::string_view what);

// Content digest of a manifest's "files" ({path: {bytes, digest}}).
std::string datasetDigest(const Json& files);

// The text of manifest.yaml: the manifest, its format version and its own digest.
std::string sealedManifest(Json manifest);

}  // namespace strata
