#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/nn/translation_model.h"

namespace strata {

enum class EnsembleKind {
  kLinear,  // p = mean of the models' p
  kLog,     // log p = mean of the models' log p, renormalised
};
// Reads "linear" or "log"; anything else is a usage error.
EnsembleKind ensembleKindNamed(std::string_view name);

// Several models, of any families, that predict each word together. Searches and scorers use it
// like any other model; its features are already log-probabilities. Not for training. Internals of
// the m-th model, from 0, are named models.m.NAME.
class Ensemble : public TranslationModel {
 public:
  // At least one model; the caller keeps them as well. Vocabularies of different sizes are a usage
  // error that names the key.
  Ensemble(std::vector<std::shared_ptr<TranslationModel>> members, EnsembleKind kind);

  std::unique_ptr<Memory> encode(const SourceBatch& source, Recorder* recorder) override;
  torch::Tensor decode(const Memory& memory, const torch::Tensor& targetIn_BT,
                       Recorder* recorder) override;
  torch::Tensor project(const torch::Tensor& features) override { return features; }
  std::unique_ptr<DecoderState> begin(const Memory& memory) override;
  torch::Tensor step(DecoderState& state, const torch::Tensor& tokens_R,
                     Recorder* recorder) override;
  void initialise(const std::string& scheme, std::uint64_t seed) override;
  std::vector<RecordingInfo> recordable() const override;
  std::optional<SentenceLimit> sentenceLimit() const override;  // the members' lowest

 private:
  torch::Tensor together(const std::vector<torch::Tensor>& logProbabilities) const;
  // Publishes to `recorder`, under the member's names, what `call` publishes.
  template <typename Call>
  auto recorded(std::size_t member, Recorder* recorder, Call call);

  std::vector<std::shared_ptr<TranslationModel>> members_;
  EnsembleKind kind_;
};

}  // namespace strata
