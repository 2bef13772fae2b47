// Multi-layer representation fusion: the Transformer of models/transformer, with the levels of the
// encoder, the decoder or both fused. Wang et al., COLING 2018; models.md 4. Fused, the encoder's
// h^ is what all layers of the decoder attend to, and the decoder's z^ what the output layer reads:
// Pr(y_j | y_<j, x) = Softmax(W_o phi(Z_j) + b_o), Eq. 3 (figure 1b).
//
// It is also the whole family `transformer`: without a fusion it is the Transformer, phi(Z_j) =
// z^L_j (table 1, "Baseline"), so one configuration describes both.
#pragma once
#include <torch/types.h>

#include "core/nn/model_family.h"
#include "core/nn/readers.h"
#include "models/mlrf/fusion.h"
#include "models/transformer/model.h"

namespace strata::mlrf {

class MlrfModel : public transformer::TransformerModel, public BlockReaders {
 public:
  explicit MlrfModel(const MlrfConfig& config);
  // The fusions whose network reads all levels, or all hops, side by side.
  std::vector<Reader> readers() const override;

 protected:
  void initialiseShared(Initialiser& random) override;

 private:
  // `layerEmbedding`: the embedding of levels (Eq. 4); null: no side uses it.
  MlrfModel(const MlrfConfig& config, const Embedding& layerEmbedding);

  MlrfConfig model_;
  Embedding layerEmbedding_;
};

ModelFamily family();

}  // namespace strata::mlrf
