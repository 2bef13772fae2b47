// The encoder: one or two columns of LSTM layers over the source, and the interface to the decoder
// (models.md 2.3, 2.4).
//   paper            here           shape              meaning
//   h^{a}_t, f^{a}_t Flow           [S, B, H], [S, B, G]  a column's top layer, k = n_e
//   e_t              (not formed)                      of Deep-Att (Eq. 7)
//   e~_t = W_p e_t   encoded_BSC    [B, S, C]          Deep-Att's, a quarter of e_t (Eq. 8)
//   c = e_t          encoded_B1C    [B, 1, C]          Deep-ED's (Eqs. 7, 8)
#pragma once
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <vector>

#include "core/nn/levels.h"
#include "core/nn/translation_model.h"
#include "models/deepatt/layers.h"

namespace strata::deepatt {

class EncoderImpl : public torch::nn::Module {
 public:
  EncoderImpl(const DeepAttConfig& config, const std::shared_ptr<DropoutState>& dropout);
  // e~ [B, S, C] (Deep-Att), or c [B, 1, C] (Deep-ED).
  torch::Tensor forward(const SourceBatch& source, Recorder* recorder) const;
  void initialise(Initialiser& random, bool xavier);
  std::vector<RecordingInfo> recordable() const;
  const WordTable& table() const { return table_; }

 private:
  bool isReverse(std::size_t column, std::size_t layer) const;
  static void publishLevel(const PublishedLevel& publish, std::size_t level,
                           std::vector<Flow>& flows);
  std::vector<Flow> runColumns(const SourceBatch& source, Recorder* recorder) const;
  torch::Tensor attended(const std::vector<Flow>& tops) const;
  torch::Tensor summarised(const std::vector<Flow>& tops, const SourceBatch& source) const;

  DeepAttConfig config_;
  WordTable table_;
  std::vector<std::vector<Layer>> columns_;
  Linear interface_{nullptr};
  std::vector<std::vector<DropoutSite>> sites_;  // of h where it is consumed, [column][layer]
};
TORCH_MODULE(Encoder);

}  // namespace strata::deepatt
