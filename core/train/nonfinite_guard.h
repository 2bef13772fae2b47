#pragma once
#include <string>

#include "core/train/pending_updates.h"

namespace strata {

// Names updates whose loss or gradients are not finite. Whatever training.on_nonfinite says, too
// many of them in a row end the run.
class NonfiniteGuard {
 public:
  static constexpr int kMostInARow = 20;

  // Call one of the two for every update, in their order. refuse() returns a clause that names the
  // step and its sentences; it throws a divergence error if the update is the kMostInARow-th in a
  // row.
  void accept() { refusedInARow_ = 0; }
  std::string refuse(const UpdateInput& update);

 private:
  int refusedInARow_ = 0;
};

}  // namespace strata
