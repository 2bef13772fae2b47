#pragma once
#include <torch/torch.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/train/optimizer.h"

namespace strata {

// The moving average of a model's parameters: a <- d a + (1 - d) p after every update (models.md
// 10). Averages are float32 on the parameters' device and start as the parameters.
class MovingAverage {
 public:
  // decay d in (0, 1).
  MovingAverage(const NamedParameters& parameters, double decay);

  void update();

  // While one lives, the model's parameters hold the averages.
  class InPlace {
   public:
    explicit InPlace(const MovingAverage& average);
    ~InPlace();
    InPlace(const InPlace&) = delete;
    InPlace& operator=(const InPlace&) = delete;

   private:
    const MovingAverage& average_;
    std::vector<torch::Tensor> kept_;
  };

  // The averages of a model directory. Errors name the file and the tensor.
  void restore(const std::filesystem::path& folder);

 private:
  std::vector<std::string> names_;
  std::vector<torch::Tensor> parameters_, averages_;
  double decay_;
};

}  // namespace strata
