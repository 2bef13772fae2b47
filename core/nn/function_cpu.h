// Helpers of the differentiable functions around the kernels.
#pragma once
#include <ATen/Parallel.h>
#include <torch/autograd.h>
#include <torch/types.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "core/nn/arithmetic.h"
#include "core/nn/dropout.h"
#include "core/nn/kernels/kernels.h"

namespace strata::cpu {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;
using MaybeTensor = std::optional<Tensor>;  // autograd accepts no undefined tensors as inputs

// Calls body(float{}) or body(double{}).
template <typename Body>
auto byType(const Tensor& x, const Body& body) {
  return x.scalar_type() == torch::kFloat32 ? body(float{}) : body(double{});
}

template <typename T>
T* pointer(const Tensor& x) {
  return x.defined() ? x.data_ptr<T>() : nullptr;
}

inline MaybeTensor maybe(const Tensor& x) {
  return x.defined() ? MaybeTensor(x) : std::nullopt;
}

// [rows, columns], contiguous.
inline Tensor flat(const Tensor& x) {
  return x.reshape({-1, x.size(-1)}).contiguous();
}

inline kernels::Extent extentOf(const Tensor& x) {
  return {x.numel() / x.size(-1), x.size(-1), at::get_num_threads()};
}

// Back-propagation multiplies as its forward pass did: forward() saves how, backward() computes in
// the scope of what was saved.
inline void saveArithmetic(AutogradContext* context) {
  context->saved_data["bf16"] = arithmetic().bf16Products;
}
inline Arithmetic savedArithmetic(AutogradContext* context) {
  Arithmetic saved = arithmetic();
  saved.bf16Products = context->saved_data["bf16"].toBool();
  return saved;
}

// For a backward() that writes its results over what forward() saved: it works once.
inline void spend(AutogradContext* context) {
  TORCH_CHECK(context->saved_data.count("spent") == 0,
              "this graph was back-propagated through before; its values are gone");
  context->saved_data["spent"] = true;
}

inline kernels::Mask maskOf(const Dropout& dropout) {
  return kernels::maskOf(dropout.rate, dropout.key);
}
inline kernels::Mask maskOf(const RowDropout& dropout) {
  kernels::Mask mask = maskOf(static_cast<const Dropout&>(dropout));
  mask.numbers = pointer<std::int64_t>(dropout.numbers_N);
  return mask;
}
inline void saveDropout(AutogradContext* context, const RowDropout& dropout) {
  context->saved_data["rate"] = dropout.rate;
  context->saved_data["key"] = static_cast<std::int64_t>(dropout.key);
  if (dropout.numbers_N.defined()) context->saved_data["numbers"] = dropout.numbers_N;
}
// Valid as long as the context.
inline kernels::Mask savedMask(AutogradContext* context) {
  RowDropout dropout = Dropout{context->saved_data["rate"].toDouble(),
                               static_cast<std::uint64_t>(context->saved_data["key"].toInt())};
  const auto numbers = context->saved_data.find("numbers");
  if (numbers != context->saved_data.end()) dropout.numbers_N = numbers->second.toTensor();
  return maskOf(dropout);
}

// A part of a batch: the sentences that one thread takes through all steps of a recurrence.
struct Rows {
  std::int64_t begin, count, number;
  Tensor of(const Tensor& slots, std::int64_t t) const {
    return slots.select(0, t).narrow(0, begin, count);
  }
  // Of all slots from `first` on.
  Tensor from(const Tensor& slots, std::int64_t first) const {
    return slots.narrow(0, first, slots.size(0) - first).narrow(1, begin, count);
  }
  // The steps of the longest of these sentences; lengths: undefined if all have `steps`.
  std::int64_t longest(const Tensor& lengths_B, std::int64_t steps) const {
    if (!lengths_B.defined()) return steps;
    const auto* first = lengths_B.const_data_ptr<std::int64_t>() + begin;
    return *std::max_element(first, first + count);
  }
};

// Sentences that take their steps together: what they read at every step stays in the shared cache,
// and none of them waits for a much longer one, since neighbours in a batch are of similar length.
constexpr std::int64_t kSentencesAtOnce = 64;

// How the sentences of every track are split into parts: as many for each thread, so that no thread
// waits for another before the end.
class Split {
 public:
  // atOnce: sentences of a part, at most.
  explicit Split(std::int64_t batch, std::int64_t tracks = 1,
                 std::int64_t atOnce = std::numeric_limits<std::int64_t>::max())
      : batch_(batch), tracks_(tracks) {
    const std::int64_t threads = (at::get_num_threads() + tracks - 1) / tracks,
                       share = (batch + threads - 1) / threads;
    parts_ = std::min(batch, threads * (1 + (share - 1) / atOnce));
  }
  // The parts of a single track.
  Split ofOneTrack() const {
    Split same = *this;
    same.tracks_ = 1;
    return same;
  }

  std::int64_t batch() const { return batch_; }
  std::int64_t parts() const { return parts_; }  // of a track
  std::int64_t tasks() const { return tracks_ * parts_; }
  Rows part(std::int64_t number) const {
    const std::int64_t first = batch_ * number / parts_;
    return {first, batch_ * (number + 1) / parts_ - first, number};
  }

 private:
  std::int64_t batch_, tracks_, parts_;
};

// One part's of what every part has its own, to be summed: no thread adds to what another adds to.
inline Tensor partOf(const Tensor& ofParts, std::int64_t part) {
  return ofParts.defined() ? ofParts.select(0, part) : Tensor{};
}

// Calls body(track, rows, task) for every part of every track.
template <typename Body>
void forEachPart(const Split& split, const Body& body) {
  at::parallel_for(0, split.tasks(), 1, [&](std::int64_t begin, std::int64_t end) {
    const at::AutoDispatchBelowADInplaceOrView plain;
    for (std::int64_t task = begin; task < end; ++task)
      body(static_cast<std::size_t>(task / split.parts()), split.part(task % split.parts()), task);
  });
}

}  // namespace strata::cpu
