#include "core/nn/dropout.h"

#include "core/nn/arithmetic.h"
#include "core/nn/function_cpu.h"

namespace strata::cpu {
namespace {

struct DropoutPass : torch::autograd::Function<DropoutPass> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const RowDropout& dropout) {
    saveDropout(context, dropout);
    return run(x, maskOf(dropout));
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradOut) {
    return {run(gradOut[0], savedMask(context)), Tensor{}};
  }
  static Tensor run(const Tensor& x, const kernels::Mask& mask) {
    const Tensor in = x.contiguous();
    Tensor out = torch::empty_like(in);
    byType(in, [&](auto type) {
      using T = decltype(type);
      kernels::dropout(pointer<T>(in), pointer<T>(out), mask, extentOf(in));
    });
    return out;
  }
};

}  // namespace
}  // namespace strata::cpu

namespace strata {

RowDropout DropoutSite::draw() const {
  if (!state_->training) return {};
  const DropoutRates& rates = state_->rates;
  const double rate = kind_ == Kind::kFeatures    ? rates.dropout
                      : kind_ == Kind::kAttention ? rates.attention
                                                  : rates.activation;
  constexpr std::uint64_t kOdd = 0xd6e8feb86659fd93u;  // spreads neighbouring steps and sites
  const std::uint64_t place = (state_->step << 12) + static_cast<std::uint64_t>(number_);
  const Dropout dropout{rate, (state_->seed + 1) * kOdd ^ place * 0x9e3779b97f4a7c15u};
  return {dropout, state_->numbers_N};
}

torch::Tensor applyDropout(const torch::Tensor& x, const RowDropout& dropout) {
  if (!dropout.on()) return x;
  if (!x.device().is_cpu()) return torch::dropout(x, dropout.rate, /*train=*/true);
  if (usesKernels(x)) return cpu::DropoutPass::apply(x, dropout);
  const auto factors = torch::ones(x.sizes(), x.options().dtype(torch::kFloat32));
  kernels::dropout(factors.data_ptr<float>(), factors.data_ptr<float>(), cpu::maskOf(dropout),
                   cpu::extentOf(x));
  return x * factors.to(x.scalar_type());
}

}  // namespace strata
