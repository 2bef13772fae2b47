#include "models/dhea/decoder_layers.h"

#include <fmt/format.h>

#include <cmath>

namespace strata::dhea {

using torch::Tensor;

ProjectionsImpl::ProjectionsImpl(std::int64_t width)
    : q(register_module("q_proj", Linear(width, width, false))),
      k(register_module("k_proj", Linear(width, width, false))),
      v(register_module("v_proj", Linear(width, width, false))) {}

void ProjectionsImpl::initialise(Initialiser& random, bool stable) {
  for (const Linear& linear : {q, k, v}) initialiseMatrix(random, linear->weight, stable);
}

std::shared_ptr<DecoderLayer> DecoderLayer::make(const DheaConfig& config, std::int64_t layer,
                                                 const std::shared_ptr<DropoutState>& dropout) {
  std::shared_ptr<DecoderLayer> made;
  switch (config.history) {
    case History::kNone:
      made = std::make_shared<SourceLayer>(config, layer, dropout);
      break;
    case History::kSum:
      made = std::make_shared<HistoryLayer>(config, layer, dropout);
      break;
    case History::kGate:
      made = std::make_shared<GateLayer>(config, layer, dropout);
      break;
    case History::kHybrid:
      made = std::make_shared<HybridLayer>(config, layer, dropout);
      break;
  }
  // After a subclass's own parameters: their order in the model's buffer must not change.
  if (config.layerNorm) made->norm_ = made->register_module("norm", LayerNorm(2 * config.hidden));
  return made;
}

DecoderLayer::DecoderLayer(const DheaConfig& config, std::int64_t layer,
                           const std::shared_ptr<DropoutState>& dropout, const char* attention)
    : width_(config.hidden),
      attention_(register_module(attention, Projections(width_))),
      layer_(layer),
      residual_(addsInput(config, layer)),
      lstm_(register_module("lstm", Lstm(2 * width_, width_))),
      dropout_(dropout, DropoutSite::Kind::kFeatures) {}

Tensor DecoderLayer::keysValues(const Tensor& memory_BSD) const {
  return packedLinear(memory_BSD, {attention_->k, attention_->v});
}

// Eq. 3: s^l_t = LSTM(s^l_{t-1}, s^{l-1}_t, c^_t). The paper does not say how the LSTM reads two
// inputs; they are concatenated, s first.
Tensor DecoderLayer::forward(const Tensor& s_BTD, const Source& source, const Tensor& lengths_B,
                             Recorder* recorder) const {
  const Tensor context_BTD = combined(contexts(s_BTD, source, recorder), recorder);
  const Tensor states_TBD = lstmLayer(lstmInput(s_BTD.transpose(0, 1), context_BTD.transpose(0, 1)),
                                      lstm_->weights(), {.lengths_B = lengths_B});
  return finish(s_BTD, states_TBD.transpose(0, 1));
}

Tensor DecoderLayer::step(const Tensor& s_R1D, const StepContext& context,
                          Recorder* recorder) const {
  const Tensor s_RD = s_R1D.squeeze(1);
  const Tensor context_R1D = combined(contextsOnce(s_RD, context, recorder), recorder);
  // Eq. 3 for the newest position.
  const LstmWeights weights = lstm_->weights();
  const Tensor sums_RG =
      plusProduct(affine(lstmInput(s_RD, context_R1D.squeeze(1)), weights.input_GX, weights.bias_G),
                  context.cell.hidden_RH, weights.recurrent_GH);
  context.cell = recurOnce(sums_RG, {}, context.cell.cell_RH, {});
  return finish(s_R1D, context.cell.hidden_RH.unsqueeze(1));
}

Tensor DecoderLayer::combined(const Contexts& parts, Recorder* recorder) const {
  const Tensor c = published(recorder, [&] { return sourceContextInfo(); }).pass(parts.c);
  if (!parts.z.defined()) return c;
  const Tensor z = published(recorder, [&] { return historyContextInfo(); }).pass(parts.z);
  return combine(c, z, recorder);
}

// Eq. 11: c^ = z + c. In Eq. 13 they are the two parts of one sum.
Tensor DecoderLayer::combine(const Tensor& c_BTD, const Tensor& z_BTD, Recorder* recorder) const {
  publishNorms(c_BTD, z_BTD, recorder);
  return c_BTD + z_BTD;
}

Tensor DecoderLayer::lstmInput(const Tensor& s, const Tensor& context) const {
  return normalised(torch::cat({s, context}, -1), norm_);
}

// Dropout on each layer (section 4.2).
Tensor DecoderLayer::finish(const Tensor& s_BTD, const Tensor& states_BTD) const {
  const Tensor kept_BTD = applyDropout(states_BTD, dropout_.draw());
  return residual_ ? s_BTD + kept_BTD : kept_BTD.contiguous();
}

void DecoderLayer::initialise(Initialiser& random, bool stable) {
  attention_->initialise(random, stable);
  initialiseOwn(random, stable);
  lstm_->initialise(random, stable);
}

void DecoderLayer::publishNorms(const Tensor& fromSource_BTD, const Tensor& fromHistory_BTD,
                                Recorder* recorder) const {
  const Published norms = published(recorder, [&] { return normsInfo(); });
  if (norms.wanted())
    norms.pass(torch::stack({fromSource_BTD.norm(2, -1), fromHistory_BTD.norm(2, -1)}, -1));
}

RecordingInfo DecoderLayer::info(const char* name, const char* kind,
                                 std::vector<std::string> axes) const {
  return {fmt::format("decoder.layers.{}.{}", layer_, name), kind, "decoder",
          static_cast<int>(layer_), std::move(axes)};
}
RecordingInfo DecoderLayer::normsInfo() const {
  return info("context_norms", "context_norms", {"target", "part"});
}
RecordingInfo DecoderLayer::sourceContextInfo() const {
  return info("source_context", "block", {"target", "feature"});
}
RecordingInfo DecoderLayer::historyContextInfo() const {
  return info("history_context", "block", {"target", "feature"});
}

// Eqs. 5-7: c_i = sum_j softmax_j( (s^{l-1}_i W_Q) (M_j W_K)^T / sqrt(d) ) M_j W_V. Departs from
// the paper: Eq. 5 writes Read(s_i, M^s), but the query is of the level below, because Eq. 7 and
// the text after it say so.
DecoderLayer::Contexts SourceLayer::contexts(const Tensor& s_BTD, const Source& source,
                                             Recorder* recorder) const {
  return {crossAttention(packedLinear(s_BTD, {attention_->q}), source.keysValues_BS2D,
                         {{}, source.batch},
                         {.map = published(recorder, [&] { return sourceMapInfo(); })})};
}

// Eqs. 5-7 for the newest position.
DecoderLayer::Contexts SourceLayer::contextsOnce(const Tensor& s_RD, const StepContext& context,
                                                 Recorder* recorder) const {
  return {attendSource(packedLinear(s_RD, {attention_->q}), context.source.keysValues_BS2D,
                       context.source.batch, context.backpointers,
                       {.map = published(recorder, [&] { return sourceMapInfo(); })})
              .unsqueeze(1)};
}

RecordingInfo SourceLayer::sourceMapInfo() const {
  return info("source_attn", "attention", {"target", "source"});
}

std::vector<RecordingInfo> SourceLayer::recordable() const {
  return {sourceMapInfo(), sourceContextInfo()};
}

HistoryLayer::HistoryLayer(const DheaConfig& config, std::int64_t layer,
                           const std::shared_ptr<DropoutState>& dropout)
    : SourceLayer(config, layer, dropout) {
  if (!config.shareQkv) history_ = register_module("buffer_attn", Projections(width_));
}

// Eqs. 9, 6 and 10: z_i = sum_{j<=i} softmax_{j<=i}( (s^{l-1}_i W_Q) (s^{l-1}_j W_K)^T / sqrt(d) )
// s^{l-1}_j W_V, position i included. The paper writes the same W_Q, W_K, W_V as for the source;
// `share_qkv` says whether they are the same matrices.
DecoderLayer::Contexts HistoryLayer::contexts(const Tensor& s_BTD, const Source& source,
                                              Recorder* recorder) const {
  const Tensor c_BTD = SourceLayer::contexts(s_BTD, source, recorder).c;
  const Projections& own = historyProjections();
  const Tensor z_BTD =
      selfAttention(packedLinear(s_BTD, {own->q, own->k, own->v}), {},
                    {.causal = true, .map = published(recorder, [&] { return historyMapInfo(); })});
  return {c_BTD, z_BTD};
}

// Eqs. 9, 6 and 10 for the newest position i: the cache holds W_K s^{l-1}_j and W_V s^{l-1}_j.
DecoderLayer::Contexts HistoryLayer::contextsOnce(const Tensor& s_RD, const StepContext& context,
                                                  Recorder* recorder) const {
  const Tensor c_R1D = SourceLayer::contextsOnce(s_RD, context, recorder).c;
  const Projections& own = historyProjections();
  const Tensor z_RD =
      context.history.attend(packedLinear(s_RD, {own->q, own->k, own->v}), context.backpointers,
                             {.map = published(recorder, [&] { return historyMapInfo(); })});
  return {c_R1D, z_RD.unsqueeze(1)};
}

void HistoryLayer::initialiseOwn(Initialiser& random, bool stable) {
  if (history_) history_->initialise(random, stable);
}

RecordingInfo HistoryLayer::historyMapInfo() const {
  return info("buffer_attn", "history_attention", {"target", "history"});
}

std::vector<RecordingInfo> HistoryLayer::recordable() const {
  return {sourceMapInfo(), historyMapInfo(), normsInfo(), sourceContextInfo(),
          historyContextInfo()};
}

GateLayer::GateLayer(const DheaConfig& config, std::int64_t layer,
                     const std::shared_ptr<DropoutState>& dropout)
    : HistoryLayer(config, layer, dropout),
      gate_(register_module("gate", Linear(2 * width_, width_))) {}

// Eq. 12: c^ = g(c, z) c + (1 - g(c, z)) z, with g(c, z) = sigma(W_g [c; z] + b_g)
Tensor GateLayer::combine(const Tensor& c_BTD, const Tensor& z_BTD, Recorder* recorder) const {
  const Tensor g_BTD = published(recorder, [&] {
                         return gateInfo();
                       }).pass(torch::sigmoid(gate_->forward(torch::cat({c_BTD, z_BTD}, -1))));
  if (recorder != nullptr && recorder->wants(normsInfo().name))
    publishNorms(g_BTD * c_BTD, (1 - g_BTD) * z_BTD, recorder);
  return torch::lerp(z_BTD, c_BTD, g_BTD);
}

void GateLayer::initialiseOwn(Initialiser& random, bool stable) {
  HistoryLayer::initialiseOwn(random, stable);
  initialiseMatrix(random, gate_->weight, stable);
  initialiseBias(random, gate_->bias, stable);
}

std::vector<RecordingInfo> GateLayer::recordable() const {
  return {sourceMapInfo(), historyMapInfo(),    gateInfo(),
          normsInfo(),     sourceContextInfo(), historyContextInfo()};
}

// Eq. 13: c^ = Read(s, M^{S+B}), Eqs. 5-7 over the keys [M^s; s^{l-1}_1 .. s^{l-1}_i], with one
// W_Q, W_K, W_V.
DecoderLayer::Contexts HybridLayer::contexts(const Tensor& s_BTD, const Source& source,
                                             Recorder* recorder) const {
  const Tensor packed_BT3D = packedLinear(s_BTD, {attention_->q, attention_->k, attention_->v});
  const std::int64_t length = s_BTD.size(1);
  Tensor masked_BTM = torch::ones({1, length, length}, s_BTD.options().dtype(torch::kBool))
                          .triu(1);  // history i reads s_1..s_i
  const Tensor padding_BTS =
      source.batch.padding_BS.defined()
          ? source.batch.padding_BS.unsqueeze(1).expand({-1, length, -1})
          : torch::zeros({s_BTD.size(0), length, source.keysValues_BS2D.size(1)},
                         masked_BTM.options());
  masked_BTM = torch::cat({padding_BTS, masked_BTM.expand({s_BTD.size(0), -1, -1})}, 2);
  return attend({packed_BT3D.narrow(2, 0, width_), source.keysValues_BS2D,
                 packed_BT3D.narrow(2, width_, 2 * width_), masked_BTM},
                recorder);
}

// Eq. 13 for the newest position.
DecoderLayer::Contexts HybridLayer::contextsOnce(const Tensor& s_RD, const StepContext& context,
                                                 Recorder* recorder) const {
  const Tensor packed_R3D = packedLinear(s_RD, {attention_->q, attention_->k, attention_->v});
  context.history.add(packed_R3D);
  const SourceRows source = sourceRows(context.source.keysValues_BS2D,
                                       context.source.batch.padding_BS, context.backpointers);
  // Masked keys: the source's padding, and steps before a row's first word.
  const Tensor& notYet_RT = context.backpointers.notYet(s_RD.device());
  Tensor masked_R1M;
  if (notYet_RT.defined()) {
    const Tensor padding_RS =
        source.padding_RS.defined()
            ? source.padding_RS
            : torch::zeros(source.keysValues_RS2D.sizes().slice(0, 2), notYet_RT.options());
    masked_R1M = torch::cat({padding_RS, notYet_RT}, 1).unsqueeze(1);
  } else if (source.padding_RS.defined()) {
    masked_R1M = torch::constant_pad_nd(source.padding_RS.unsqueeze(1),
                                        {0, context.backpointers.steps()}, 0);
  }
  return attend({packed_R3D.narrow(1, 0, width_).unsqueeze(1), source.keysValues_RS2D,
                 context.history.gathered(context.backpointers), masked_R1M},
                recorder);
}

DecoderLayer::Contexts HybridLayer::attend(const Joint& joint, Recorder* recorder) const {
  const std::int64_t positions = joint.sourceKeysValues_BS2D.size(1),
                     history = joint.historyKeysValues_BT2D.size(1);
  const auto keys = [&](const Tensor& kv) { return kv.narrow(2, 0, width_); };
  const auto values = [&](const Tensor& kv) { return kv.narrow(2, width_, width_); };
  // Eq. 7 for the keys of the source, Eq. 10 for those of the history.
  const Tensor queries = joint.queries_BTD * (1 / std::sqrt(static_cast<double>(width_)));
  Tensor scores_BTM =
      torch::cat({product(queries, keys(joint.sourceKeysValues_BS2D).transpose(1, 2)),
                  product(queries, keys(joint.historyKeysValues_BT2D).transpose(1, 2))},
                 2);
  if (joint.masked_BTM.defined())
    scores_BTM = scores_BTM.masked_fill(joint.masked_BTM, -std::numeric_limits<double>::infinity());
  // Eq. 6 over both memories together.
  const Tensor weights_BTM =
      published(recorder, [&] { return mapInfo(); }).pass(torch::softmax(scores_BTM, 2));
  // The parts of the sum of Eq. 5 that come from the source and from the history.
  return {product(weights_BTM.narrow(2, 0, positions), values(joint.sourceKeysValues_BS2D)),
          product(weights_BTM.narrow(2, positions, history), values(joint.historyKeysValues_BT2D))};
}

RecordingInfo HybridLayer::mapInfo() const {
  return info("hybrid_attn", "joint_attention", {"target", "memory"});
}

std::vector<RecordingInfo> HybridLayer::recordable() const {
  return {mapInfo(), normsInfo(), sourceContextInfo(), historyContextInfo()};
}

}  // namespace strata::dhea
