#include "core/train/moving_average.h"

#include "core/base/error.h"
#include "core/base/safetensors.h"
#include "core/train/tensor_files.h"

namespace strata {

MovingAverage::MovingAverage(const NamedParameters& parameters, double decay) : decay_(decay) {
  for (const auto& [name, value] : parameters) {
    names_.push_back(name);
    parameters_.push_back(value.detach());
    averages_.push_back(value.detach().to(torch::kFloat32, /*non_blocking=*/false, /*copy=*/true));
  }
}

void MovingAverage::update() {
  const torch::NoGradGuard frozen;
  std::vector<torch::Tensor> values;
  for (const torch::Tensor& parameter : parameters_)
    values.push_back(parameter.to(torch::kFloat32));
  at::_foreach_lerp_(averages_, values, 1 - decay_);
}

MovingAverage::InPlace::InPlace(const MovingAverage& average) : average_(average) {
  const torch::NoGradGuard frozen;
  for (std::size_t i = 0; i < average.parameters_.size(); ++i) {
    torch::Tensor parameter = average.parameters_[i];
    kept_.push_back(parameter.clone());
    parameter.copy_(average.averages_[i]);
  }
}

MovingAverage::InPlace::~InPlace() {
  const torch::NoGradGuard frozen;
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    torch::Tensor parameter = average_.parameters_[i];
    parameter.copy_(kept_[i]);
  }
}

void MovingAverage::restore(const std::filesystem::path& folder) {
  const torch::NoGradGuard frozen;
  const SafetensorsFile file(folder / "model.safetensors");
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (!file.contains(names_[i]))
      throw Error("{} lacks the average of '{}'", (folder / "model.safetensors").string(),
                  names_[i]);
    averages_[i].copy_(tensorOf(file.at(names_[i])));
  }
}

}  // namespace strata
