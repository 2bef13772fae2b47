#include "core/train/average.h"

#include <torch/types.h>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/safetensors.h"
#include "core/base/text_limits.h"
#include "core/nn/tensor_files.h"

namespace strata {
namespace {

// The first model says which parameters there are.
void addModel(const fs::path& folder, std::map<std::string, torch::Tensor>& sums) {
  const SafetensorsFile file(folder / "model.safetensors");
  if (sums.empty()) {
    for (const auto& [name, view] : file.tensors())
      sums[name] = torch::zeros(view.shape, torch::kFloat64);
  }
  if (file.tensors().size() != sums.size()) {
    throw Error("{} has {} parameters instead of {}", folder.string(), file.tensors().size(),
                sums.size());
  }
  for (auto& [name, sum] : sums) {
    const torch::Tensor value = sharedTensorOf(file.at(name));
    if (value.sizes() != sum.sizes())
      throw Error("Parameter '{}' of {} has another shape", name, folder.string());
    sum.add_(value.to(torch::kFloat64));
  }
}

}  // namespace

void averageModels(const std::vector<fs::path>& models, const fs::path& output) {
  if (models.empty()) throw usageError("Averaging needs at least one model");
  if (fs::exists(output) && !fs::is_empty(output))
    throw usageError("{} is not empty", output.string());
  // Keys in any order: older checkpoints have another one.
  const auto configOf = [](const fs::path& folder) {
    return nlohmann::json(readJson(folder / "config.json"));
  };
  const nlohmann::json config = configOf(models.front());
  std::map<std::string, torch::Tensor> sums;
  for (const auto& folder : models) {
    if (configOf(folder) != config) {
      throw Error("The configuration of {} differs from that of {}", folder.string(),
                  models.front().string());
    }
    addModel(folder, sums);
  }
  for (auto& [name, sum] : sums)
    sum = (sum / static_cast<double>(models.size())).to(torch::kFloat32);
  fs::create_directories(output);
  writeTensors(output / "model.safetensors", sums);
  writeFileAtomic(output / "config.json", readFile(models.front() / "config.json"));
}

}  // namespace strata
