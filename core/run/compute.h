#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// How a search computes its products with weights. Not the precision of training, whose bf16
// (training.precision) rounds the inputs of products, too.
enum class Compute {
  kFloat32,
  kBf16,  // weights rounded to bf16, multiplied as float32
  kInt8,  // weights by output unit and inputs by word as whole numbers of 8 bits
};
std::string_view nameOf(Compute compute);  // "float32", "bf16", "int8"
std::vector<std::string> computeNames();
Compute computeNamed(std::string_view name);  // a usage error if there is none

}  // namespace strata
