#pragma once
#include <string_view>

namespace strata {

// How a search computes its products with weights.
enum class Compute {
  kFloat32,
  kInt8,  // weights by output unit and inputs by word as whole numbers of 8 bits
};
std::string_view nameOf(Compute compute);     // "float32", "int8"
Compute computeNamed(std::string_view name);  // a usage error if there is none

}  // namespace strata
