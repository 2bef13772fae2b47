#include "core/nn/weight_norm.h"

#include "core/nn/function_cpu.h"
#include "core/nn/gradient_place.h"
#include "core/nn/packed_weights.h"

namespace strata {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// The weight as [out, in], or as taps [kernel, out, in] whose units' values are next to each other.
struct Normalise : torch::autograd::Function<Normalise> {
  static Tensor forward(AutogradContext* context, const Tensor& v, const Tensor& gain) {
    const bool taps = v.dim() == 3;
    const Tensor inverse = torch::empty({v.size(0)}, v.options());
    const Tensor weight =
        taps ? torch::empty({v.size(0), v.size(2), v.size(1)}, v.options()) : torch::empty_like(v);
    cpu::byType(v, [&](auto type) {
      using T = decltype(type);
      kernels::weightNorm(argumentsOf<T>(v, gain, inverse, weight), at::get_num_threads());
    });
    context->save_for_backward({v, gain, inverse});
    return taps ? weight.transpose(0, 1) : weight;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradOut) {
    const auto saved = context->get_saved_variables();
    const Tensor &v = saved[0], &gain = saved[1];
    const Tensor g = gradOut[0].stride(-1) == 1 ? gradOut[0] : gradOut[0].contiguous();
    const bool taps = v.dim() == 3;
    const Tensor ofV = gradientMemory(v), ofGain = gradientMemory(gain);
    cpu::byType(v, [&](auto type) {
      using T = decltype(type);
      kernels::weightNormBackward<T>(
          argumentsOf<T>(v, gain, saved[2], {}),
          {cpu::pointer<T>(g), g.stride(taps ? 1 : 0), taps ? g.stride(0) : 0, cpu::pointer<T>(ofV),
           cpu::pointer<T>(ofGain)},
          at::get_num_threads());
    });
    return {ofV, ofGain};
  }

 private:
  template <typename T>
  static kernels::WeightNormArguments<T> argumentsOf(const Tensor& v, const Tensor& gain,
                                                     const Tensor& inverse, const Tensor& weight) {
    return {cpu::pointer<T>(v),
            cpu::pointer<T>(gain),
            cpu::pointer<T>(weight),
            cpu::pointer<T>(inverse),
            v.size(0),
            v.size(1),
            v.dim() == 3 ? v.size(2) : 1};
  }
};

}  // namespace

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
  if (usesKernels(weight_v)) return Normalise::apply(weight_v, weight_g);
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
