#include "core/nn/weight_norm.h"

#include "core/nn/packed_weights.h"

namespace strata {

using torch::Tensor;

WeightNormImpl::WeightNormImpl(std::int64_t in, std::int64_t out, std::int64_t kernel) {
  const auto shape = [&](std::int64_t width, std::int64_t taps) {
    std::vector<std::int64_t> sizes{out, width};
    if (kernel > 0) sizes.push_back(taps);
    return sizes;
  };
  weight_v = newParameter(*this, "weight_v", shape(in, kernel));
  weight_g = newParameter(*this, "weight_g", shape(1, 1));
  bias = newParameter(*this, "bias", {out});
}

WeightNormImpl::Stamp WeightNormImpl::stamp() const {
  const auto address = [](const Tensor& x) {
    return reinterpret_cast<std::uintptr_t>(x.const_data_ptr());
  };
  return {address(weight_v), static_cast<std::uintptr_t>(weight_v._version()), address(weight_g),
          static_cast<std::uintptr_t>(weight_g._version())};
}

Tensor WeightNormImpl::normalised() const {
  const Tensor w = at::_weight_norm(weight_v, weight_g, /*dim=*/0);
  return w.dim() == 3 ? w.permute({0, 2, 1}).contiguous().transpose(0, 1) : w;
}

Tensor WeightNormImpl::weight() const {
  if (torch::GradMode::is_enabled()) return normalised();
  const Stamp now = stamp();
  if (!kept_.defined() || keptStamp_ != now) {
    kept_ = normalised();
    keptStamp_ = now;
  }
  if (PackedWeights* const packed = packedWeights()) packed->admit(kept_);
  return kept_;
}

void WeightNormImpl::initialise(Initialiser& random, double deviation) {
  random.normal(weight_v, deviation);
  const torch::NoGradGuard frozen;
  weight_g.copy_(torch::norm_except_dim(weight_v, 2, /*dim=*/0));
  bias.zero_();
}

void WeightNormImpl::train(bool on) {
  torch::nn::Module::train(on);
  kept_.reset();
}

}  // namespace strata
