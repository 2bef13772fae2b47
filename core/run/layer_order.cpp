#include "core/run/layer_order.h"

#include <charconv>

namespace strata {

LayerPlace layerPlace(const std::string& layer) {
  constexpr std::string_view kLayers = "layers.";
  const int side = layer.starts_with("encoder") ? 0 : 1;
  const auto dot = layer.find('.');
  const std::string rest = dot == std::string::npos ? "" : layer.substr(dot + 1);
  if (rest.starts_with("embed")) return {side, 0, 0, rest};
  if (rest.starts_with(kLayers)) {
    int number = 0;
    std::from_chars(rest.data() + kLayers.size(), rest.data() + rest.size(), number);
    return {side, 1, number, rest};
  }
  return {side, 2, 0, rest};
}

}  // namespace strata
