#pragma once
#include <torch/types.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "core/nn/parameters.h"

namespace strata {

// The moving average of a model's parameters: a <- d a + (1 - d) p after every update (models.md
// 10). Averages are float32 on the parameters' device and start at the parameters' values.
class MovingAverage {
 public:
  // decay d in (0, 1).
  MovingAverage(std::shared_ptr<const ParameterBuffer> parameters, double decay);

  // Call after an update. `skip`: as in Optimizer::step.
  void update(const std::optional<torch::Tensor>& skip = {});

  // While one exists, the model's parameters hold the averages.
  class InPlace {
   public:
    explicit InPlace(const MovingAverage& average);
    ~InPlace();
    InPlace(const InPlace&) = delete;
    InPlace& operator=(const InPlace&) = delete;

   private:
    const ParameterBuffer& parameters_;
    torch::Tensor kept_;
  };

  // Loads the averages of a model directory. Errors name the file and the tensor.
  void restore(const std::filesystem::path& folder);
  // Restarts the averages from the parameters.
  void restart();
  const torch::Tensor& values() const { return averages_; }

 private:
  std::shared_ptr<const ParameterBuffer> parameters_;
  torch::Tensor averages_;  // in the buffer's layout
  double decay_;
};

}  // namespace strata
