#pragma once
#include <torch/torch.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/nn/parameters.h"
#include "core/nn/recorder.h"

namespace strata {

// Shape letters: B sentences, S source positions, T target positions, V target vocabulary, D width,
// K beam.

// Source sentences as tensors on the model's device.
struct SourceBatch {
  torch::Tensor ids_BS;      // int64, right-padded with <pad>, each sentence ends in </s>
  torch::Tensor lengths_B;   // int64, true lengths, </s> included
  torch::Tensor padding_BS;  // bool, true where padded; undefined when no sentence is padded
};
SourceBatch makeSourceBatch(const torch::Tensor& ids_BS, const torch::Tensor& lengths_B);

// What the decoder reads of the source. A model derives its own; others see the lengths only.
struct Memory {
  virtual ~Memory() = default;
  SourceBatch source;
};

// The state of incremental decoding for R rows (sentence x hypothesis); models derive their own. It
// keeps whatever saves recomputing the prefix. Row r decodes a sentence of the memory; reorder may
// repeat, move and drop rows.
class DecoderState {
 public:
  virtual ~DecoderState() = default;
  // New row i continues old row rows[i]. int64 [R'], on the CPU. Caches are moved, never
  // recomputed; what belongs to the source is not copied for hypotheses of one sentence where that
  // can be avoided.
  virtual void reorder(const torch::Tensor& rows) = 0;
  virtual std::int64_t rows() const = 0;
};

// Which rates of dropout training uses; not part of a model's configuration.
struct DropoutRates {
  double dropout = 0, attention = 0, activation = 0;
};

struct DropoutState;

// A translation model: the seam through which trainer, beam search, scorer and panels see every
// paper's system. None of them asks which model it is. Parameters carry models.md's names. Not
// thread-safe.
class TranslationModel : public torch::nn::Module {
 public:
  TranslationModel();
  // All parameters in one buffer, made at the first call (createModel's).
  const std::shared_ptr<const ParameterBuffer>& parameterBuffer();
  torch::Device device() const;
  // A model stays where it was made (createModel's ParameterPlace): these throw.
  void to(torch::Device device, torch::Dtype type, bool nonBlocking = false) override;
  void to(torch::Dtype type, bool nonBlocking = false) override;
  void to(torch::Device device, bool nonBlocking = false) override;

  // Reads the whole source.
  virtual std::unique_ptr<Memory> encode(const SourceBatch& source, Recorder* recorder) = 0;
  // Teacher forcing: the features [B, T, D'] in front of the output projection, for all positions
  // at once.
  virtual torch::Tensor decode(const Memory& memory, const torch::Tensor& targetIn_BT,
                               Recorder* recorder) = 0;
  // Scores [..., V] (logits) of features [..., D'].
  virtual torch::Tensor project(const torch::Tensor& features) = 0;

  // The product behind project() where it is one, so that losses and searches may take it apart;
  // undefined otherwise.
  struct Projection {
    torch::Tensor weight_VD, bias_V;  // the bias may be undefined
  };
  virtual Projection projection() const { return {}; }
  // Log-probabilities [R, V] of features [R, D']; no gradient.
  torch::Tensor logProbabilities(const torch::Tensor& features_RD);

  // Starts incremental decoding with one row per sentence of the memory, which must outlive the
  // state.
  virtual std::unique_ptr<DecoderState> begin(const Memory& memory) = 0;
  // Feeds one token per row [R] and returns log-probabilities [R, V] of the next one.
  virtual torch::Tensor step(DecoderState& state, const torch::Tensor& tokens_R,
                             Recorder* recorder) = 0;

  void train(bool on = true) override;
  virtual void setDropout(const DropoutRates& rates);
  // Keys the masks of the next forward pass, so that a resumed run repeats them (models.md 0.5).
  virtual void keyDropout(std::uint64_t seed, std::uint64_t step);
  // Draws fresh parameters, which may depend on the rates of setDropout; `scheme` is the
  // training.init of the configuration ("default" = the paper's).
  virtual void initialise(const std::string& scheme, std::uint64_t seed) = 0;
  // Names of what recorders may ask for, with kinds and axes.
  virtual std::vector<RecordingInfo> recordable() const = 0;
  // After back-propagation and before clipping (DenseNMT scales its encoder's gradients here).
  virtual void scaleGradients() {}

  // The configuration that config.json holds: every key explicit, `format` and `family` included.
  const Json& config() const { return config_; }
  std::int64_t parameterCount() const;

 protected:
  Json config_;
  std::shared_ptr<DropoutState> dropout_;  // what the model's DropoutSites share

 private:
  std::shared_ptr<const ParameterBuffer> buffer_;
};

// Makes the model of a configuration, parameters not yet initialised. Errors name the key.
std::shared_ptr<TranslationModel> createModel(const Json& config, const ParameterPlace& place = {});

// A model directory: config.json and model.safetensors (models.md 0.3): nothing missing, nothing
// extra, checked by name and shape. A tied tensor is stored once.
std::shared_ptr<TranslationModel> loadModel(const std::filesystem::path& directory,
                                            const ParameterPlace& place = {});
void saveModel(const TranslationModel& model, const std::filesystem::path& directory);

}  // namespace strata
