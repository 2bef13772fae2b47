// A made-up paper, as somebody would add one: a decoder without memory of its own words but the
// last, whose three levels are joined by two hops.
//   here      shape          meaning
//   z0        [B, T, D]      embedding of the last target word
//   z1        [B, 1, D]      mean of the source words' embeddings
//   z2        [B, T, D]      tanh(W [z0, z1])
//   a_BTPN    [B, T, P, N]   one distribution over the N = 3 levels per hop: softmax(z^l . q_p)
//   fused     [B, T, D]      sum over levels and mean over hops
#pragma once
#include <torch/types.h>

#include "core/nn/model_family.h"

namespace strata::fifth {

struct FifthConfig {
  static constexpr const char* kFamily = "fifth";

  std::int64_t sourceVocabulary = 0, targetVocabulary = 0;
  std::int64_t width = 16, hops = 2;
};
void describe(KeyTable& keys, FifthConfig& config);
std::vector<ConfigProblem> problemsOf(const FifthConfig& config);
std::int64_t parameterCount(const FifthConfig& config);

class FifthModel : public TranslationModel {
 public:
  explicit FifthModel(const FifthConfig& config);

  std::unique_ptr<Memory> encode(const SourceBatch& source, Recorder* recorder) override;
  torch::Tensor decode(const Memory& memory, const torch::Tensor& targetIn_BT,
                       Recorder* recorder) override;
  torch::Tensor project(const torch::Tensor& features) override;
  std::unique_ptr<DecoderState> begin(const Memory& memory) override;
  torch::Tensor step(DecoderState& state, const torch::Tensor& tokens_R,
                     Recorder* recorder) override;
  void initialise(const std::string& scheme, std::uint64_t seed) override;
  std::vector<RecordingInfo> recordable() const override;

 private:
  torch::Tensor fused(const torch::Tensor& mean_BD, const torch::Tensor& targetIn_BT,
                      Recorder* recorder) const;

  torch::Tensor source_VD_, target_VD_, joined_2DD_, queries_PD_, output_DV_;
};

ModelFamily family();

}  // namespace strata::fifth
