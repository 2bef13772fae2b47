// Comparison of computed with expected tensors, one line each.
#pragma once
#include <torch/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/safetensors.h"
#include "core/nn/translation_model.h"

namespace strata {

// |a - b| <= absolute + relative |b|, or with `ofLargest` relative times the largest |b| of the
// tensor.
struct Tolerance {
  double absolute = 0, relative = 0;
  bool ofLargest = false;
};

struct Comparison {
  std::string name;
  double error = 0,
         tolerance = 0;  // at the element that comes closest to its tolerance or exceeds it most
  bool passed = false;
  std::string note;  // the problem if there are no numbers to compare
};

struct VerifiedCase {
  std::string folder;
  std::vector<Comparison> comparisons;
  bool passed() const;
};

Comparison compareTensors(const std::string& name, const torch::Tensor& actual,
                          const torch::Tensor& expected, const Tolerance& tolerance);
Comparison missing(const std::string& name, const std::string& note);
// Reads a tensor of a file as float64.
torch::Tensor expectedTensor(const SafetensorsFile& file, const std::string& name);

VerifiedCase verifyModelCase(const std::filesystem::path& folder, const ParameterPlace& place);
// The same on the device and in the type of the case's model.
VerifiedCase verifyModelCase(const std::filesystem::path& folder, TranslationModel& model);
VerifiedCase verifyOptimizerCase(const std::filesystem::path& folder, const torch::Device& device);

}  // namespace strata
