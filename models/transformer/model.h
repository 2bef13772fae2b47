// The Transformer, on which the other models are measured. Vaswani et al., NIPS 2017, "Attention Is
// All You Need"; models.md 4.2.
//   paper           here              shape        meaning
//   x_1 .. x_n      source.ids_BS     [B, S]       words of the source
//   z               memory, x_BSD     [B, S, D]    output of the encoder
//   N               encoderLayers, decoderLayers   layers of a stack; they may differ
//   PE              positions_        [T, D]       positional encoding (section 3.5)
// B sentences, S source positions, T target positions, D = d_model, R rows of an incremental
// search. The layers, with the paper's equations, are in layers.h.
//
// The program's family `transformer` is made in models/mlrf: that paper's model is this one with
// fusions of its levels, and is this one if it has none.
#pragma once
#include <torch/nn/module.h>
#include <torch/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/nn/translation_model.h"
#include "core/run/table_sharing.h"
#include "models/transformer/layers.h"
#include "models/transformer/level_fusion.h"

namespace strata::transformer {

struct Shape {
  std::int64_t sourceVocabulary = 0, targetVocabulary = 0;  // the four special tokens included
  std::int64_t encoderLayers = 6, decoderLayers = 6;        // N
  LayerShape layer = {};
  bool outputBias = true;
  TableSharing sharing = {};
};

class TransformerModel : public TranslationModel {
 public:
  explicit TransformerModel(const Shape& shape, const FusionMaker& makeFusion = {});

  std::unique_ptr<Memory> encode(const SourceBatch& source, Recorder* recorder) override;
  torch::Tensor decode(const Memory& memory, const torch::Tensor& targetIn_BT,
                       Recorder* recorder) override;
  // W_o x + b_o, before the softmax (section 3.4).
  Projection projection() const override { return {output_->weight, output_->bias}; }
  std::unique_ptr<DecoderState> begin(const Memory& memory) override;
  torch::Tensor step(DecoderState& state, const torch::Tensor& tokens_R,
                     Recorder* recorder) override;

  // "default": models.md 4.4, MLRF's; "iwslt": that of transformer_iwslt; "xavier": the same, with
  // the networks of fusions Xavier uniform, too.
  void initialise(const std::string& scheme, std::uint64_t seed) override;
  std::vector<RecordingInfo> recordable() const override;

 protected:
  // For parameters that belong to both stacks, which a model adds; called after those of the stacks
  // and before those of the output layer have been drawn.
  virtual void initialiseShared(Initialiser&) {}

 private:
  std::shared_ptr<LevelFusion> addFusion(torch::nn::Module& side, const std::string& name,
                                         const FusionMaker& makeFusion);
  // Whether passes over whole sentences leave padding out: recordings have an axis of positions.
  bool leavesOut(const Recorder* recorder) const;
  // x [B, T, D] of the words at positions [T, D].
  torch::Tensor embedSide(const WordTable& table, const torch::Tensor& ids,
                          const torch::Tensor& positions, const DropoutSite& site) const;
  torch::Tensor embedRows(const WordTable& table, const torch::Tensor& ids_BT, const WordRows& rows,
                          const DropoutSite& site);

  std::int64_t width_;
  std::shared_ptr<torch::nn::Module> encoder_, decoder_;
  WordTable sourceTable_, targetTable_;  // one table if all are shared
  DropoutSite sourceSite_, targetSite_;
  std::vector<EncoderLayer> encoderLayers_;
  std::vector<DecoderLayer> decoderLayers_;
  std::shared_ptr<LevelFusion> encoderFusion_, decoderFusion_;  // null: the top level
  std::optional<OutputLayer> output_;
  PositionTable positions_;
};

}  // namespace strata::transformer
