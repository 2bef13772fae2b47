#include "core/nn/cpu_products.h"

#include <ATen/record_function.h>

#include "core/nn/arithmetic.h"
#include "core/nn/function_cpu.h"
#include "core/nn/gradient_place.h"
#include "core/nn/kernels/panels.h"
#include "core/nn/kernels/rounded_products.h"

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

bool roundsFactors() {
  return arithmetic().bf16Products && kernels::hasRoundedProducts();
}

kernels::PanelShape shapeOf(const Tensor& weight) {
  return {weight.size(0), weight.size(1)};
}

// The type of a weight's panels, and how many values they have.
struct PanelSize {
  torch::ScalarType type;
  std::int64_t count;

  explicit PanelSize(const Tensor& weight)
      : type(roundsFactors() ? torch::kUInt32 : torch::kFloat32),
        count(roundsFactors() ? kernels::bf16PanelPairs(shapeOf(weight))
                              : kernels::panelValues(shapeOf(weight))) {}
};

// Kept for each thread that asks: products follow each other.
Tensor scratch(const PanelSize& size) {
  thread_local Tensor kept;
  if (!kept.defined() || kept.numel() < size.count)
    kept = torch::empty({size.count}, torch::kFloat32);
  return kept.view(size.type);
}

// `panels`: of the size of this weight's panels, at least.
void pack(const Tensor& weight, const Tensor& panels) {
  const kernels::PanelWeight from{weight.const_data_ptr<float>(), weight.stride(0),
                                  weight.stride(1)};
  const int threads = at::get_num_threads();
  if (panels.scalar_type() == torch::kFloat32) {
    kernels::packPanels(from, shapeOf(weight), panels.data_ptr<float>(), threads);
  } else {
    kernels::packBf16Panels(from, shapeOf(weight), panels.data_ptr<kernels::Bf16Pair>(), threads);
  }
}

void multiply(const Tensor& x, const Tensor& weight, const Tensor& panels, const Tensor& out,
              const ProductOptions& options) {
  RECORD_FUNCTION(kProduct, std::vector<c10::IValue>({x, weight.t()}));
  const Tensor bias = options.bias.defined() ? options.bias.contiguous() : Tensor{};
  const kernels::PanelInput input{x.const_data_ptr<float>(), x.size(0), x.stride(0)};
  const kernels::PanelOutput output{.out = out.data_ptr<float>(),
                                    .stride = out.stride(0),
                                    .bias = pointer<float>(bias),
                                    .adds = options.adds};
  const int threads = at::get_num_threads();
  if (panels.scalar_type() == torch::kFloat32) {
    kernels::multiplyPanels(input, panels.const_data_ptr<float>(), shapeOf(weight), output, threads,
                            options.done);
  } else {
    kernels::multiplyRounded(input, panels.const_data_ptr<kernels::Bf16Pair>(), shapeOf(weight),
                             output, threads, options.done);
  }
}

// x W^T; panels: undefined if W is not packed.
Tensor product(const Tensor& x, const Tensor& weight, const Tensor& panels,
               const ProductOptions& options) {
  Tensor out = options.out;
  if (!out.defined()) out = torch::empty({x.size(0), weight.size(0)}, x.options());
  if (panels.defined() && contiguousRows(x) && contiguousRows(out)) {
    multiply(x, weight, panels, out, options);
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

kernels::TallMatrix columnsOf(const Tensor& factor) {
  return {factor.const_data_ptr<float>(), factor.size(1), factor.stride(0)};
}

// G^T x by a kernel; false: libtorch's product is as fast.
bool multiplyColumns(const Tensor& productGrad, const Tensor& x, const Tensor& out, bool adds) {
  if (!contiguousRows(productGrad) || !contiguousRows(x) || !contiguousRows(out)) return false;
  const kernels::TallMatrix g = columnsOf(productGrad), inputs = columnsOf(x);
  const std::int64_t rows = x.size(0);
  const int threads = at::get_num_threads();
  const bool rounds = roundsFactors() && rows > 0;
  if (!rounds && !kernels::multipliesTransposed(g, inputs, rows, threads)) return false;
  RECORD_FUNCTION(kProduct, std::vector<c10::IValue>({productGrad.t(), x}));
  const auto multiply = rounds ? kernels::multiplyRoundedTransposed : kernels::multiplyTransposed;
  multiply(g, inputs, rows, {.out = out.data_ptr<float>(), .stride = out.stride(0), .adds = adds},
           threads);
  return true;
}

}  // namespace

Factor::Factor(const Tensor& weight) : weight_(weight) {
  if (!hasPanelsFor(weight)) return;
  const PanelSize size(weight);
  panels_ = torch::empty({size.count}, size.type);
  pack(weight, panels_);
}

Tensor Factor::times(const Tensor& x, const ProductOptions& options) const {
  return product(x, weight_, panels_, options);
}

void Factor::addTo(Tensor sum, const Tensor& x) const {
  product(x, weight_, panels_, {.out = std::move(sum), .adds = true});
}

Tensor timesTransposed(const Tensor& x, const Tensor& weight, const ProductOptions& options) {
  Tensor panels;
  if (x.size(0) >= kFewestRows && contiguousRows(x) && hasPanelsFor(weight)) {
    panels = scratch(PanelSize(weight));
    pack(weight, panels);
  }
  return product(x, weight, panels, options);
}

void multiplyGradient(const Tensor& productGrad, const Tensor& x, Tensor out, bool adds) {
  if (multiplyColumns(productGrad, x, out, adds)) return;
  if (adds) {
    out.addmm_(productGrad.t(), x);
  } else {
    at::mm_out(out, productGrad.t(), x);
  }
}

Tensor weightGradient(const Tensor& productGrad, const Tensor& x, const Tensor& weight) {
  const Tensor out = gradientMemory(weight);
  multiplyGradient(productGrad, x, out);
  return out;
}

}  // namespace strata::cpu
