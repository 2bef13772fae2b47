#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/inside/word_class.h"
#include "core/metrics/alignment_error.h"
#include "core/run/recording.h"

namespace strata {

// The recordings of one step of a run, with information from its dataset.
struct RecordedStep {
  std::vector<SentenceRecordings> sentences;
  std::string sourceLanguage, targetLanguage;          // "en"; empty: the dataset no longer exists
  std::map<std::int64_t, std::vector<GoldWord>> gold;  // of generated data, by sentence
  std::map<std::int64_t, SentenceAlignment> links;     // gold alignments, by sentence
};

// The set whose first sentences a run records while it trains, by its effective configuration.
std::string recordedSet(const Json& config);

// `folder`: the step's recordings, which are of the first set that the run validates on. `config`:
// the run's, effective. `datasets`: the workspace's. Throws if the recordings are damaged.
RecordedStep readRecordedStep(const std::filesystem::path& folder, const Json& config,
                              const std::filesystem::path& datasets);

// The same for recordings of sentences of another set of the run's dataset.
RecordedStep readRecordedSet(const std::filesystem::path& folder, const std::string& set,
                             const Json& config, const std::filesystem::path& datasets);

// Fills in the languages and the gold data (heads and classes of target words, alignments); leaves
// them unknown if the dataset no longer exists.
void addTargetText(RecordedStep& step, const Json& config, const std::filesystem::path& datasets);

}  // namespace strata
