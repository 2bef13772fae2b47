#include "core/nn/word_rows.h"

#include "core/data/batch.h"

namespace strata {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Spread : torch::autograd::Function<Spread> {
  static Tensor forward(AutogradContext* context, const Tensor& x_1ND, const Tensor& places_N,
                        at::IntArrayRef shape) {
    context->save_for_backward({places_N});
    const std::int64_t width = x_1ND.size(2);
    const Tensor spread = torch::zeros({shape[0], shape[1], width}, x_1ND.options());
    spread.view({-1, width}).index_copy_(0, places_N, x_1ND.squeeze(0));
    return spread;
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradOut) {
    const Tensor places_N = context->get_saved_variables()[0];
    return {gradOut[0].flatten(0, 1).index_select(0, places_N).unsqueeze(0), Tensor{}, Tensor{}};
  }
};

}  // namespace

Tensor WordRows::taken(const Tensor& x_BT) const {
  if (!unpadded()) return x_BT;
  return x_BT.flatten(0, 1).index_select(0, places_N).unsqueeze(0);
}

Tensor WordRows::repeated(const Tensor& x_TD) const {
  if (!unpadded()) return x_TD;
  return x_TD.index_select(0, places_N.remainder(positions));
}

Tensor WordRows::spread(const Tensor& x_1ND) const {
  if (!unpadded()) return x_1ND;
  return Spread::apply(x_1ND, places_N, at::IntArrayRef{starts_B.size(0), positions});
}

Tensor lengthsOf(const Tensor& ids_BT) {
  const Tensor numbers_T = torch::arange(1, ids_BT.size(1) + 1, ids_BT.options());
  return ((ids_BT != kPadId) * numbers_T).amax(1);
}

Tensor lengthsToTake(const Tensor& ids_BT, const Recorder* recorder) {
  return recorder == nullptr && ids_BT.is_cpu() ? lengthsOf(ids_BT) : Tensor{};
}

WordRows rowsWithoutPadding(const Tensor& ids_BT, Tensor lengths_B) {
  const std::int64_t positions = ids_BT.size(1);
  if (!lengths_B.defined()) lengths_B = lengthsOf(ids_BT);
  WordRows rows;
  const Tensor padding_BT = torch::arange(positions, torch::kInt64) >= lengths_B.unsqueeze(1);
  const Tensor places_N = (~padding_BT).view({-1}).nonzero().view({-1});
  if (places_N.size(0) == ids_BT.numel()) return rows;
  rows.padding_BT = padding_BT;
  rows.lengths_B = lengths_B.contiguous();
  rows.starts_B = rows.lengths_B.cumsum(0) - rows.lengths_B;
  rows.places_N = places_N;
  rows.positions = positions;
  return rows;
}

}  // namespace strata
