#pragma once
#include <torch/types.h>

#include <filesystem>
#include <map>
#include <string>

#include "core/base/safetensors.h"

namespace strata {

// Writes tensors of any device as a safetensors file, atomically.
void writeTensors(const std::filesystem::path& path,
                  const std::map<std::string, torch::Tensor>& tensors,
                  const std::map<std::string, std::string>& metadata = {});

// A copy of one tensor of a file, on the CPU.
torch::Tensor tensorOf(const TensorView& view);
// The same without a copy: valid as long as the file, and not to be written to.
torch::Tensor sharedTensorOf(const TensorView& view);

}  // namespace strata
