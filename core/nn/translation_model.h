#pragma once
#include <torch/nn/module.h>
#include <torch/types.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/nn/arithmetic.h"
#include "core/nn/parameters.h"
#include "core/nn/recorder.h"
#include "core/run/compute.h"
#include "core/run/sentence_limit.h"

namespace strata {

// Shape letters: B sentences, S source positions, T target positions, V target vocabulary, D width,
// K beam.

// Source sentences as tensors on the model's device.
struct SourceBatch {
  torch::Tensor ids_BS;      // int64, right-padded with <pad>, each sentence ends in </s>
  torch::Tensor lengths_B;   // int64, true lengths, </s> included
  torch::Tensor padding_BS;  // bool, true where padded; undefined when no sentence is padded

  // The lengths, undefined when no sentence is padded.
  torch::Tensor lengthsIfPadded() const {
    return padding_BS.defined() ? lengths_B : torch::Tensor{};
  }
};
SourceBatch makeSourceBatch(const torch::Tensor& ids_BS, const torch::Tensor& lengths_B);

// What the decoder reads from the source. A model derives its own; other code sees only the
// lengths.
struct Memory {
  virtual ~Memory() = default;
  SourceBatch source;
};

// The state of incremental decoding for R rows (sentence x hypothesis); models derive their own. It
// keeps whatever saves recomputing the prefix. Each row decodes one sentence of the memory; reorder
// may repeat, move and drop rows.
class DecoderState {
 public:
  virtual ~DecoderState() = default;
  // New row i continues old row rows[i]. int64 [R'], on the CPU or, from the first time on that it
  // is there, always on the model's device. Caches are moved, never recomputed; source data is not
  // copied for hypotheses of one sentence if that can be avoided.
  virtual void reorder(const torch::Tensor& rows) = 0;
  // More rows, after the present ones: each at the beginning of a sentence of the memory, int64
  // [R'] on the CPU. From then on steps take no recorder.
  virtual void admit(const torch::Tensor& sentences) = 0;
  // No row continues more than `steps` words: what was kept of earlier steps may be let go of.
  virtual void forget(std::int64_t steps) = 0;
  virtual std::int64_t rows() const = 0;
};

// Dropout rates for training; not part of a model's configuration.
struct DropoutRates {
  double dropout = 0, attention = 0, activation = 0;
};

struct DropoutState;

// A translation model: the interface through which trainer, beam search, scorer and panels use
// every paper's system. None of them asks which model it is. Parameters have the names in
// models.md. Not thread-safe.
class TranslationModel : public torch::nn::Module {
 public:
  TranslationModel();
  ~TranslationModel() override;
  // All parameters in one buffer, from the first call (createModel's) on. An error in an ensemble.
  const std::shared_ptr<const ParameterBuffer>& parameterBuffer();
  torch::Device device() const;
  // A model stays where it was created (createModel's ParameterPlace): these throw.
  void to(torch::Device device, torch::Dtype type, bool nonBlocking = false) override;
  void to(torch::Dtype type, bool nonBlocking = false) override;
  void to(torch::Device device, bool nonBlocking = false) override;

  // Encodes the source.
  virtual std::unique_ptr<Memory> encode(const SourceBatch& source, Recorder* recorder) = 0;
  // Teacher forcing: the features [B, T, D'] before the output projection, for all positions at
  // once; at padded positions they have no meaning.
  virtual torch::Tensor decode(const Memory& memory, const torch::Tensor& targetIn_BT,
                               Recorder* recorder) = 0;
  // Scores [..., V] (logits) of features [..., D']: the product with projection(), which a model
  // defines, or what a model defines instead.
  virtual torch::Tensor project(const torch::Tensor& features);

  // The product in project() if it is one, so that losses and searches can split it; undefined
  // otherwise.
  struct Projection {
    torch::Tensor weight_VD, bias_V;  // the bias may be undefined
  };
  virtual Projection projection() const { return {}; }
  // Log-probabilities [R, V] of features [R, D']; no gradient. If this thread's arithmetic has
  // outputWords: of these N words only [R, N], in their order, with probabilities that sum to 1.
  torch::Tensor logProbabilities(const torch::Tensor& features_RD);

  // This thread's arithmetic with the model's weights packed for searches, where the processor has
  // products for that; a warning where bf16 or int8 is not possible. Valid while this model lives
  // and is not asked for another arithmetic.
  Arithmetic searchArithmetic(Compute compute);

  // This thread's arithmetic with this precision of products; bf16: with the model's parameters
  // cast at once. Valid while this model lives and no parameter changes.
  Arithmetic productArithmetic(bool bf16);

  // Starts incremental decoding with one row per sentence of the memory, which must outlive the
  // state.
  virtual std::unique_ptr<DecoderState> begin(const Memory& memory) = 0;
  // Feeds one token per row [R] and returns log-probabilities of the next token as
  // logProbabilities() gives them.
  virtual torch::Tensor step(DecoderState& state, const torch::Tensor& tokens_R,
                             Recorder* recorder) = 0;

  void train(bool on = true) override;
  virtual void setDropout(const DropoutRates& rates);
  // Sets the key of the next forward pass's masks, so that a resumed run repeats them (models.md
  // 0.5).
  virtual void keyDropout(std::uint64_t seed, std::uint64_t step);
  // Draws new parameters, which may depend on the rates of setDropout; `scheme` is the
  // configuration's training.init ("default" = the paper's).
  virtual void initialise(const std::string& scheme, std::uint64_t seed) = 0;
  // The internals that recorders may ask for, with kinds and axes.
  virtual std::vector<RecordingInfo> recordable() const = 0;
  // The decoder's levels as published (core/nn/levels.h), oldest first, and their means over a
  // corpus; what a fusion makes of them is the last.
  struct DecoderLevels {
    std::vector<torch::Tensor> values_BTD, means_D;  // of one width per level
  };
  // The features that project() would read if the decoder had only the levels up to `level`;
  // undefined if its output layer cannot read that level. The last level gives decode()'s features.
  virtual torch::Tensor outputOf(const DecoderLevels& levels, std::size_t level) const;
  // After back-propagation and before clipping (DenseNMT scales its encoder's gradients here).
  virtual void scaleGradients() {}
  // The longest sentence that the model has positions for; none: there is no such limit. encode(),
  // decode() and step() take no longer ones.
  virtual std::optional<SentenceLimit> sentenceLimit() const { return std::nullopt; }

  // The contents of config.json: every key explicit, including `format` and `family`.
  const Json& config() const { return config_; }
  std::int64_t parameterCount() const;

 protected:
  Json config_;
  std::shared_ptr<DropoutState> dropout_;  // shared by the model's DropoutSites

 private:
  std::shared_ptr<const ParameterBuffer> buffer_;
  std::unique_ptr<PackedWeights> packed_;  // of the last search; null after training
  std::unique_ptr<Bf16Weights> bf16_;      // null before the first bf16 products
};

// Creates the model of a configuration, with uninitialised parameters. Errors name the key.
std::shared_ptr<TranslationModel> createModel(const Json& config, const ParameterPlace& place = {});

// A model directory: config.json and model.safetensors (models.md 0.3), nothing missing and nothing
// extra, checked by name and shape. A tied tensor is stored once.
std::shared_ptr<TranslationModel> loadModel(const std::filesystem::path& directory,
                                            const ParameterPlace& place = {});
void saveModel(const TranslationModel& model, const std::filesystem::path& directory);

}  // namespace strata
