// The layers of DHEA. Wang et al., COLING 2018 (models.md 3.2).
//   paper          here            shape           meaning
//   H^l, M         h_TBD, memory   [T, B, D]       encoder level l; M is the last one
//   s^{l-1}_i      s_BTD           [B, T, D]       decoder level below, the query at position i
//   c_i            c_BTD           [B, T, D]       context of the source (Eq. 7)
//   z_i            z_BTD           [B, T, D]       context of the decoding history (Eq. 9, 10)
//   g_i            g_BTD           [B, T, D]       gate, 1 = all source (Eq. 11)
//   c^_i           joined_BTD      [B, T, D]       what the LSTM reads next to s^{l-1}_i
// B sentences, T target positions (encoder: source positions), S source positions, D = d, R rows of
// an incremental search.
#pragma once
#include <torch/torch.h>

#include <vector>

#include "core/nn/decoder_cache.h"
#include "core/nn/fused.h"
#include "core/nn/layers.h"
#include "core/nn/recorder.h"
#include "core/nn/recurrent.h"
#include "models/dhea/config.h"

namespace strata::dhea {

inline constexpr double kDeviation = 0.01;  // initial standard deviation of every parameter [P]

// weight_ih [4D, X], weight_hh [4D, D], bias [4D]; gates input, forget, candidate, output.
class LstmImpl : public torch::nn::Module {
 public:
  LstmImpl(std::int64_t in, std::int64_t width);
  LstmWeights weights() const { return {weightInput_, weightHidden_, bias_}; }
  void initialise(Initialiser& random, bool stable);

 private:
  torch::Tensor weightInput_, weightHidden_, bias_;
};
TORCH_MODULE(Lstm);

// q_proj, k_proj, v_proj of one attention, bias-free.
class ProjectionsImpl : public torch::nn::Module, public AdjacentParameters {
 public:
  explicit ProjectionsImpl(std::int64_t width);
  std::vector<Group> adjacentParameters() const override {
    return {{q->weight, k->weight, v->weight}};
  }
  Linear q, k, v;
  void initialise(Initialiser& random, bool stable);
};
TORCH_MODULE(Projections);

class EncoderLayerImpl : public torch::nn::Module {
 public:
  EncoderLayerImpl(const DheaConfig& config, std::int64_t layer,
                   const std::shared_ptr<DropoutState>& dropout);
  // lengths_B undefined: no padding.
  torch::Tensor forward(const torch::Tensor& h_TBD, const torch::Tensor& lengths_B) const;
  void initialise(Initialiser& random, bool stable);

 private:
  bool residual_, reverse_;
  Lstm lstm_;
  LayerNorm norm_{nullptr};
  DropoutSite dropout_;
};
TORCH_MODULE(EncoderLayer);

// State of incremental decoding of one decoder layer.
struct LayerState {
  HistoryCache history;  // K' and V' of all s^{l-1} so far
  CellState lstm;        // [R, D]
};

class DecoderLayerImpl : public torch::nn::Module {
 public:
  DecoderLayerImpl(const DheaConfig& config, std::int64_t layer,
                   const std::shared_ptr<DropoutState>& dropout);

  // W_K M and W_V M [B, S, 2D].
  torch::Tensor keysValues(const torch::Tensor& memory_BSD) const;
  // s^l [B, T, D]. Nothing in the attentions depends on s^l, so the attentions of all positions are
  // computed at once and one LSTM runs over the sequence.
  torch::Tensor forward(const torch::Tensor& s_BTD, const torch::Tensor& keysValues_BS2D,
                        const SourceBatch& source, Recorder* recorder) const;

  struct StepContext {
    const Backpointers& backpointers;
    const std::vector<std::int32_t>& table;  // of the backpointers
    const SourceBatch& source;
    const torch::Tensor& keysValues_BS2D;
    LayerState& state;
  };
  // s^l [R, 1, D] of the newest position.
  torch::Tensor step(const torch::Tensor& s_R1D, const StepContext& context,
                     Recorder* recorder) const;

  void initialise(Initialiser& random, bool stable);
  std::vector<RecordingInfo> recordable() const;

 private:
  RecordingInfo info(const char* name, const char* kind, std::vector<std::string> axes) const;
  Published published(Recorder* recorder, RecordingInfo (DecoderLayerImpl::*of)() const) const;
  RecordingInfo sourceMap() const;
  RecordingInfo historyMap() const;
  RecordingInfo jointMap() const;
  RecordingInfo gateInfo() const;
  RecordingInfo normsInfo() const;
  RecordingInfo sourceContext() const;
  RecordingInfo historyContext() const;

  const Projections& historyProjections() const { return history_ ? history_ : source_; }
  torch::Tensor combine(torch::Tensor c_BTD, torch::Tensor z_BTD, Recorder* recorder) const;
  struct Joint {
    torch::Tensor queries_BTD, sourceKeysValues_BS2D, historyKeysValues_BT2D;
    torch::Tensor masked_BTM;  // [B or 1, T, S + T], true where a key is masked; may be undefined
  };
  torch::Tensor attendJointly(const Joint& joint, Recorder* recorder) const;
  torch::Tensor lstmInput(const torch::Tensor& s_BTD, const torch::Tensor& joined_BTD) const;
  torch::Tensor finish(const torch::Tensor& s_BTD, const torch::Tensor& states_BTD) const;

  std::int64_t width_, layer_;
  History kind_;
  bool residual_;
  Projections source_;            // hybrid: of both memories
  Projections history_{nullptr};  // sum, gate; null: shared
  Linear gate_{nullptr};
  Lstm lstm_;
  LayerNorm norm_{nullptr};
  DropoutSite dropout_;
};
TORCH_MODULE(DecoderLayer);

}  // namespace strata::dhea
