// Who reads whom: the linear maps of a model whose input is several earlier outputs side by side,
// as in W [x_1 ; x_2 ; ..] = sum_b W_b x_b, with the columns W_b of each block (inside.md 5).
//   B sentences, T positions of the reader, K taps, O outputs, I features of a block
#pragma once
#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/nn/recorder.h"

namespace strata {

// A part of a reader's input, and the reader's columns for it.
struct ReadBlock {
  std::string name;             // "layer 2 c": the column of the picture
  std::string internal;         // the published internal that it is a part of
  std::int64_t first = 0;       // its first feature there, all axes after the positions flattened
  torch::Tensor weight_KOI;     // effective, with the weight norm applied
  std::string attention = {};   // the map through which it is read: x = map internal; empty: none
  std::string connection = {};  // the published W_b x_b, if the model has it; empty: none
};

struct Reader {
  std::string map;            // the picture that it belongs to: "encoder", "decoder, chained"
  std::string name;           // its row: "layer 3 conv"
  std::string parameters;     // of its matrix: "encoder.layers.2.conv"; empty: a product of several
  std::string side;           // "encoder" or "decoder": the sentence that gives its positions
  std::int64_t left = 0;      // taps that read earlier positions
  torch::Tensor bias_O = {};  // undefined: none
  std::vector<ReadBlock> blocks = {};
};

// Implemented by models with such maps.
class BlockReaders {
 public:
  virtual ~BlockReaders() = default;
  // Evaluation mode: what dropout does is left out.
  virtual std::vector<Reader> readers() const = 0;
};

// The readers of any model, without pictures in which no reader has more than one block; none if
// the model has none.
std::vector<Reader> readersOf(const torch::nn::Module& model);
// The internals from which the readers' blocks are taken.
std::vector<std::string> internalsOf(const std::vector<Reader>& readers);

// The effective weights of a model's linear layers and convolutions by their prefix.
class EffectiveWeights {
 public:
  explicit EffectiveWeights(const torch::nn::Module& model);
  bool has(const std::string& prefix) const { return weights_.contains(prefix); }
  const torch::Tensor& weight_KOI(const std::string& prefix) const { return weights_.at(prefix); }
  const torch::Tensor& bias_O(const std::string& prefix) const { return biases_.at(prefix); }

 private:
  std::map<std::string, torch::Tensor> weights_, biases_;
};

// A block's values for a batch [B, T, I]: 0 beyond the true lengths of the reader's side, as a
// convolution reads them.
torch::Tensor blockValues(const ReadBlock& block,
                          const std::map<std::string, torch::Tensor>& published,
                          const torch::Tensor& lengths_B);
// W_b x_b [B, T, O] of them.
torch::Tensor readOf(const Reader& reader, const ReadBlock& block, const torch::Tensor& x_BTI);

}  // namespace strata
