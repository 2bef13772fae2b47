#pragma once
#include <torch/types.h>

#include <cstdint>
#include <span>
#include <vector>

#include "core/data/batch.h"
#include "core/train/training_state.h"

namespace strata {

// What one update is computed from.
struct UpdateInput {
  std::int64_t step = 0;                // of the update, from 1
  std::int64_t tokens = 0;              // target tokens, </s> included
  std::int64_t real = 0, padded = 0;    // positions of both sides
  std::vector<std::int64_t> sentences;  // indices in the training corpus
};
UpdateInput inputOf(std::int64_t step, std::span<const Batch> batches);

// The results of one update on the host.
struct UpdateResults {
  UpdateInput input;
  double nll = 0, loss = 0, errors = 0;  // summed over target tokens
  double gradientNorm = 0;               // before clipping

  bool isFinite() const;
  // Counts the update as clipped if its gradient norm is above `clipNorm`; 0: no clipping.
  void addTo(RunningSums& sums, double clipNorm) const;
};

// The results of updates that are still on the device. Reading one there makes the host wait for
// everything before it, so they are read together, and only when something depends on them.
class PendingUpdates {
 public:
  // `values_4`: nll, loss, errors and gradient norm of UpdateResults; float64 on the device.
  void add(UpdateInput input, torch::Tensor values_4);
  // Everything added since the last call, oldest first: one transfer, or none if nothing was added.
  std::vector<UpdateResults> fetch();

 private:
  std::vector<UpdateInput> inputs_;
  std::vector<torch::Tensor> values_;  // one per input
};

}  // namespace strata
