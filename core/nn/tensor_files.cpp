#include "core/nn/tensor_files.h"

#include <algorithm>
#include <iterator>

#include "core/base/error.h"

namespace strata {
namespace {

using KnownType = std::pair<DType, torch::ScalarType>;
// All element types of files.
constexpr KnownType kTypes[] = {
    {DType::kFloat64, torch::kFloat64}, {DType::kFloat32, torch::kFloat32},
    {DType::kFloat16, torch::kFloat16}, {DType::kBFloat16, torch::kBFloat16},
    {DType::kInt64, torch::kInt64},     {DType::kInt32, torch::kInt32},
    {DType::kInt16, torch::kInt16},     {DType::kInt8, torch::kInt8},
    {DType::kUInt8, torch::kUInt8},     {DType::kBool, torch::kBool}};

}  // namespace

void writeTensors(const std::filesystem::path& path,
                  const std::map<std::string, torch::Tensor>& tensors,
                  const std::map<std::string, std::string>& metadata) {
  std::map<std::string, torch::Tensor>
      kept;  // keeps the bytes of copies alive while they are written
  std::map<std::string, TensorView> views;
  for (const auto& [name, tensor] : tensors) {
    const torch::Tensor& host = kept[name] = tensor.detach().cpu().contiguous();
    const auto* const known = std::ranges::find(kTypes, host.scalar_type(), &KnownType::second);
    if (known == std::end(kTypes))
      throw Error("Tensor '{}' has an element type that {} cannot store", name, path.string());
    views[name] = {
        known->first,
        host.sizes().vec(),
        {static_cast<const char*>(host.data_ptr()), static_cast<std::size_t>(host.nbytes())}};
  }
  writeSafetensors(path, views, metadata);
}

torch::Tensor tensorOf(const TensorView& view) {
  return sharedTensorOf(view).clone();
}

torch::Tensor sharedTensorOf(const TensorView& view) {
  const auto type = std::ranges::find(kTypes, view.type, &KnownType::first)->second;
  return torch::from_blob(const_cast<char*>(view.bytes.data()), view.shape, torch::dtype(type));
}

}  // namespace strata
