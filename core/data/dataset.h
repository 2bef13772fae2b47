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
  bool test = false;  // a test set: never to be selected by
  std::int64_t sentences = 0;
  std::int64_t references = 1;
  std::filesystem::path folder;  // holds the text
  std::filesystem::path corpus;  // ids: source and first reference

  std::filesystem::path rawSource() const { return folder / "raw.source"; }
  std::filesystem::path tokensSource() const { return folder / "tokens.source"; }
  std::filesystem::path rawReference(std::int64_t reference = 0) const;  // reference from 0
  std::filesystem::path tokensReference(std::int64_t reference = 0) const;
};

// A prepared dataset: folder datasets/NAME of a workspace. It never changes; preparing the name
// again moves it to datasets/NAME@VERSION. Copying this object copies paths and the manifest only.
class Dataset {
 public:
  // Opens a folder by its manifest. Checks that every file it names is there with its size, not the
  // digests.
  explicit Dataset(const std::filesystem::path& folder);
  // `datasets` is the workspace's folder of datasets; `name` is NAME (its newest version) or
  // NAME@VERSION. An unknown name is a usage error that lists what there is.
  static Dataset open(const std::filesystem::path& datasets, const std::string& name);
  // The version of NAME with this digest, whichever it is; none when it is gone.
  static std::optional<Dataset> find(const std::filesystem::path& datasets, const std::string& name,
                                     const std::string& digest);

  const std::string& name() const { return name_; }
  std::int64_t version() const { return version_; }
  const std::string& digest() const { return digest_; }  // of all files' digests
  const std::filesystem::path& folder() const { return folder_; }
  const Json& manifest() const { return manifest_; }

  std::filesystem::path textFolder() const { return folder_ / "text"; }  // for TextPipeline::load
  std::filesystem::path trainCorpus() const { return folder_ / "train.corpus"; }
  // Train as tokens (after the pipeline, before BPE and vocabulary), where its ids lack words that
  // the vocabularies leave out; elsewhere there is no such file. Side 0: source.
  std::filesystem::path trainTokens(int side) const { return folder_ / trainTokensName(side); }
  static const char* trainTokensName(int side) {
    return side == 0 ? "train.tokens.source" : "train.tokens.target";
  }
  const std::vector<EvaluationSet>& sets() const { return sets_; }  // in the order of preparation
  const EvaluationSet& set(const std::string& name) const;  // usage error that lists the names
  std::string sourceLanguage() const;
  std::string targetLanguage() const;
  // Sizes of the vocabularies, specials included.
  std::int64_t sourceVocabularySize() const;
  std::int64_t targetVocabularySize() const;

  // Reads every file and compares its digest; throws an Error that names the first that differs.
  void verify(Progress& progress = noProgress()) const;
  // The same of the files that changed since they were last compared: whoever learns from the
  // dataset or scores with it calls this first. `part`: those below this path ("text"); empty: all.
  void requireIntact(Progress& progress = noProgress(), const std::string& part = "") const;
  // Of the text and the ids of one evaluation set.
  void requireIntact(const EvaluationSet& set) const;

 private:
  std::vector<ExpectedFile> files(const std::string& part) const;

  std::filesystem::path folder_;
  std::string name_, digest_;
  std::int64_t version_ = 1;
  Json manifest_;
  std::vector<EvaluationSet> sets_;
};

// Every version of every dataset, by name, the newest first. Folders that cannot be opened are
// reported by `damaged`.
struct DatasetList {
  std::vector<Dataset> datasets;
  std::vector<std::string> damaged;  // one message a folder
};
DatasetList listDatasets(const std::filesystem::path& datasets);

// Removes one version ("NAME@VERSION"), or with a bare NAME the newest one, after which the version
// before it is the newest.
void removeDataset(const std::filesystem::path& datasets, const std::string& name);

// Throws a usage error when a name cannot be a dataset's or set's: letters, digits, '.', '_' and
// '-', not starting with
// '.' or '-', at most 100.
void checkDatasetName(std::string_view name, std::string_view what);

// Content digest of a manifest's "files" ({path: {bytes, digest}}).
std::string datasetDigest(const Json& files);

// The text of manifest.yaml: the manifest, its format's version and its own digest.
std::string sealedManifest(Json manifest);

}  // namespace strata
