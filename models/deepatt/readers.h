// Who reads whom in Deep-Att and Deep-ED: what a layer's input f^k takes from the layer below
// through W_x and through the fast-forward connection, and, since fast-forward connections are
// linear, what it takes from the output of every layer below it through the chain of them.
#pragma once
#include <string>
#include <vector>

#include "core/nn/readers.h"
#include "models/deepatt/config.h"
#include "models/deepatt/layers.h"

namespace strata::deepatt {

// h and f of a layer, published time-major, only for those who measure what layers read. `stack`:
// "decoder" or "encoder.columns.0".
void publishFlow(Recorder* recorder, const std::string& stack, std::size_t layer, Flow& flow);

// Pictures "encoder a1", "encoder a2", "interface" and "decoder", and of each stack with
// fast-forward connections "..., chained".
std::vector<Reader> blockReaders(const torch::nn::Module& model, const DeepAttConfig& config);

}  // namespace strata::deepatt
