#pragma once
#include <torch/types.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/nn/translation_model.h"

namespace strata {

// A model that publishes with every internal, as NAME.rest, the rounding error of float32:
// recordings are float32, and the sum of both is the exact value.
class WithRests : public TranslationModel {
 public:
  explicit WithRests(std::shared_ptr<TranslationModel> inner)
      : inner_(register_module("inner", std::move(inner))) {}

  std::unique_ptr<Memory> encode(const SourceBatch& source, Recorder* recorder) override {
    auto memory = inner_->encode(source, recorder);
    addRests(recorder);
    return memory;
  }
  torch::Tensor decode(const Memory& memory, const torch::Tensor& targetIn_BT,
                       Recorder* recorder) override {
    auto features = inner_->decode(memory, targetIn_BT, recorder);
    addRests(recorder);
    return features;
  }
  torch::Tensor step(DecoderState& state, const torch::Tensor& tokens_R,
                     Recorder* recorder) override {
    auto scores = inner_->step(state, tokens_R, recorder);
    addRests(recorder);
    return scores;
  }
  std::unique_ptr<DecoderState> begin(const Memory& memory) override {
    return inner_->begin(memory);
  }
  torch::Tensor project(const torch::Tensor& features) override {
    return inner_->project(features);
  }
  void setDropout(const DropoutRates&) override {}
  void keyDropout(std::uint64_t, std::uint64_t) override {}
  void initialise(const std::string&, std::uint64_t) override {}
  std::vector<RecordingInfo> recordable() const override { return inner_->recordable(); }

 private:
  static void addRests(Recorder* recorder) {
    const auto published = recorder->tensors();
    for (RecordedTensor recorded : published) {
      recorded.info.name += ".rest";
      recorder->publish(recorded.info, recorded.values - recorded.values.to(torch::kFloat32));
    }
  }

  std::shared_ptr<TranslationModel> inner_;
};

}  // namespace strata
