#include "core/nn/dropout.h"

#include "core/nn/fused.h"
#include "core/nn/fused_cpu.h"
#include "core/nn/kernels/kernels.h"

namespace strata {

Dropout DropoutSite::draw() const {
  if (!state_->training) return {};
  const DropoutRates& rates = state_->rates;
  const double rate = kind_ == Kind::kFeatures    ? rates.dropout
                      : kind_ == Kind::kAttention ? rates.attention
                                                  : rates.activation;
  constexpr std::uint64_t kOdd = 0xd6e8feb86659fd93u;  // spreads neighbouring steps and sites
  const std::uint64_t place = (state_->step << 12) + static_cast<std::uint64_t>(number_);
  return {rate, (state_->seed + 1) * kOdd ^ place * 0x9e3779b97f4a7c15u};
}

torch::Tensor applyDropout(const torch::Tensor& x, const Dropout& dropout) {
  if (!dropout.on()) return x;
  if (!x.device().is_cpu()) return torch::dropout(x, dropout.rate, /*train=*/true);
  if (usesKernels(x)) return cpu::dropout(x, dropout);
  const auto factors = torch::ones(x.sizes(), x.options().dtype(torch::kFloat32));
  kernels::dropout(factors.data_ptr<float>(), factors.data_ptr<float>(),
                   kernels::maskOf(dropout.rate, dropout.key),
                   {x.numel() / x.size(-1), x.size(-1), at::get_num_threads()});
  return x * factors.to(x.scalar_type());
}

}  // namespace strata
