#include "core/train/tensor_files.h"

#include "core/base/error.h"

namespace strata {
namespace {

constexpr std::pair<DType, torch::ScalarType> kTypes[] = {
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
    TensorView view;
    bool known = false;
    for (const auto& [type, scalar] : kTypes) {
      if (scalar == host.scalar_type()) view.type = type, known = true;
    }
    if (!known)
      throw Error("Tensor '{}' has an element type that {} cannot store", name, path.string());
    view.shape = host.sizes().vec();
    view.bytes = {static_cast<const char*>(host.data_ptr()),
                  static_cast<std::size_t>(host.nbytes())};
    views[name] = view;
  }
  writeSafetensors(path, views, metadata);
}

torch::Tensor tensorOf(const TensorView& view) {
  for (const auto& [type, scalar] : kTypes) {
    if (type != view.type) continue;
    return torch::from_blob(const_cast<char*>(view.bytes.data()), view.shape, torch::dtype(scalar))
        .clone();
  }
  throw Error("A tensor has an unknown element type");
}

}  // namespace strata
