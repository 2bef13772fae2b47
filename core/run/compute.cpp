#include "core/run/compute.h"

#include "core/base/error.h"

namespace strata {

std::string_view nameOf(Compute compute) {
  return compute == Compute::kInt8 ? "int8" : "float32";
}

Compute computeNamed(std::string_view name) {
  for (const Compute each : {Compute::kFloat32, Compute::kInt8}) {
    if (nameOf(each) == name) return each;
  }
  throw usageError("unknown way to compute '{}'; expected float32 or int8", name);
}

}  // namespace strata
