// Parts of concatenated features as the kernels read them.
#pragma once
#include <algorithm>
#include <numeric>
#include <type_traits>
#include <vector>

#include "core/nn/function_cpu.h"

namespace strata::cpu {

// Pointers to contiguous parts, or to none where a part is undefined.
template <typename T>
class PartPointers {
 public:
  PartPointers(const std::vector<Tensor>& parts, const std::vector<std::int64_t>& widths)
      : widths_(widths) {
    for (const Tensor& part : parts) pointers_.push_back(pointer<std::remove_const_t<T>>(part));
  }
  // Valid as long as this.
  kernels::SideBySide<T> view() const {
    return {pointers_.data(), widths_.data(), static_cast<std::int64_t>(widths_.size()),
            std::reduce(widths_.begin(), widths_.end())};
  }

 private:
  std::vector<T*> pointers_;
  std::vector<std::int64_t> widths_;
};

inline std::vector<std::int64_t> widthsOf(const std::vector<Tensor>& parts) {
  std::vector<std::int64_t> widths;
  for (const Tensor& part : parts) widths.push_back(part.size(-1));
  return widths;
}

inline std::vector<Tensor> contiguous(at::TensorList parts) {
  std::vector<Tensor> result;
  for (const Tensor& part : parts) result.push_back(part.contiguous());
  return result;
}

// For the gradients [B, T, width] of the parts that need one, whose contents are to be written;
// undefined for the others.
inline variable_list partGradients(AutogradContext* context,
                                   const std::vector<std::int64_t>& widths,
                                   at::IntArrayRef positions_BT,
                                   const torch::TensorOptions& options) {
  variable_list gradients(widths.size());
  for (std::size_t p = 0; p < widths.size(); ++p) {
    if (context->needs_input_grad(p))
      gradients[p] = torch::empty({positions_BT[0], positions_BT[1], widths[p]}, options);
  }
  return gradients;
}

inline bool anyDefined(const variable_list& gradients) {
  return std::any_of(gradients.begin(), gradients.end(),
                     [](const Tensor& gradient) { return gradient.defined(); });
}

}  // namespace strata::cpu
