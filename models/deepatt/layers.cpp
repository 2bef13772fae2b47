#include "models/deepatt/layers.h"

#include "core/nn/fused.h"

namespace strata::deepatt {
namespace {

using torch::Tensor;

}  // namespace

void initialiseMatrix(Initialiser& random, const Tensor& matrix, bool xavier) {
  xavier ? random.xavier(matrix, 1) : random.normal(matrix, kDeviation);
}

RecurrentImpl::RecurrentImpl(std::int64_t width, bool withPeephole)
    : weight(newParameter(*this, "weight", {4 * width, width}, 0.0)),
      bias(newParameter(*this, "bias", {4 * width}, 0.0)) {
  if (withPeephole) peephole = newParameter(*this, "peephole", {3, width}, 0.0);
}

LayerImpl::LayerImpl(const DeepAttConfig& config, std::int64_t in, bool first)
    : inputProjection_(register_module("input_proj", Linear(in, 4 * config.hidden, false))),
      recurrent_(register_module("recurrent", Recurrent(config.hidden, config.peephole))) {
  if (first || !config.fastForward) return;
  const std::int64_t read = (config.half ? 2 : 4) * config.hidden;
  fastForward_ = register_module("fast_forward", Linear(read, 4 * config.hidden, false));
}

Tensor LayerImpl::feed(const Tensor& h_X, const Tensor& below_XG,
                       const Published& fastForward) const {
  // Eq. 5, k = 1: f^1 = W_f^1 x, and without fast-forward connections f^k = W_f^k Dr(h^{k-1})
  const Tensor direct_XG = inputProjection_->forward(h_X);
  if (!fastForward_) return direct_XG;
  // Eq. 6: f^k = W_f^k [Half(f^{k-1}), Dr(h^{k-1})]. Half(f) is the first entries, those of
  // candidate and input gate.
  const Tensor read = below_XG.narrow(-1, 0, fastForward_->weight.size(1));
  if (fastForward.wanted()) return direct_XG + fastForward.pass(fastForward_->forward(read));
  return plusProduct(direct_XG, read, fastForward_->weight);
}

Recurrence LayerImpl::recurrence(const Tensor& f_TBG, const Tensor& initial_BH,
                                 bool reverse) const {
  return {.sums_TBG = f_TBG,
          .recurrent_GH = recurrent_->weight,
          .bias_G = recurrent_->bias,
          .peephole_3H = recurrent_->peephole,
          .initial_BH = initial_BH,
          .reverse = reverse};
}

Recurrence LayerImpl::recurrenceOver(const Tensor& x_TBX, const Tensor& initial_BH,
                                     bool reverse) const {
  Recurrence over = recurrence({}, initial_BH, reverse);
  over.x_TBX = x_TBX;
  over.input_GX = inputProjection_->weight;  // f = W_f x
  return over;
}

CellState LayerImpl::step(const Tensor& f_RG, const CellState& before) const {
  // Eq. 4: [z, z_rho, z_phi, z_pi] = f_t + W_r h_{t-1} + b, from which recurOnce computes
  //   s_t = tanh(z) sigma(z_rho + theta_rho s_{t-1}) + sigma(z_phi + theta_phi s_{t-1}) s_{t-1}
  //   h_t = tanh(s_t) sigma(z_pi + theta_pi s_t)
  const Tensor sums_RG = affine(before.hidden_RH, recurrent_->weight, recurrent_->bias).add_(f_RG);
  return recurOnce(sums_RG, recurrent_->peephole, before.cell_RH, kSlots);
}

void LayerImpl::initialise(Initialiser& random, bool xavier) {
  const torch::NoGradGuard frozen;
  initialiseMatrix(random, inputProjection_->weight, xavier);
  if (fastForward_) initialiseMatrix(random, fastForward_->weight, xavier);
  for (Tensor parameter : recurrent_->parameters()) parameter.zero_();
}

}  // namespace strata::deepatt
