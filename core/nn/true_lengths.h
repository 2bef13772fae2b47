#pragma once
#include <torch/types.h>

#include "core/nn/recorder.h"

namespace strata {

// One sentence's part [...] of a published tensor (without the batch axis), cut to true lengths:
// "source" axes to `source` positions, "target" and "history" axes to `target`, "memory" axes (the
// source, then the history) to both.
torch::Tensor cutToLengths(const RecordingInfo& info, torch::Tensor values,
                           const SentenceLengths& lengths);

// Whether an axis counts positions of a sentence.
bool isPositionAxis(const std::string& axis);

}  // namespace strata
