// Who reads whom in DenseNMT: the layers that read the concatenated outputs of earlier ones (Eqs. 6
// and 7), and the blocks that they read.
#pragma once
#include <vector>

#include "core/nn/readers.h"
#include "models/densenmt/config.h"

namespace strata::densenmt {

// The convolutions, skip connections, linear summaries, keys, own values and bottleneck of `model`.
std::vector<Reader> blockReaders(const torch::nn::Module& model, const DenseConfig& config);

}  // namespace strata::densenmt
