#include "models/dhea/layers.h"

namespace strata::dhea {

using torch::Tensor;

void initialiseMatrix(Initialiser& random, const Tensor& weight, bool stable) {
  stable ? random.xavier(weight, 1) : random.normal(weight, kDeviation);
}

void initialiseBias(Initialiser& random, const Tensor& bias, bool stable) {
  if (!stable) return random.normal(bias, kDeviation);
  const torch::NoGradGuard frozen;
  bias.detach().zero_();
}

LstmImpl::LstmImpl(std::int64_t in, std::int64_t width)
    : weightInput_(newParameter(*this, "weight_ih", {4 * width, in})),
      weightHidden_(newParameter(*this, "weight_hh", {4 * width, width})),
      bias_(newParameter(*this, "bias", {4 * width})) {}

void LstmImpl::initialise(Initialiser& random, bool stable) {
  initialiseMatrix(random, weightInput_, stable);
  initialiseMatrix(random, weightHidden_, stable);
  initialiseBias(random, bias_, stable);
  if (!stable) return;
  const torch::NoGradGuard frozen;
  const std::int64_t width = weightHidden_.size(1);
  bias_.narrow(0, width, width).fill_(1);  // the forget gate starts open
}

Tensor normalised(const Tensor& x, const LayerNorm& norm) {
  if (!norm) return x;
  return torch::layer_norm(x, norm->weight.sizes(), norm->weight, norm->bias, kNormEpsilon);
}

bool addsInput(const DheaConfig& config, std::int64_t layer) {
  return config.residual && layer > 0;
}

EncoderLayerImpl::EncoderLayerImpl(const DheaConfig& config, std::int64_t layer,
                                   const std::shared_ptr<DropoutState>& dropout)
    : residual_(addsInput(config, layer)),
      reverse_((layer % 2 == 1) == (config.firstDirection == Direction::kForward)),
      lstm_(register_module("lstm", Lstm(config.hidden, config.hidden))),
      dropout_(dropout, DropoutSite::Kind::kFeatures) {
  if (config.layerNorm) norm_ = register_module("norm", LayerNorm(config.hidden));
}

// Eq. 2: h^l_t = LSTM(h^l_{t+d}, h^{l-1}_t), with dropout on each layer (section 4.2). Departs from
// the paper: its d = (-1)^l lets the first LSTM, at l = 2, run backward; forward is the default,
// because its prose says so. `first_direction` chooses.
Tensor EncoderLayerImpl::forward(const Tensor& h_TBD, const Tensor& lengths_B) const {
  const Tensor states_TBD =
      lstmLayer(normalised(h_TBD, norm_), lstm_->weights(), {lengths_B, reverse_});
  const Tensor kept_TBD = applyDropout(states_TBD, dropout_.draw());
  return residual_ ? h_TBD + kept_TBD : kept_TBD;
}

void EncoderLayerImpl::initialise(Initialiser& random, bool stable) {
  lstm_->initialise(random, stable);
}

}  // namespace strata::dhea
