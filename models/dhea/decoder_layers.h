// The decoder's layers of DHEA: one class for each way to read the decoding history. Wang et al.,
// COLING 2018, sections 2 and 3; models.md 3.2.
//   paper          here               shape        meaning
//   s^{l-1}_i      s_BTD              [B, T, D]    decoder level below: the query of layer l
//   M^B_i          s_BTD              [B, T, D]    decoding history, s^{l-1}_1 .. s^{l-1}_i
//   M^s W_K, W_V   keysValues_BS2D    [B, S, 2D]   keys and values of the source memory
//   c_i            c_BTD              [B, T, D]    context of the source (Eq. 5)
//   z_i            z_BTD              [B, T, D]    context of the decoding history (Eq. 9)
//   g(c, z)        g_BTD              [B, T, D]    gate, 1 = all source (Eq. 12)
//   c^_i           (context)          [B, T, D]    what the LSTM reads next to s^{l-1}_i (Eq. 8)
// B sentences, T target positions, S source positions, D = d_s = d_h, R rows of an incremental
// search.
#pragma once
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <memory>
#include <vector>

#include "core/nn/decoder_cache.h"
#include "core/nn/recorder.h"
#include "models/dhea/layers.h"

namespace strata::dhea {

// q_proj, k_proj, v_proj of one attention, bias-free: W_Q, W_K, W_V, unique per layer.
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

// What all layers have: the LSTM, and the attention that reads the source. The subclasses compute
// the context c^.
class DecoderLayer : public torch::nn::Module {
 public:
  // The layer that config.history asks for; `layer` counts from 0.
  static std::shared_ptr<DecoderLayer> make(const DheaConfig& config, std::int64_t layer,
                                            const std::shared_ptr<DropoutState>& dropout);

  // W_K M^s and W_V M^s [B, S, 2D].
  torch::Tensor keysValues(const torch::Tensor& memory_BSD) const;
  struct Source {
    const torch::Tensor& keysValues_BS2D;
    const SourceBatch& batch;
  };
  // s^l [B, T, D]. Nothing in the attentions depends on s^l, so the attentions of all positions are
  // computed at once and one LSTM runs over the sequence. lengths_B: of the target, where steps
  // after them need not be computed; undefined: all are.
  torch::Tensor forward(const torch::Tensor& s_BTD, const Source& source,
                        const torch::Tensor& lengths_B, Recorder* recorder) const;

  struct StepContext {
    const Backpointers& backpointers;
    Source source;
    HistoryCache& history;
    CellState& cell;
  };
  // s^l [R, 1, D] of the newest position.
  torch::Tensor step(const torch::Tensor& s_R1D, const StepContext& context,
                     Recorder* recorder) const;

  void initialise(Initialiser& random, bool stable);
  virtual std::vector<RecordingInfo> recordable() const = 0;

 protected:
  // `attention`: the name of the attention that reads the source.
  DecoderLayer(const DheaConfig& config, std::int64_t layer,
               const std::shared_ptr<DropoutState>& dropout, const char* attention);

  // c and z of all positions [B, T, D], or of the newest one [R, 1, D].
  struct Contexts {
    torch::Tensor c, z = {};  // z is undefined if the layer reads the source alone
  };
  virtual Contexts contexts(const torch::Tensor& s_BTD, const Source& source,
                            Recorder* recorder) const = 0;
  virtual Contexts contextsOnce(const torch::Tensor& s_RD, const StepContext& context,
                                Recorder* recorder) const = 0;
  // c^ of c and z: their sum.
  virtual torch::Tensor combine(const torch::Tensor& c_BTD, const torch::Tensor& z_BTD,
                                Recorder* recorder) const;
  // Parameters of a subclass, drawn between those of the attention and of the LSTM.
  virtual void initialiseOwn(Initialiser&, bool) {}

