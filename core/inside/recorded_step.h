#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/inside/word_class.h"
#include "core/run/recording.h"

namespace strata {

// A run's fusions according to its configuration.
struct FusionInfo {
  // Level 0 of a fusion is the embedding, else layer 1.
  bool encoderEmbedding = true, decoderEmbedding = true;

  bool embedding(const std::string& side) const {
    return side == "encoder" ? encoderEmbedding : decoderEmbedding;
  }
};
FusionInfo fusionInfoOf(const Json& config);

// The recordings of one step of a run, with information from its configuration and dataset.
struct RecordedStep {
  std::vector<SentenceRecordings> sentences;
  FusionInfo fusion;
  std::string targetLanguage;                          // "en"; empty: the dataset no longer exists
  std::map<std::int64_t, std::vector<GoldWord>> gold;  // of generated data, by sentence
};

// `folder`: the step's recordings, which are of the first set that the run validates on. `config`:
// the run's, effective. `datasets`: the workspace's. Throws if the recordings are damaged.
RecordedStep readRecordedStep(const std::filesystem::path& folder, const Json& config,
                              const std::filesystem::path& datasets);

// Fills in language and gold data of the target sentences; leaves them unknown if the dataset no
// longer exists.
void addTargetText(RecordedStep& step, const Json& config, const std::filesystem::path& datasets);

}  // namespace strata
