#include "core/nn/step_rows.h"

namespace strata::cpu {

StepRows StepRows::padded(const Split& split, std::int64_t steps, const Tensor& lengths_B) {
  StepRows rows(split, steps);
  rows.count_ = steps * split.batch();
  rows.lastBegin_ = (steps - 1) * split.batch();
  for (std::int64_t p = 0; p < split.parts(); ++p) {
    const Rows part = split.part(p);
    const std::int64_t own = part.longest(lengths_B, steps);
    rows.parts_.push_back({.begin = part.begin,
                           .steps = own,
                           .middle = split.batch() + part.begin,
                           .stride = split.batch(),
                           .last = (own - 1) * split.batch() + part.begin});
  }
  return rows;
}

StepRows StepRows::packed(const Split& split, std::int64_t steps, const Tensor& lengths_B) {
  StepRows rows(split, steps);
  rows.packed_ = true;
  std::int64_t next = split.batch();
  for (std::int64_t p = 0; p < split.parts(); ++p) {
    const Rows part = split.part(p);
    const std::int64_t own = part.longest(lengths_B, steps);
    rows.parts_.push_back(
        {.begin = part.begin, .steps = own, .middle = next, .stride = part.count});
    next += std::max<std::int64_t>(own - 2, 0) * part.count;
  }
  rows.lastBegin_ = next;
  for (std::int64_t p = 0; p < split.parts(); ++p) {
    rows.parts_[p].last = next;
    if (rows.parts_[p].steps > 1) next += split.part(p).count;
  }
  rows.count_ = next;
  return rows;
}

Tensor StepRows::of(const Tensor& x_ND, const Rows& part, std::int64_t t) const {
  const Part& own = parts_[part.number];
  std::int64_t first = own.middle + (t - 1) * own.stride;
  if (t == 0) {
    first = own.begin;
  } else if (t == own.steps - 1) {
    first = own.last;
  }
  return x_ND.narrow(0, first, part.count);
}

Tensor StepRows::later(const Tensor& x_ND, bool reverse) const {
  return reverse ? x_ND.narrow(0, 0, lastBegin_)
                 : x_ND.narrow(0, split_.batch(), count_ - split_.batch());
}

void StepRows::clearRest(const Tensor& x_ND, const Rows& part) const {
  if (packed_ || steps(part) == allSteps_) return;
  part.from(x_ND.view({allSteps_, split_.batch(), -1}), steps(part)).zero_();
}

Tensor StepRows::taken(const Tensor& x_TBD) const {
  if (!packed_) return x_TBD.reshape({count_, -1});
  const Tensor rows = torch::empty({count_, x_TBD.size(2)}, x_TBD.options());
  forEachPart(split_.ofOneTrack(), [&](std::size_t, const Rows& part, std::int64_t) {
    for (std::int64_t t = 0; t < steps(part); ++t) of(rows, part, t).copy_(part.of(x_TBD, t));
  });
  return rows;
}

Tensor StepRows::spread(const Tensor& x_ND) const {
  if (!packed_) return x_ND.view({allSteps_, split_.batch(), -1});
  const Tensor all = torch::empty({allSteps_, split_.batch(), x_ND.size(1)}, x_ND.options());
  forEachPart(split_.ofOneTrack(), [&](std::size_t, const Rows& part, std::int64_t) {
    for (std::int64_t t = 0; t < steps(part); ++t) part.of(all, t).copy_(of(x_ND, part, t));
    part.from(all, steps(part)).zero_();
  });
  return all;
}

}  // namespace strata::cpu
