// Model directories: config.json and model.safetensors.
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/safetensors.h"
#include "core/base/text_limits.h"
#include "core/nn/tensor_files.h"
#include "core/nn/translation_model.h"

namespace strata {
namespace {

void takeTensor(const SafetensorsFile& file, const std::string& path, const std::string& name,
                torch::Tensor parameter) {
  if (!file.contains(name))
    throw Error("{} has no tensor '{}', which config.json requires", path, name);
  const TensorView& view = file.at(name);
  if (view.shape != parameter.sizes().vec()) {
    throw Error("{}: '{}' has the shape [{}], but config.json requires [{}]", path, name,
                fmt::join(view.shape, ", "), fmt::join(parameter.sizes().vec(), ", "));
  }
  const torch::Tensor stored = sharedTensorOf(view);
  if (!stored.is_floating_point()) {
    throw Error("{}: '{}' contains {} instead of floating-point numbers", path, name,
                nameOf(view.type));
  }
  parameter.copy_(stored);
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
  std::map<std::string, torch::Tensor> tensors;
  for (const auto& parameter : model.named_parameters())
    tensors[parameter.key()] = parameter.value().detach().to(torch::kCPU, torch::kFloat32);
  writeTensors(directory / "model.safetensors", tensors);
  writeFileAtomic(directory / "config.json", model.config().dump(2) + "\n");
}

}  // namespace strata
