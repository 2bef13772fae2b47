#include "core/nn/packed_weights.h"

#include <utility>

#include "core/nn/function_cpu.h"
#include "core/nn/kernels/panels.h"

namespace strata {

using torch::Tensor;

struct PackedWeights::Matrix {
  kernels::PanelShape shape;
  Compute compute;
  Tensor values, scales, offsets;  // float32: [values]; bf16: [pairs]; int8: [values], [O], [O]

  Matrix(const Tensor& weight, Compute how) : shape{weight.size(0), weight.size(1)}, compute(how) {
    pack(weight.contiguous().const_data_ptr<float>());
  }

  void multiply(const Tensor& x, const kernels::PanelOutput& output) const {
    const kernels::PanelInput input{x.const_data_ptr<float>(), x.size(0), shape.inner};
    const int threads = at::get_num_threads();
    switch (compute) {
      case Compute::kFloat32:
        return kernels::multiplyPanels(input, values.const_data_ptr<float>(), shape, output,
                                       threads);
      case Compute::kBf16:
        return kernels::multiplyBf16Panels(input, values.const_data_ptr<kernels::Bf16Pair>(), shape,
                                           output, threads);
      case Compute::kInt8:
        return multiplyInt8(input, output, threads);
    }
  }

 private:
  void pack(const float* from) {
    const int threads = at::get_num_threads();
    switch (compute) {
      case Compute::kFloat32:
        values = torch::empty({kernels::panelValues(shape)}, torch::kFloat32);
        return kernels::packPanels({from, shape.inner}, shape, values.data_ptr<float>(), threads);
      case Compute::kBf16:
        values = torch::empty({kernels::bf16PanelPairs(shape)}, torch::kUInt32);
        return kernels::packBf16Panels({from, shape.inner}, shape,
                                       values.data_ptr<kernels::Bf16Pair>(), threads);
      case Compute::kInt8:
        return packInt8(from);
    }
  }

  void packInt8(const float* from) {
    values = torch::empty({kernels::int8PanelValues(shape)}, torch::kInt8);
    scales = torch::empty({shape.columns}, torch::kFloat32);
    offsets = torch::empty({shape.columns}, torch::kInt32);
    kernels::packInt8Panels(from, shape,
                            {values.data_ptr<std::int8_t>(), scales.data_ptr<float>(),
                             offsets.data_ptr<std::int32_t>()});
  }

  void multiplyInt8(const kernels::PanelInput& x, const kernels::PanelOutput& output,
                    int threads) const {
    const Tensor quantised = torch::empty({x.rows, kernels::int8Inner(shape.inner)}, torch::kUInt8),
                 rowScales = torch::empty({x.rows}, torch::kFloat32);
    auto* const numbers = quantised.data_ptr<std::uint8_t>();
    auto* const factors = rowScales.data_ptr<float>();
    kernels::quantiseRows(x.values, x.rows, shape.inner, {numbers, factors}, threads);
    kernels::multiplyInt8Panels(
        {numbers, factors}, x.rows,
        {values.const_data_ptr<std::int8_t>(), scales.const_data_ptr<float>(),
         offsets.const_data_ptr<std::int32_t>()},
        shape, output, threads);
  }
};

std::int64_t PackedWeights::bytes() const {
  std::int64_t sum = 0;
  for (const auto& [place, matrix] : matrices_) {
    for (const Tensor* part : {&matrix->values, &matrix->scales, &matrix->offsets})
      sum += part->defined() ? static_cast<std::int64_t>(part->nbytes()) : 0;
  }
  return sum;
}

bool PackedWeights::supports(Compute compute) {
  return compute == Compute::kInt8 ? kernels::hasInt8Panels() : kernels::hasPanels();
}

PackedWeights::PackedWeights(NamedParameters parameters, Compute compute)
    : compute_(compute), parameters_(std::move(parameters)), version_(versionOf(parameters_)) {
  for (const auto& [name, parameter] : parameters_) storages_.insert(parameter.storage().data());
}

PackedWeights::~PackedWeights() = default;

void PackedWeights::refresh() {
  const std::uint64_t now = versionOf(parameters_);
  if (now == version_) return;
  version_ = now;
  matrices_.clear();
  for (const Tensor& kept : admitted_) storages_.erase(kept.storage().data());
  admitted_.clear();
}

void PackedWeights::admit(const Tensor& kept) {
  if (storages_.insert(kept.storage().data()).second) admitted_.push_back(kept);
}

const PackedWeights::Matrix* PackedWeights::matrixOf(const Tensor& weight) {
  const Place place{weight.const_data_ptr(), weight.size(0), weight.size(1), weight.stride(0)};
  if (const auto found = matrices_.find(place); found != matrices_.end())
    return found->second.get();
  if (!storages_.contains(weight.storage().data())) return nullptr;
  return (matrices_[place] = std::make_unique<Matrix>(weight, compute_)).get();
}

Tensor PackedWeights::product(const Tensor& x, const Tensor& weight, const Options& options) {
  const bool fits = x.scalar_type() == torch::kFloat32 && x.device().is_cpu() && x.numel() > 0 &&
                    weight.scalar_type() == torch::kFloat32 && weight.dim() == 2 &&
                    weight.stride(1) == 1;
  const Matrix* matrix = fits ? matrixOf(weight) : nullptr;
  if (matrix == nullptr) return {};
  const Tensor rows = cpu::flat(x);
  auto shape = x.sizes().vec();
  shape.back() = matrix->shape.columns;
  Tensor out = options.sum;
  if (!out.defined()) out = torch::empty(shape, x.options());
  const Tensor bias = options.bias.defined() ? options.bias.contiguous() : Tensor{};
  matrix->multiply(rows, {.out = out.data_ptr<float>(),
                          .stride = matrix->shape.columns,
                          .bias = cpu::pointer<float>(bias),
                          .relu = options.relu,
                          .adds = options.sum.defined()});
  return out;
}

}  // namespace strata
