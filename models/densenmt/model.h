// The family `densenmt`: Shen et al., "Dense Information Flow for Neural Machine Translation",
// NAACL 2018, its ablations and the residual convolutional baselines (models.md 1). The parts are
// in encoder.h, decoder.h and layers.h, with the paper's notation. Internals that can be recorded
// and replaced in addition to models.md 0.6 (encoder.keys.{j}, encoder.values.{j},
// decoder.layers.{l}.attn.{j}):
//   encoder.layers.{i}.block [B, S, w]   what layer i adds: n of a dense layer, else its new state
//   decoder.layers.{i}.block [B, T, w]   the same: [a ; c] of a dense layer, else its new state
// For those who measure what layers read (readers.h), it also publishes {side}.layers.{i}.summary,
// the linear summary before a layer.
#pragma once
#include <torch/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/nn/model_family.h"
#include "core/nn/readers.h"
#include "core/nn/translation_model.h"
#include "models/densenmt/decoder.h"
#include "models/densenmt/encoder.h"

namespace strata::densenmt {

class DenseModel : public TranslationModel, public BlockReaders {
 public:
  explicit DenseModel(const DenseConfig& config);

  std::unique_ptr<Memory> encode(const SourceBatch& source, Recorder* recorder) override;
  torch::Tensor decode(const Memory& memory, const torch::Tensor& targetIn_BT,
                       Recorder* recorder) override;
  torch::Tensor project(const torch::Tensor& features) override;
  Projection projection() const override;
  std::unique_ptr<DecoderState> begin(const Memory& memory) override;
  torch::Tensor step(DecoderState& state, const torch::Tensor& tokens_R,
                     Recorder* recorder) override;

  // Uses the rate of setDropout: the standard deviations compensate for it (models.md 1.7).
  void initialise(const std::string& scheme, std::uint64_t seed) override;
  std::vector<RecordingInfo> recordable() const override;
  std::vector<Reader> readers() const override;
  // Later blocks at their means; undefined before the last summary that is a layer.
  torch::Tensor outputOf(const DecoderLevels& levels, std::size_t level) const override;
  void scaleGradients() override;
  std::optional<SentenceLimit> sentenceLimit() const override { return model_.sentenceLimit(); }

 private:
  DenseConfig model_;
  Encoder encoder_;
  Decoder decoder_;
};

ModelFamily family();

}  // namespace strata::densenmt
