#include "core/nn/cpu_products.h"

#include <ATen/record_function.h>

#include "core/nn/function_cpu.h"
#include "core/nn/gradient_place.h"
#include "core/nn/kernels/panels.h"

namespace strata::cpu {
namespace {

constexpr char kProduct[] = "strata::mm";  // to those who watch libtorch's operators

// Packing a weight for one product pays only for this many rows.
constexpr std::int64_t kFewestRows = 64;

bool contiguousRows(const Tensor& x) {
  return x.dim() == 2 && x.scalar_type() == torch::kFloat32 && x.stride(1) == 1;
}

bool hasPanelsFor(const Tensor& weight) {
  return kernels::hasPanels() && weight.scalar_type() == torch::kFloat32 && weight.numel() > 0 &&
         (weight.stride(0) == 1 || weight.stride(1) == 1);
}

// Kept for each thread that asks: products follow each other.
float* scratch(std::int64_t values) {
  thread_local Tensor kept;
  if (!kept.defined() || kept.numel() < values) kept = torch::empty({values}, torch::kFloat32);
  return kept.data_ptr<float>();
}

kernels::PanelShape shapeOf(const Tensor& weight) {
  return {weight.size(0), weight.size(1)};
}

void pack(const Tensor& weight, float* panels) {
  kernels::packPanels({weight.const_data_ptr<float>(), weight.stride(0), weight.stride(1)},
                      shapeOf(weight), panels, at::get_num_threads());
}

// x W^T; panels: null if W is not packed.
Tensor product(const Tensor& x, const Tensor& weight, const float* panels,
               const ProductOptions& options) {
  Tensor out = options.out;
  if (!out.defined()) out = torch::empty({x.size(0), weight.size(0)}, x.options());
  if (panels != nullptr && contiguousRows(x) && contiguousRows(out)) {
    RECORD_FUNCTION(kProduct, std::vector<c10::IValue>({x, weight.t()}));
    const Tensor bias = options.bias.defined() ? options.bias.contiguous() : Tensor{};
    kernels::multiplyPanels({x.const_data_ptr<float>(), x.size(0), x.stride(0)}, panels,
                            shapeOf(weight),
                            {.out = out.data_ptr<float>(),
                             .stride = out.stride(0),
                             .bias = pointer<float>(bias),
                             .adds = options.adds},
                            at::get_num_threads(), options.done);
    return out;
  }
  if (options.adds) {
    out.addmm_(x, weight.t());
    if (options.bias.defined()) out.add_(options.bias);
  } else if (options.bias.defined()) {
    at::addmm_out(out, options.bias, x, weight.t());
  } else {
    at::mm_out(out, x, weight.t());
  }
  if (options.done && out.size(0) > 0) options.done(0, out.size(0));
  return out;
}

}  // namespace

Factor::Factor(const Tensor& weight) : weight_(weight) {
  if (!hasPanelsFor(weight)) return;
  panels_ = torch::empty({kernels::panelValues(shapeOf(weight))}, weight.options());
  pack(weight, panels_.data_ptr<float>());
}

Tensor Factor::times(const Tensor& x, const ProductOptions& options) const {
  return product(x, weight_, pointer<float>(panels_), options);
}

void Factor::addTo(Tensor sum, const Tensor& x) const {
  product(x, weight_, pointer<float>(panels_), {.out = std::move(sum), .adds = true});
}

Tensor timesTransposed(const Tensor& x, const Tensor& weight, const ProductOptions& options) {
  float* panels = nullptr;
  if (x.size(0) >= kFewestRows && contiguousRows(x) && hasPanelsFor(weight)) {
    panels = scratch(kernels::panelValues(shapeOf(weight)));
    pack(weight, panels);
  }
  return product(x, weight, panels, options);
}

Tensor weightGradient(const Tensor& productGrad, const Tensor& x, const Tensor& weight) {
  Tensor out = gradientMemory(weight);
  return at::mm_out(out, productGrad.t(), x);
}

}  // namespace strata::cpu
