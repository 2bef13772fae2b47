#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/json.h"

namespace strata {

// Describes an internal of a model, so that a panel can draw it without knowing the model.
struct RecordingInfo {
  std::string name;  // models.md's name: "decoder.fusion.hop_weights"
  // "attention", "history_attention", "joint_attention", "hop_weights", "level_norms", "gate",
  // "context_norms", "states", "level" (of a stack), or "block": a part that can be switched off
  std::string kind;
  std::string side;  // "encoder" or "decoder"
  int layer = -1;    // -1 if it does not belong to one layer
  // One per dimension, of: "target", "source", "history", "memory" (the source's positions, then
  // the history's), "head", "hop", "level", "part", "feature".
  std::vector<std::string> axes;
  int firstLevel = 0;  // on the axis "level": 0 is the embedding, l is the output of layer l
};

// {"name", "kind", "side", "layer", "axes", "first_level"}
Json toJson(const RecordingInfo& info);
// Reads that back; throws nlohmann's exceptions if a member is missing or has another type.
RecordingInfo recordingInfoFrom(const Json& json);

// One recorded tensor of one sentence, cut to its true lengths; row-major.
struct Recording {
  RecordingInfo info;
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};

// The recordings of one sentence (or hypothesis) with the words that label its axes.
struct SentenceRecordings {
  std::int64_t sentence = 0;
  std::vector<std::string> source;  // tokens as the model reads them, </s> included
  std::vector<std::string>
      target;  // tokens generated, </s> included; row i of every decoder map is target[i]
  std::vector<Recording> recordings;
};

// recordings/step-N: index.json next to one safetensors file per recording name.
void writeRecordings(const std::filesystem::path& folder,
                     const std::vector<SentenceRecordings>& sentences);
std::vector<SentenceRecordings> readRecordings(const std::filesystem::path& folder);
// The contents of a folder, from its index alone.
std::vector<RecordingInfo> readRecordingInfos(const std::filesystem::path& folder);

}  // namespace strata
