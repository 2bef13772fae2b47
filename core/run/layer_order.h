#pragma once
#include <string>
#include <tuple>

namespace strata {

// The place of a layer in the network, by the name of its parameters ("decoder.layers.3"): smaller
// ones are further below, from the encoder's embedding to the decoder's output.
using LayerPlace = std::tuple<int, int, int, std::string>;
LayerPlace layerPlace(const std::string& layer);

}  // namespace strata
