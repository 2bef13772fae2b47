// The layers of DenseNMT's two stacks and of their residual counterparts. Shen et al., NAACL 2018,
// sections 3.1-3.3; models.md 1.2-1.5.
//   paper            here          shape        meaning
//   h^l, z^l         n_BSW, c_BTW  [B, T, w]    H(state): what layer l of a side computes (Eq. 5)
//   [h^l, .., h^0]   state X       [B, S, ..]   what an encoder layer reads (Eq. 6)
//   [z^l, a^l, ..    state Y       [B, T, ..]   what a decoder layer reads (Eq. 7)
//      z^0]
//   a^l              a_BTW         [B, T, w]    attention value of decoder layer l (Eqs. 9, 10)
//   F(Q, K, V)       attention                  Softmax(Q x K) x V (Eq. 8), without a scale
//   K, V of h^i      parts_BSE     [B, S, E]    A_i and C_i of models.md 1.4 (Eqs. 9, 10)
//   L(.)             Linear        (o, i)       weight-normalised, with bias, like the convolutions
// and, of models.md 1.2 and 1.5,
//   emb, temb        emb_BSE, ..   [B, S, E]    embeddings of words at positions, of either side
//   S                factor_B11    [B, 1, 1]    true source length, in S sqrt(1/S) = sqrt(S)
// A state is stored as parts, so that "concatenate with all earlier layers" (Eqs. 6, 7) copies
// nothing. Where this departs from the paper, it follows the code that its authors released;
// keys of config.h take the departures back.
#pragma once
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <memory>
#include <string>
#include <vector>

#include "core/nn/convolution.h"
#include "core/nn/decoder_cache.h"
#include "core/nn/dropout.h"
#include "core/nn/fused.h"
#include "core/nn/levels.h"
#include "core/nn/recorder.h"
#include "core/nn/weight_norm.h"
#include "models/densenmt/config.h"

namespace strata::densenmt {

using DropoutPointer = std::shared_ptr<DropoutState>;

constexpr double kRootHalf = 0.70710678118654752;  // sqrt(1/2): keeps the variance of a sum of two

// models.md 1.7. `dropout`: the rate before the layer, which the variance of the weights accounts
// for; 0 without dropout.
void drawWeights(WeightNorm layer, Initialiser& random, double dropout);

// Word and position embeddings of one side, registered in its module: embed_tokens, embed_positions
// and, if e != E, embed_tokens_proj and embed_positions_proj.
class SideEmbedding {
 public:
  // `shared`: an embedding table that belongs to the other side; undefined: a table of its own.
  SideEmbedding(torch::nn::Module& side, const DenseConfig& config, std::int64_t vocabulary,
                const torch::Tensor& shared, const DropoutPointer& dropout);
  // Dropout(T(tok) + P(pos)) [B, T, E]; position p reads row p + 2. A usage error if the table has
  // no row for a word.
  torch::Tensor forward(const torch::Tensor& ids_BT) const;
  // The same [R, E] for the newest words of a search.
  torch::Tensor newest(const torch::Tensor& ids_R, const Backpointers& backpointers) const;
  void initialise(Initialiser& random, double dropout);
  const WordTable& words() const { return tokens_; }

 private:
  void checkLength(std::int64_t words) const;
  torch::Tensor sum(const torch::Tensor& ids_BT, const torch::Tensor& positions_TW) const;

  WordTable tokens_;
  Embedding positions_;
  WeightNorm tokensProjection_{nullptr}, positionsProjection_{nullptr};  // e != E
  DropoutSite site_;
};

// What the layers of both sides have in common: a convolution and the layers around it.
class ConvolutionLayerImpl : public torch::nn::Module {
 public:
  // Taps that read earlier positions: half of them, or all but one.
  enum class Reach { kCentred, kCausal };
  ConvolutionLayerImpl(const LayerPlan& plan, Reach reach, const DropoutPointer& dropout);
  void initialise(Initialiser& random, double dropout);
  // The state that the layer reads: after the linear summary, if there is one, which is published
  // next to the layer's block.
  Parts read(const Parts& state, const Published& block) const;

 protected:
  torch::Tensor convolve(const Parts& state, const SourceBatch& source) const;
  torch::Tensor skip(const Parts& state) const;  // X, or Linear(X)

  LayerPlan plan_;
  std::int64_t left_;
  WeightNorm conv_{nullptr}, skipProjection_{nullptr}, summaryProjection_{nullptr};
  DropoutSite site_;
};

class EncoderLayerImpl : public ConvolutionLayerImpl {
 public:
  EncoderLayerImpl(const LayerPlan& plan, const DropoutPointer& dropout)
      : ConvolutionLayerImpl(plan, Reach::kCentred, dropout) {}
  // The state after the layer, newest part first. `block` publishes what the layer adds: n of a
  // dense layer, else the new state.
  Parts forward(const Parts& state, const SourceBatch& source, const Published& block) const;
};
TORCH_MODULE(EncoderLayer);

// What the decoder reads from the source.
struct DenseMemory : Memory {
  SummedMemory parts_BSE;    // keys of each part and the words' embeddings
  torch::Tensor factor_B11;  // sqrt(S) sqrt(1/n) or without either, for the sum of n contexts
};

class DecoderLayerImpl : public ConvolutionLayerImpl {
 public:
  DecoderLayerImpl(const LayerPlan& plan, const DenseConfig& config, const DropoutPointer& dropout);

  // Attention maps, one per part of the encoder, and the block that the layer adds: [a ; c] of a
  // dense layer, else the new state.
  struct Maps {
    std::vector<Published> attention;
    Published block;
    PublishedLevel levels;  // the same as a level
    std::size_t level = 0;
  };
  // The state after the layer, oldest part first.
  Parts forward(const Parts& state, const torch::Tensor& temb_BTE, const DenseMemory& memory,
                const Maps& maps) const;

  struct StepContext {
    const DenseMemory& memory;
    const std::vector<torch::Tensor>& keysValues_BS2E;  // of the memory, one per part
    const Backpointers& backpointers;                   // says which sentence a row belongs to
    const torch::Tensor& factor_R1;
    std::vector<torch::Tensor>& past_RI;  // this layer's last inputs, oldest first
  };
  Parts step(const Parts& state, const torch::Tensor& temb_RE, const StepContext& context,
             const Maps& maps) const;
  void initialise(Initialiser& random, double dropout);

 private:
  torch::Tensor query(const torch::Tensor& c, const torch::Tensor& temb) const;
  Parts extend(const Parts& state, torch::Tensor a, torch::Tensor c, const Maps& maps) const;

  WeightNorm query_{nullptr}, out_{nullptr};
  bool queryWord_;
  std::vector<DropoutSite> weightsSites_;  // one per part
};
TORCH_MODULE(DecoderLayer);

}  // namespace strata::densenmt
