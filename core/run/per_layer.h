#pragma once
#include <cstdint>
#include <vector>

#include "core/base/json.h"

namespace strata {

// A positive number for all layers, or one number per layer.
struct PerLayer {
  std::vector<std::int64_t> values = {1};
  bool isList = false;

  static PerLayer parse(const Json& value) {
    if (!value.is_array()) return {{value.get<std::int64_t>()}};
    return {value.get<std::vector<std::int64_t>>(), true};
  }
  Json json() const { return isList ? Json(values) : Json(values.front()); }
  // One number per layer; empty if a list has another length.
  std::vector<std::int64_t> over(std::int64_t layers) const {
    if (!isList) return std::vector<std::int64_t>(static_cast<std::size_t>(layers), values.front());
    return static_cast<std::int64_t>(values.size()) == layers ? values
                                                              : std::vector<std::int64_t>{};
  }
};

}  // namespace strata
