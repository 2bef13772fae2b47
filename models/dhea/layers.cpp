#include "models/dhea/layers.h"

#include <fmt/format.h>

#include <cmath>

namespace strata::dhea {
namespace {

using torch::Tensor;
using Kind = DropoutSite::Kind;

void initialiseMatrix(Initialiser& random, const Tensor& weight, bool stable) {
  stable ? random.xavier(weight, 1) : random.normal(weight, kDeviation);
}

void initialiseBias(Initialiser& random, const Tensor& bias, bool stable) {
  if (!stable) return random.normal(bias, kDeviation);
  const torch::NoGradGuard frozen;
  bias.detach().zero_();
}

Tensor normalised(const Tensor& x, const LayerNorm& norm) {
  if (!norm) return x;
  return torch::layer_norm(x, norm->weight.sizes(), norm->weight, norm->bias, kNormEpsilon);
}

// Every layer yields a level; from layer 2 on the level below is added to it (models.md 3.3).
bool addsInput(const DheaConfig& config, std::int64_t layer) {
  return config.residual && layer > 0;
}

}  // namespace

LstmImpl::LstmImpl(std::int64_t in, std::int64_t width)
    : weightInput_(newParameter(*this, "weight_ih", {4 * width, in})),
      weightHidden_(newParameter(*this, "weight_hh", {4 * width, width})),
      bias_(newParameter(*this, "bias", {4 * width})) {}

void LstmImpl::initialise(Initialiser& random, bool stable) {
  initialiseMatrix(random, weightInput_, stable);
  initialiseMatrix(random, weightHidden_, stable);
  initialiseBias(random, bias_, stable);
  if (!stable) return;
  const torch::NoGradGuard frozen;
  const std::int64_t width = weightHidden_.size(1);
  bias_.narrow(0, width, width).fill_(1);  // the forget gate starts open
}

ProjectionsImpl::ProjectionsImpl(std::int64_t width)
    : q(register_module("q_proj", Linear(width, width, false))),
      k(register_module("k_proj", Linear(width, width, false))),
      v(register_module("v_proj", Linear(width, width, false))) {}

void ProjectionsImpl::initialise(Initialiser& random, bool stable) {
  for (const Linear& linear : {q, k, v}) initialiseMatrix(random, linear->weight, stable);
}

EncoderLayerImpl::EncoderLayerImpl(const DheaConfig& config, std::int64_t layer,
                                   const std::shared_ptr<DropoutState>& dropout)
    : residual_(addsInput(config, layer)),
      reverse_((layer % 2 == 1) == (config.firstDirection == Direction::kForward)),
      lstm_(register_module("lstm", Lstm(config.hidden, config.hidden))),
      dropout_(dropout, Kind::kFeatures) {
  if (config.layerNorm) norm_ = register_module("norm", LayerNorm(config.hidden));
}

// H^l = Dropout(LSTM_l(H^{l-1})), Eq. 2. Departs from the paper: its equation makes the first layer
// run backward, its prose forward; `first_direction` says which.
Tensor EncoderLayerImpl::forward(const Tensor& h_TBD, const Tensor& lengths_B) const {
  const Tensor states_TBD =
      lstmLayer(normalised(h_TBD, norm_), lstm_->weights(), {lengths_B, reverse_});
  const Tensor kept_TBD = applyDropout(states_TBD, dropout_.draw());
  return residual_ ? h_TBD + kept_TBD : kept_TBD;
}

void EncoderLayerImpl::initialise(Initialiser& random, bool stable) {
  lstm_->initialise(random, stable);
}

DecoderLayerImpl::DecoderLayerImpl(const DheaConfig& config, std::int64_t layer,
                                   const std::shared_ptr<DropoutState>& dropout)
    : width_(config.hidden),
      layer_(layer),
      kind_(config.history),
      residual_(addsInput(config, layer)),
      source_(register_module(kind_ == History::kHybrid ? "hybrid_attn" : "source_attn",
                              Projections(width_))),
      lstm_(register_module("lstm", Lstm(2 * width_, width_))),
      dropout_(dropout, Kind::kFeatures) {
  const bool two = kind_ == History::kSum || kind_ == History::kGate;
  if (two && !config.shareQkv) history_ = register_module("buffer_attn", Projections(width_));
  if (kind_ == History::kGate) gate_ = register_module("gate", Linear(2 * width_, width_));
  if (config.layerNorm) norm_ = register_module("norm", LayerNorm(2 * width_));
}

Tensor DecoderLayerImpl::keysValues(const Tensor& memory_BSD) const {
  return packedLinear(memory_BSD, {source_->k, source_->v});
}

Tensor DecoderLayerImpl::forward(const Tensor& s_BTD, const Tensor& keysValues_BS2D,
                                 const SourceBatch& source, Recorder* recorder) const {
  Tensor joined_BTD;
  if (kind_ == History::kHybrid) {
    const Tensor packed_BT3D = packedLinear(s_BTD, {source_->q, source_->k, source_->v});
    const std::int64_t length = s_BTD.size(1);
    Tensor masked_BTM = torch::ones({1, length, length}, s_BTD.options().dtype(torch::kBool))
                            .triu(1);  // history i reads s_1..s_i
    const Tensor padding_BTS =
        source.padding_BS.defined()
            ? source.padding_BS.unsqueeze(1).expand({-1, length, -1})
            : torch::zeros({s_BTD.size(0), length, keysValues_BS2D.size(1)}, masked_BTM.options());
    masked_BTM = torch::cat({padding_BTS, masked_BTM.expand({s_BTD.size(0), -1, -1})}, 2);
    joined_BTD = attendJointly({packed_BT3D.narrow(2, 0, width_), keysValues_BS2D,
                                packed_BT3D.narrow(2, width_, 2 * width_), masked_BTM},
                               recorder);
  } else {
    // Eq. 7: the query is the level below
    const Tensor c_BTD = crossAttention(packedLinear(s_BTD, {source_->q}), keysValues_BS2D, source,
                                        {.map = published(recorder, &DecoderLayerImpl::sourceMap)});
    Tensor z_BTD;
    if (kind_ != History::kNone) {
      // Eq. 9, 10: over s_1 .. s_i, position i included
      const Projections& own = historyProjections();
      z_BTD = selfAttention(
          packedLinear(s_BTD, {own->q, own->k, own->v}), {},
          {.causal = true, .map = published(recorder, &DecoderLayerImpl::historyMap)});
    }
    joined_BTD = combine(c_BTD, z_BTD, recorder);
  }
  const Tensor states_TBD =
      lstmLayer(lstmInput(s_BTD.transpose(0, 1), joined_BTD.transpose(0, 1)), lstm_->weights(), {});
  return finish(s_BTD, states_TBD.transpose(0, 1));
}

Tensor DecoderLayerImpl::step(const Tensor& s_R1D, const StepContext& context,
                              Recorder* recorder) const {
  const Tensor s_RD = s_R1D.squeeze(1);
  LayerState& state = context.state;
  Tensor joined_R1D;
  if (kind_ == History::kHybrid) {
    const Tensor packed_R3D = packedLinear(s_RD, {source_->q, source_->k, source_->v});
    state.history.add(packed_R3D);
    const SourceRows source =
        sourceRows(context.keysValues_BS2D, context.source, context.backpointers);
    Tensor masked_R1M;
    if (source.padding_RS.defined()) {
      masked_R1M = torch::constant_pad_nd(source.padding_RS.unsqueeze(1),
                                          {0, context.backpointers.steps()}, 0);
    }
    joined_R1D =
        attendJointly({packed_R3D.narrow(1, 0, width_).unsqueeze(1), source.keysValues_RS2D,
                       state.history.gathered(context.backpointers), masked_R1M},
                      recorder);
  } else {
    const Tensor c_RD = attendSource(packedLinear(s_RD, {source_->q}), context.keysValues_BS2D,
                                     context.source, context.backpointers,
                                     {.map = published(recorder, &DecoderLayerImpl::sourceMap)});
    Tensor z_R1D;
    if (kind_ != History::kNone) {
      const Projections& own = historyProjections();
      z_R1D =
          state.history
              .attend(packedLinear(s_RD, {own->q, own->k, own->v}), context.backpointers,
                      context.table, {.map = published(recorder, &DecoderLayerImpl::historyMap)})
              .unsqueeze(1);
    }
    joined_R1D = combine(c_RD.unsqueeze(1), z_R1D, recorder);
  }
  const LstmWeights weights = lstm_->weights();
  const Tensor sums_RG =
      plusProduct(affine(lstmInput(s_RD, joined_R1D.squeeze(1)), weights.input_GX, weights.bias_G),
                  state.lstm.hidden_RH, weights.recurrent_GH);
  state.lstm = recurOnce(sums_RG, {}, state.lstm.cell_RH, {});
  return finish(s_R1D, state.lstm.hidden_RH.unsqueeze(1));
}

// none: c^ = c    sum: c^ = c + z    gate: g = sigma(W_g [c; z] + b_g), c^ = g c + (1 - g) z (Eq.
// 11)
Tensor DecoderLayerImpl::combine(Tensor c_BTD, Tensor z_BTD, Recorder* recorder) const {
  c_BTD = published(recorder, &DecoderLayerImpl::sourceContext).pass(c_BTD);
  if (kind_ == History::kNone) return c_BTD;
  z_BTD = published(recorder, &DecoderLayerImpl::historyContext).pass(z_BTD);
  const Published norms = published(recorder, &DecoderLayerImpl::normsInfo);
  const auto publishNorms = [&](const Tensor& fromSource, const Tensor& fromHistory) {
    if (norms.wanted())
      norms.pass(torch::stack({fromSource.norm(2, -1), fromHistory.norm(2, -1)}, -1));
  };
  if (kind_ == History::kSum) {
    publishNorms(c_BTD, z_BTD);
    return c_BTD + z_BTD;
  }
  const Tensor g_BTD = published(recorder, &DecoderLayerImpl::gateInfo)
                           .pass(torch::sigmoid(gate_->forward(torch::cat({c_BTD, z_BTD}, -1))));
  if (norms.wanted()) publishNorms(g_BTD * c_BTD, (1 - g_BTD) * z_BTD);
  return torch::lerp(z_BTD, c_BTD, g_BTD);
}

// hybrid: one softmax over the keys [M; s_1 .. s_i] with one (W_Q, W_K, W_V)
Tensor DecoderLayerImpl::attendJointly(const Joint& joint, Recorder* recorder) const {
  const std::int64_t positions = joint.sourceKeysValues_BS2D.size(1),
                     history = joint.historyKeysValues_BT2D.size(1);
  const auto keys = [&](const Tensor& kv) { return kv.narrow(2, 0, width_); };
  const auto values = [&](const Tensor& kv) { return kv.narrow(2, width_, width_); };
  const Tensor queries = joint.queries_BTD * (1 / std::sqrt(static_cast<double>(width_)));
  Tensor scores_BTM =
      torch::cat({product(queries, keys(joint.sourceKeysValues_BS2D).transpose(1, 2)),
                  product(queries, keys(joint.historyKeysValues_BT2D).transpose(1, 2))},
                 2);
  if (joint.masked_BTM.defined())
    scores_BTM = scores_BTM.masked_fill(joint.masked_BTM, -std::numeric_limits<double>::infinity());
  const Tensor weights_BTM =
      published(recorder, &DecoderLayerImpl::jointMap).pass(torch::softmax(scores_BTM, 2));
  Tensor c_BTD = product(weights_BTM.narrow(2, 0, positions), values(joint.sourceKeysValues_BS2D)),
         z_BTD = product(weights_BTM.narrow(2, positions, history),
                         values(joint.historyKeysValues_BT2D));
  c_BTD = published(recorder, &DecoderLayerImpl::sourceContext).pass(c_BTD);
  z_BTD = published(recorder, &DecoderLayerImpl::historyContext).pass(z_BTD);
  const Published norms = published(recorder, &DecoderLayerImpl::normsInfo);
  if (norms.wanted()) norms.pass(torch::stack({c_BTD.norm(2, -1), z_BTD.norm(2, -1)}, -1));
  return c_BTD + z_BTD;
}

// The LSTM's input: [s^{l-1}; c^], normalised in the stable preset.
Tensor DecoderLayerImpl::lstmInput(const Tensor& s, const Tensor& joined) const {
  return normalised(torch::cat({s, joined}, -1), norm_);
}

// s^l = Dropout(LSTM_l(..)), with s^{l-1} added in the stable preset.
Tensor DecoderLayerImpl::finish(const Tensor& s_BTD, const Tensor& states_BTD) const {
  const Tensor kept_BTD = applyDropout(states_BTD, dropout_.draw());
  return residual_ ? s_BTD + kept_BTD : kept_BTD.contiguous();
}

void DecoderLayerImpl::initialise(Initialiser& random, bool stable) {
  source_->initialise(random, stable);
  if (history_) history_->initialise(random, stable);
  if (gate_) {
    initialiseMatrix(random, gate_->weight, stable);
    initialiseBias(random, gate_->bias, stable);
  }
  lstm_->initialise(random, stable);
}

RecordingInfo DecoderLayerImpl::info(const char* name, const char* kind,
                                     std::vector<std::string> axes) const {
  return {fmt::format("decoder.layers.{}.{}", layer_, name), kind, "decoder",
          static_cast<int>(layer_), std::move(axes)};
}
Published DecoderLayerImpl::published(Recorder* recorder,
                                      RecordingInfo (DecoderLayerImpl::*of)() const) const {
  if (recorder == nullptr) return {};
  return {recorder, (this->*of)()};
}
RecordingInfo DecoderLayerImpl::sourceMap() const {
  return info("source_attn", "attention", {"target", "source"});
}
RecordingInfo DecoderLayerImpl::historyMap() const {
  return info("buffer_attn", "history_attention", {"target", "history"});
}
RecordingInfo DecoderLayerImpl::jointMap() const {
  return info("hybrid_attn", "joint_attention", {"target", "memory"});
}
RecordingInfo DecoderLayerImpl::gateInfo() const {
  return info("gate", "gate", {"target", "feature"});
}
RecordingInfo DecoderLayerImpl::normsInfo() const {
  return info("context_norms", "context_norms", {"target", "part"});
}
RecordingInfo DecoderLayerImpl::sourceContext() const {
  return info("source_context", "block", {"target", "feature"});
}
RecordingInfo DecoderLayerImpl::historyContext() const {
  return info("history_context", "block", {"target", "feature"});
}

std::vector<RecordingInfo> DecoderLayerImpl::recordable() const {
  switch (kind_) {
    case History::kNone:
      return {sourceMap(), sourceContext()};
    case History::kHybrid:
      return {jointMap(), normsInfo(), sourceContext(), historyContext()};
    case History::kSum:
      return {sourceMap(), historyMap(), normsInfo(), sourceContext(), historyContext()};
    case History::kGate:
      break;
  }
  return {sourceMap(), historyMap(), gateInfo(), normsInfo(), sourceContext(), historyContext()};
}

}  // namespace strata::dhea
