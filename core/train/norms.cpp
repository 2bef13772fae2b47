#include "core/train/norms.h"

#include "core/nn/function_cpu.h"

namespace strata {

torch::Tensor normsOf(const std::vector<torch::Tensor>& tensors) {
  const torch::NoGradGuard frozen;
  if (!tensors.front().is_cpu())
    return torch::stack(at::_foreach_norm(tensors, 2, torch::kFloat64));
  const auto count = static_cast<std::int64_t>(tensors.size());
  torch::Tensor sums = torch::empty({count}, torch::kFloat64);
  cpu::byType(tensors.front(), [&](auto type) {
    using T = decltype(type);
    std::vector<kernels::Stretch<T>> stretches;
    for (const auto& tensor : tensors) stretches.push_back({tensor.data_ptr<T>(), tensor.numel()});
    kernels::sumsOfSquares(stretches, sums.data_ptr<double>(), at::get_num_threads());
  });
  return sums.sqrt_();
}

}  // namespace strata
