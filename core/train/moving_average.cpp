#include "core/train/moving_average.h"

#include "core/base/error.h"
#include "core/base/safetensors.h"
#include "core/nn/tensor_files.h"

namespace strata {

MovingAverage::MovingAverage(std::shared_ptr<const ParameterBuffer> parameters, double decay)
    : parameters_(std::move(parameters)), decay_(decay) {
  restart();
}

void MovingAverage::restart() {
  averages_ = parameters_->values().to(torch::kFloat32, /*non_blocking=*/false, /*copy=*/true);
}

void MovingAverage::update(const std::optional<torch::Tensor>& skip) {
  const torch::Tensor values = parameters_->values().to(torch::kFloat32);
  if (skip) {
    averages_.lerp_(values, (1 - *skip) * (1 - decay_));
  } else {
    averages_.lerp_(values, 1 - decay_);
  }
}

MovingAverage::InPlace::InPlace(const MovingAverage& average)
    : parameters_(*average.parameters_), kept_(parameters_.values().clone()) {
  torch::Tensor(parameters_.values()).copy_(average.averages_);
  parameters_.changed();
}

MovingAverage::InPlace::~InPlace() {
  torch::Tensor(parameters_.values()).copy_(kept_);
  parameters_.changed();
}

void MovingAverage::restore(const std::filesystem::path& folder) {
  const SafetensorsFile file(folder / "model.safetensors");
  const NamedParameters& named = parameters_->named();
  for (std::size_t i = 0; i < named.size(); ++i) {
    const auto& name = named[i].first;
    if (!file.contains(name))
      throw Error("{} has no average of '{}'", (folder / "model.safetensors").string(), name);
    parameters_->part(averages_, i).copy_(sharedTensorOf(file.at(name)));
  }
}

}  // namespace strata
