#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/base/progress.h"
#include "core/data/dataset.h"
#include "core/data/formats.h"
#include "core/data/sentences.h"

namespace strata {

// Files whose lines belong together. Several references of one source are several targets.
struct PairInput {
  TextInput source;
  std::vector<TextInput> targets = {};
};

struct SetInput {
  std::string name;
  bool test = false;
  std::vector<PairInput> parts = {};  // one after another; all with the same number of references
};

// A set that concatenates others.
struct JoinInput {
  std::string name;
  std::vector<std::string> sets = {};
};

// What a recipe promises about the result. Names: "train", a set's name, "vocabulary.source",
// "vocabulary.target".
struct ExpectedCounts {
  std::vector<std::pair<std::string, std::int64_t>> counts;
  bool enforced = true;  // a difference is an error; else a warning
};

// Key of a dataset's manifest: true where counts differ from what the recipe promises.
inline constexpr const char* kCountsDiffer = "counts_differ";

struct PrepareOptions {
  std::string name;                            // of the dataset
  std::string sourceLanguage, targetLanguage;  // Moses's codes
  // How files are read that say nothing about it themselves; the languages are those above.
  SentenceOptions reading = {};
  std::vector<PairInput> train;
  std::vector<SetInput> sets;
  std::vector<JoinInput> joins;

  std::int64_t validSample = 0;  // this many pairs are drawn from train as the set "valid"
  std::int64_t testSample = 0;   // the same for "test"
  std::int64_t validEvery = 0;   // every N-th pair that cleaning keeps goes to "valid"; 0: none
  enum class SampleBy { kPair, kSource, kTarget };
  static constexpr std::array<const char*, 3> kSampleByNames = {"pair", "source", "target"};
  SampleBy sampleBy =
      SampleBy::kPair;  // each sentence of this side is in one split only; one pair of it is drawn

  std::string tokenizer = "none";  // one of kTokenizers
  bool lowercase = false;
  bool truecase = false;          // truecasers are trained on train
  std::int64_t bpeMerges = 0;     // 0: none
  bool bpeSeparate = false;       // separate codes per side
  std::filesystem::path codes;    // given codes instead of learning
  std::int64_t bpeThreshold = 0;  // units of a side rarer than this in train are split further
  std::filesystem::path sourceVocabulary, targetVocabulary;  // existing "word count" files
  std::int64_t sourceVocabularySize = 0,
               targetVocabularySize = 0;  // the most frequent words, without special tokens; 0: all
  std::int64_t vocabularyMinimum = 0;     // words rarer than this are left out
  bool jointVocabulary = false;           // one vocabulary of both sides' words

  std::int64_t maxLength = 0;    // words per side of train; 0: no limit
  std::int64_t maxSubwords = 0;  // units per side of train; 0: no limit
  double ratio = 0;  // a train pair is dropped if one side has more than this many times the
                     // other's words; 0: no limit
  bool dropOverlap =
      false;  // train pairs that share a sentence (either side) with an evaluation set are dropped
  std::uint64_t seed = 1;  // of all random draws
  int threads = 0;         // 0: one per core; the result is the same

  Json recipe;  // recorded in the manifest; null: none
  ExpectedCounts expected;
  std::vector<std::pair<std::string, std::filesystem::path>>
      extraFiles;  // copied into the dataset under these relative names
};

struct PreparedDataset {
  Dataset dataset;
  bool unchanged = false;             // the newest version is identical; nothing was written
  std::vector<std::string> warnings;  // for the user (already logged)
};

// Creates a dataset: reads, tokenizes, cleans, cases, splits, learns, maps. It is built in a hidden
// folder next to its final place and appears completely or not at all: an interrupted preparation
// leaves the datasets unchanged. Text is streamed; memory grows only with the vocabularies and
// evaluation sets. An existing dataset of that name becomes NAME@VERSION.
PreparedDataset prepareDataset(const std::filesystem::path& datasets, const PrepareOptions& options,
                               Progress& progress = noProgress());

}  // namespace strata