  void publishNorms(const torch::Tensor& fromSource_BTD, const torch::Tensor& fromHistory_BTD,
                    Recorder* recorder) const;
  RecordingInfo info(const char* name, const char* kind, std::vector<std::string> axes) const;
  RecordingInfo normsInfo() const;
  RecordingInfo sourceContextInfo() const;
  RecordingInfo historyContextInfo() const;

  std::int64_t width_;
  Projections attention_;

 private:
  torch::Tensor combined(const Contexts& parts, Recorder* recorder) const;
  torch::Tensor lstmInput(const torch::Tensor& s, const torch::Tensor& context) const;
  torch::Tensor finish(const torch::Tensor& s_BTD, const torch::Tensor& states_BTD) const;

  std::int64_t layer_;
  bool residual_;
  Lstm lstm_;
  LayerNorm norm_{nullptr};
  DropoutSite dropout_;
};

// The source alone: c^ = c.
class SourceLayer : public DecoderLayer {
 public:
  SourceLayer(const DheaConfig& config, std::int64_t layer,
              const std::shared_ptr<DropoutState>& dropout)
      : DecoderLayer(config, layer, dropout, "source_attn") {}
  std::vector<RecordingInfo> recordable() const override;

 protected:
  Contexts contexts(const torch::Tensor& s_BTD, const Source& source,
                    Recorder* recorder) const override;
  Contexts contextsOnce(const torch::Tensor& s_RD, const StepContext& context,
                        Recorder* recorder) const override;
  RecordingInfo sourceMapInfo() const;
};

// The source and, by an attention of its own, the decoding history. Sum combination.
class HistoryLayer : public SourceLayer {
 public:
  HistoryLayer(const DheaConfig& config, std::int64_t layer,
               const std::shared_ptr<DropoutState>& dropout);
  std::vector<RecordingInfo> recordable() const override;

 protected:
  Contexts contexts(const torch::Tensor& s_BTD, const Source& source,
                    Recorder* recorder) const override;
  Contexts contextsOnce(const torch::Tensor& s_RD, const StepContext& context,
                        Recorder* recorder) const override;
  void initialiseOwn(Initialiser& random, bool stable) override;
  RecordingInfo historyMapInfo() const;

 private:
  const Projections& historyProjections() const { return history_ ? history_ : attention_; }

  Projections history_{nullptr};  // null: those of the source
};

// Gate combination.
class GateLayer : public HistoryLayer {
 public:
  GateLayer(const DheaConfig& config, std::int64_t layer,
            const std::shared_ptr<DropoutState>& dropout);
  std::vector<RecordingInfo> recordable() const override;

 protected:
  torch::Tensor combine(const torch::Tensor& c_BTD, const torch::Tensor& z_BTD,
                        Recorder* recorder) const override;
  void initialiseOwn(Initialiser& random, bool stable) override;

 private:
  RecordingInfo gateInfo() const { return info("gate", "gate", {"target", "feature"}); }

  Linear gate_;
};

// Hybrid combination: one attention over both memories, whose parts are added.
class HybridLayer : public DecoderLayer {
 public:
  HybridLayer(const DheaConfig& config, std::int64_t layer,
              const std::shared_ptr<DropoutState>& dropout)
      : DecoderLayer(config, layer, dropout, "hybrid_attn") {}
  std::vector<RecordingInfo> recordable() const override;

 protected:
  Contexts contexts(const torch::Tensor& s_BTD, const Source& source,
                    Recorder* recorder) const override;
  Contexts contextsOnce(const torch::Tensor& s_RD, const StepContext& context,
                        Recorder* recorder) const override;

 private:
  struct Joint {
    torch::Tensor queries_BTD, sourceKeysValues_BS2D, historyKeysValues_BT2D;
    torch::Tensor masked_BTM;  // [B or 1, T, S + T], true where a key is masked; may be undefined
  };
  Contexts attend(const Joint& joint, Recorder* recorder) const;
  RecordingInfo mapInfo() const;
};

}  // namespace strata::dhea
