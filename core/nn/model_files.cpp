// Model directories: config.json and model.safetensors.
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/safetensors.h"
#include "core/base/text_limits.h"
#include "core/nn/translation_model.h"

namespace strata {
namespace {

torch::ScalarType scalarType(DType type, const std::string& where) {
  switch (type) {
    case DType::kFloat64:
      return torch::kFloat64;
    case DType::kFloat32:
      return torch::kFloat32;
    case DType::kFloat16:
      return torch::kFloat16;
    case DType::kBFloat16:
      return torch::kBFloat16;
    default:
      throw Error("{} contains {} instead of floating-point numbers", where, nameOf(type));
  }
}

void takeTensor(const SafetensorsFile& file, const std::string& path, const std::string& name,
                torch::Tensor parameter) {
  if (!file.contains(name))
    throw Error("{} has no tensor '{}', which config.json requires", path, name);
  const TensorView& view = file.at(name);
  if (view.shape != parameter.sizes().vec()) {
    throw Error("{}: '{}' has the shape [{}], but config.json requires [{}]", path, name,
                fmt::join(view.shape, ", "), fmt::join(parameter.sizes().vec(), ", "));
  }
  const auto type = scalarType(view.type, fmt::format("{}: '{}'", path, name));
  parameter.copy_(
      torch::from_blob(const_cast<char*>(view.bytes.data()), view.shape, torch::dtype(type)));
}

}  // namespace

std::shared_ptr<TranslationModel> loadModel(const std::filesystem::path& directory,
                                            const ParameterPlace& place) {
  const auto configPath = directory / "config.json", tensorPath = directory / "model.safetensors";
  auto model = createModel(readJson(configPath), place);
  const SafetensorsFile file(tensorPath);
  const torch::NoGradGuard frozen;
  const auto parameters = model->named_parameters();
  for (const auto& parameter : parameters)
    takeTensor(file, tensorPath.string(), parameter.key(), parameter.value());
  for (const auto& [name, view] : file.tensors()) {
    if (!parameters.contains(name))
      throw Error("{} has an extra tensor '{}', which is not in the model of config.json",
                  tensorPath.string(), name);
  }
  return model;
}

void saveModel(const TranslationModel& model, const std::filesystem::path& directory) {
  std::filesystem::create_directories(directory);
  std::map<std::string, torch::Tensor> kept;
  std::map<std::string, TensorView> views;
  for (const auto& parameter : model.named_parameters()) {
    const torch::Tensor& host = kept[parameter.key()] =
        parameter.value().detach().to(torch::kCPU, torch::kFloat32).contiguous();
    views[parameter.key()] = {
        DType::kFloat32,
        host.sizes().vec(),
        {static_cast<const char*>(host.data_ptr()), static_cast<std::size_t>(host.nbytes())}};
  }
  writeSafetensors(directory / "model.safetensors", views);
  writeFileAtomic(directory / "config.json", model.config().dump(2) + "\n");
}

}  // namespace strata
