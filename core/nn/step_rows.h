// Where the steps of a recurrence lie in a matrix [N, D] that has one row for each step of each
// sentence: first those of all sentences at their part's first step, so that whatever has no step
// before it is one piece, and last those at its last step, which is the first where it runs
// backward. At one step, the sentences of a part (function_cpu.h) are one below the other.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "core/nn/function_cpu.h"

namespace strata::cpu {

class StepRows {
 public:
  // Matrices that are [T, B, D]: rows for all steps, whether they are taken or not.
  static StepRows padded(const Split& split, std::int64_t steps, const Tensor& lengths_B);
  // Matrices without rows for the steps after a part's longest sentence.
  static StepRows packed(const Split& split, std::int64_t steps, const Tensor& lengths_B);

  std::int64_t count() const { return count_; }                                     // N
  std::int64_t steps(const Rows& part) const { return parts_[part.number].steps; }  // that it takes
  // The rows of a part at one of its steps.
  Tensor of(const Tensor& x_ND, const Rows& part, std::int64_t t) const;
  // The rows that have a step before them; a few more where parts of one step run backward.
  Tensor later(const Tensor& x_ND, bool reverse) const;
  // Zeros for the steps that a part does not take, where there are rows for them.
  void clearRest(const Tensor& x_ND, const Rows& part) const;

  // The rows of x [T, B, D], and [T, B, D] of rows, with zeros where there is none.
  Tensor taken(const Tensor& x_TBD) const;
  Tensor spread(const Tensor& x_ND) const;

  const Split& split() const { return split_; }

 private:
  StepRows(const Split& split, std::int64_t steps) : split_(split), allSteps_(steps) {}

  // The row of the first sentence at step t is `begin`, middle + (t - 1) * stride, or `last`.
  struct Part {
    std::int64_t begin = 0, steps = 0, middle = 0, stride = 0, last = 0;
  };
  Split split_;
  std::int64_t allSteps_, count_ = 0, lastBegin_ = 0;
  bool packed_ = false;
  std::vector<Part> parts_;
};

}  // namespace strata::cpu
