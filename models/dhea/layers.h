// The encoder's layers of DHEA, and what the decoder's share with them. Wang et al., COLING 2018,
// section 2; models.md 3.2.
//   paper          here            shape           meaning
//   h^l_t          h_TBD           [T, B, D]       encoder level l at position t; the paper counts
//                                                  the embedding as level 1, we as level 0
//   M^s            memory          [B, T, D]       the last level (models/dhea/decoder_layers.h)
// B sentences, T source positions, D = d_h = d_s.
#pragma once
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <memory>
#include <vector>

#include "core/nn/fused.h"
#include "core/nn/layers.h"
#include "core/nn/recurrent.h"
#include "models/dhea/config.h"

namespace strata::dhea {

inline constexpr double kDeviation = 0.01;  // initial standard deviation of every parameter [P]

// N(0, 0.01), or models.md 3.3.
void initialiseMatrix(Initialiser& random, const torch::Tensor& weight, bool stable);
void initialiseBias(Initialiser& random, const torch::Tensor& bias, bool stable);

// weight_ih [4D, X], weight_hh [4D, D], bias [4D]; gates input, forget, candidate, output.
class LstmImpl : public torch::nn::Module {
 public:
  LstmImpl(std::int64_t in, std::int64_t width);
  LstmWeights weights() const { return {weightInput_, weightHidden_, bias_}; }
  void initialise(Initialiser& random, bool stable);

 private:
  torch::Tensor weightInput_, weightHidden_, bias_;
};
TORCH_MODULE(Lstm);

// Departs from the paper: an LSTM may read a normalised input, and from layer 2 on its output may
// be added to the level below, because a plain stack hardly starts on small data (models.md 3.3).
torch::Tensor normalised(const torch::Tensor& x, const LayerNorm& norm);  // null: x itself
bool addsInput(const DheaConfig& config, std::int64_t layer);             // layers from 0

class EncoderLayerImpl : public torch::nn::Module {
 public:
  EncoderLayerImpl(const DheaConfig& config, std::int64_t layer,
                   const std::shared_ptr<DropoutState>& dropout);
  // lengths_B undefined: no padding.
  torch::Tensor forward(const torch::Tensor& h_TBD, const torch::Tensor& lengths_B) const;
  void initialise(Initialiser& random, bool stable);

 private:
  bool residual_, reverse_;
  Lstm lstm_;
  LayerNorm norm_{nullptr};
  DropoutSite dropout_;
};
TORCH_MODULE(EncoderLayer);

}  // namespace strata::dhea
