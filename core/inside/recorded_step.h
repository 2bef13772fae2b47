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

// What a run's configuration says of its fusions.
struct FusionInfo {
  bool hops = false;  // one of the sides has hops to show
  // Level 0 of a fusion is the embedding, else layer 1.
  bool encoderEmbedding = true, decoderEmbedding = true;

  bool embedding(const std::string& side) const {
    return side == "encoder" ? encoderEmbedding : decoderEmbedding;
  }
};
FusionInfo fusionInfoOf(const Json& config);

// The recordings of one step of a run, with what its configuration and dataset say of them.
struct RecordedStep {
  std::vector<SentenceRecordings> sentences;
  FusionInfo fusion;
  std::string targetLanguage;                          // "en"; empty: the dataset is gone
  std::map<std::int64_t, std::vector<GoldWord>> gold;  // of generated data, by sentence; else empty
};

// `folder`: of the step's recordings, which are of the first set that the run validates on.
// `config`: of the run, effective. `datasets`: the workspace's. Throws where the recordings are
// damaged.
RecordedStep readRecordedStep(const std::filesystem::path& folder, const Json& config,
                              const std::filesystem::path& datasets);

// Fills in language and gold truth of the target sentences; as if unknown where the dataset is
// gone.
void addTargetText(RecordedStep& step, const Json& config, const std::filesystem::path& datasets);

}  // namespace strata
