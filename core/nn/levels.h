// The levels of a model's stacks, published by every family under the same names, so that figures
// of layers need not know the model: "SIDE.levels.0" is what the first layer reads, "SIDE.levels.l"
// the output of layer l, and "SIDE.levels.fused" what a fusion makes of them.
#pragma once
#include <torch/types.h>

#include <string>
#include <vector>

#include "core/nn/recorder.h"

namespace strata {

RecordingInfo levelInfo(const std::string& side, std::size_t level);
RecordingInfo fusedInfo(const std::string& side);
// Those of a side with this many layers, without a fusion.
std::vector<RecordingInfo> levelInfos(const std::string& side, std::size_t layers);

// What the model continues with after a level [B, T, D], time-major [T, B, D], or of one step of a
// search [R, D]. A null recorder: the level itself.
struct PublishedLevel {
  Recorder* recorder = nullptr;
  const char* side = "decoder";
  bool timeMajor = false;

  torch::Tensor pass(std::size_t level, const torch::Tensor& x) const;
  torch::Tensor passFused(const torch::Tensor& x) const;
};

}  // namespace strata
