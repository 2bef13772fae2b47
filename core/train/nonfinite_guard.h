#pragma once
#include <string>

#include "core/run/experiment.h"
#include "core/train/pending_updates.h"

namespace strata {

// Decides what follows an update whose loss or gradients are not finite: training.on_nonfinite, but
// too many such updates in a row always end the run.
class NonfiniteGuard {
 public:
  static constexpr int kMostInARow = 20;

  struct Refusal {
    TrainingSpec::Nonfinite action = TrainingSpec::Nonfinite::kStop;
    std::string what;  // a clause that names the step and its sentences
  };

  explicit NonfiniteGuard(TrainingSpec::Nonfinite action) : action_(action) {}

  // Call one of the two for every update, in their order. refuse() throws a divergence error if the
  // update is the kMostInARow-th in a row.
  void accept() { refusedInARow_ = 0; }
  Refusal refuse(const UpdateInput& update);

 private:
  TrainingSpec::Nonfinite action_;
  int refusedInARow_ = 0;
};

}  // namespace strata
