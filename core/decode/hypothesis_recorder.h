#pragma once
#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "core/nn/recorder.h"
#include "core/run/recording.h"

namespace strata {

// Internals of a search: each step's published rows, assembled per hypothesis at the end, so that
// they follow it through every reordering.
class HypothesisRecorder {
 public:
  // The encoder's internals of the batch, kept unchanged.
  void addEncoder(const Recorder& recorder);
  // The decoder's internals of one step, one row per active hypothesis.
  void addStep(const Recorder& recorder);

  // `rows`: the row that produced each word of the hypothesis, one per step.
  std::vector<Recording> recordings(std::int64_t sentence, std::int64_t sourceLength,
                                    const std::vector<std::int64_t>& rows) const;

 private:
  RecordedTensor joined(std::size_t index, const std::vector<std::int64_t>& rows) const;

  std::vector<RecordedTensor> encoder_;
  std::vector<std::vector<RecordedTensor>>
      steps_;  // the same names in the same order at every step
};

}  // namespace strata
