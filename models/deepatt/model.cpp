#include "models/deepatt/model.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/nn/decoder_cache.h"
#include "core/nn/fused.h"
#include "core/nn/levels.h"
#include "core/nn/word_rows.h"
#include "models/deepatt/readers.h"

namespace strata::deepatt {
namespace {

using torch::Tensor;
using Kind = DropoutSite::Kind;

const RecordingInfo kAttentionInfo{
    "decoder.attention", "attention", "decoder", 0, {"target", "source"}};

RecordingInfo fastForwardInfo(std::size_t layer) {
  return {fmt::format("decoder.layers.{}.fast_forward", layer),
          "block",
          "decoder",
          static_cast<int>(layer),
          {"target", "feature"}};
}

}  // namespace

struct DeepAttModel::DeepAttMemory : Memory {
  Tensor encoded_BSC;  // e~, or c with S = 1
};

// State of incremental decoding: the state of every layer, and of the source U e~ (Deep-Att) and
// its part of f.
class DeepAttModel::State : public RowState {
 public:
  explicit State(const DeepAttMemory& memory)
      : RowState(memory.encoded_BSC.size(0), EarlierWords::kNotRead), memory(memory) {}

  const DeepAttMemory& memory;
  std::vector<CellState> layers;
  std::vector<Tensor> initial_BH;  // h of every layer before the first word; undefined: zeros
  Tensor keys_BSA, values_BSG;

 protected:
  std::vector<RowTensor> rowTensors() override { return rowTensorsOf(layers, initial_BH); }
};

DeepAttModel::DeepAttModel(const DeepAttConfig& config)
    : model_(config),
      encoder_(register_module("encoder", Encoder(config, dropout_))),
      decoder_(newPrefix(*this, "decoder")),
      targetTable_(*decoder_, {config.targetVocabulary, config.embedDim},
                   config.sharing.all ? encoder_->table().weight : Tensor{}) {
  config_ = configJson(config);
  const std::int64_t h = config.hidden, context = config.contextWidth(),
                     a = config.attentionWidth();
  if (attends()) {
    const auto attention = newPrefix(*decoder_, "attention");
    keys_ = attention->register_module("key_proj", Linear(context, a, false));
    queries_ = attention->register_module("query_proj", Linear(h, a));
    energy_ = attention->register_module("energy", Linear(a, 1, false));
  }
  layers_ = newStack(*decoder_, "layers", config.decoderLayers, [&](std::int64_t k) {
    return Layer(config, k == 0 ? context + config.embedDim : h, k == 0);
  });
  for (Layer& layer : layers_) {
    sites_.emplace_back(dropout_, Kind::kFeatures);
    if (config.decoderInit == DecoderInit::kTanh)
      initial_.push_back(layer->register_module("init_proj", Linear(context, h)));
  }
  output_.emplace(*decoder_, config.sharing.tiesOutput() ? targetTable_.weight : Tensor{},
                  OutputLayer::Shape{config.targetVocabulary, h, true});
}

void DeepAttModel::initialise(const std::string& scheme, std::uint64_t seed) {
  if (scheme != "default" && scheme != "xavier")
    throw usageError("unknown training.init '{}' for family deepatt; expected default or xavier",
                     scheme);
  const bool xavier = scheme == "xavier";
  const torch::NoGradGuard frozen;
  Initialiser random(seed);
  encoder_->initialise(random, xavier);
  targetTable_.initialise(random, kDeviation);
  for (Layer& layer : layers_) layer->initialise(random, xavier);
  if (output_->ownsMatrix()) initialiseMatrix(random, output_->weight, xavier);
  output_->bias.zero_();
  std::vector<Linear> others;
  if (attends()) others.insert(others.end(), {keys_, queries_, energy_});
  others.insert(others.end(), initial_.begin(), initial_.end());
  for (Linear& linear : others) {
    initialiseMatrix(random, linear->weight, xavier);
    if (linear->bias.defined()) linear->bias.zero_();
  }
}

RecordingInfo DeepAttModel::memoryInfo() const {
  return {"encoder.memory", "states", "encoder", -1, {attends() ? "source" : "part", "feature"}};
}

std::unique_ptr<Memory> DeepAttModel::encode(const SourceBatch& source, Recorder* recorder) {
  auto memory = std::make_unique<DeepAttMemory>();
  memory->source = source;
  memory->encoded_BSC = encoder_->forward(source, recorder);
  if (recorder != nullptr)
    memory->encoded_BSC = recorder->publish(memoryInfo(), memory->encoded_BSC);
  return memory;
}

Tensor DeepAttModel::contextWeight() const {
  return layers_.front()->inputWeight().narrow(1, 0, model_.contextWidth());
}
Tensor DeepAttModel::wordWeight() const {
  return layers_.front()->inputWeight().narrow(1, model_.contextWidth(), model_.embedDim);
}

AttentionalWeights DeepAttModel::attentionWeights() const {
  const Recurrent& recurrent = layers_.front()->recurrent();
  return {.input_GX = layers_.front()->inputWeight(),
          .recurrent_GH = recurrent->weight,
          .bias_G = recurrent->bias,
          .peephole_3H = recurrent->peephole,
          .query_AH = queries_->weight,
          .queryBias_A = queries_->bias,
          .energy_A = energy_->weight.squeeze(0)};
}

// The mean of e~ over true positions, or c.
Tensor DeepAttModel::meanOf(const Tensor& encoded_BSC, const SourceBatch& source) const {
  if (!attends() || !source.padding_BS.defined()) return encoded_BSC.mean(1);
  const Tensor lengths_B1 =
      source.lengths_B.to(encoded_BSC.device(), encoded_BSC.scalar_type()).unsqueeze(1);
  return encoded_BSC.masked_fill(source.padding_BS.unsqueeze(2), 0).sum(1) / lengths_B1;
}

// h^k_0; undefined where states start at zero. Departs from the paper: `decoder_init` may start
// them at tanh(W_init^k m + b_init^k), as Bahdanau et al. do, because the paper does not say where
// they start.
Tensor DeepAttModel::initialState(std::size_t layer, const Tensor& mean_BC) const {
  return initial_.empty() ? Tensor{} : torch::tanh(initial_[layer]->forward(mean_BC));
}

// Whether f of a layer is read by more than its own cell.
bool DeepAttModel::readsFeed(std::size_t layer, const Recorder* recorder) const {
  return recorder != nullptr || (model_.fastForward && layer + 1 < layers_.size());
}

Published DeepAttModel::blockOf(std::size_t layer, Recorder* recorder, bool timeMajor) const {
  if (recorder == nullptr || layer == 0) return {};
  return {recorder, fastForwardInfo(layer), timeMajor};
}

// Layer 1, Eqs. 5 and 8-10: f^1_t = W_f^1 [c_t, y_{t-1}] with c_t = sum_t' alpha_{t,t'} e~_t' and
// alpha_{t,t'} = softmax_t'( a(e~_t', h^1_{t-1}) ); Deep-ED's c_t is constant.
Flow DeepAttModel::firstLayer(const Target& target, const DeepAttMemory& memory,
                              const Tensor& initial_BH, Recorder* recorder) const {
  const bool wantsF = readsFeed(0, recorder);
  if (!attends()) {
    const Tensor f_TBG = affine(target.y_TBE, wordWeight()) +
                         affine(memory.encoded_BSC, contextWeight()).transpose(0, 1);
    return {recur({layers_.front()->recurrence(f_TBG, initial_BH, false)},
                  {.order = kSlots, .lengths_B = target.lengths_B, .overwrite = !wantsF})[0],
            f_TBG};
  }
  const Published map = published(recorder, [] { return kAttentionInfo; });
  const auto states =
      attendAndRecur({target.y_TBE, target.lengths_B, initial_BH,
                      keys_->forward(memory.encoded_BSC), memory.encoded_BSC, memory.source},
                     attentionWeights(), {kSlots, map, wantsF});
  return {states.hidden_TBH, states.f_TBG};
}

Tensor DeepAttModel::decode(const Memory& memory, const Tensor& targetIn_BT, Recorder* recorder) {
  const auto& own = dynamic_cast<const DeepAttMemory&>(memory);
  const Tensor y_TBE = embed(targetTable_.weight, targetIn_BT, 1, {}, {}).transpose(0, 1);
  // Eq. 10: y_{t-1}, and y_0 is the zero vector, whatever the word.
  const PublishedLevel publish{recorder, "decoder", /*timeMajor=*/true};
  const Tensor fed_TBE = publish.pass(
      0, torch::cat(
             {torch::zeros_like(y_TBE.narrow(0, 0, 1)), y_TBE.narrow(0, 1, y_TBE.size(0) - 1)}, 0));
  const Tensor mean_BC = initial_.empty() ? Tensor{} : meanOf(own.encoded_BSC, own.source);
  const Target target{fed_TBE, lengthsToTake(targetIn_BT, recorder)};
  Flow flow = firstLayer(target, own, initialState(0, mean_BC), recorder);
  flow.h_TBH = publish.pass(1, flow.h_TBH);
  publishFlow(recorder, "decoder", 0, flow);
  for (std::size_t k = 1; k < layers_.size(); ++k) {
    const Tensor x_TBH = applyDropout(flow.h_TBH, sites_[k - 1].draw()),
                 initial_BH = initialState(k, mean_BC);
    RecurrenceOptions options{.order = kSlots, .lengths_B = target.lengths_B};
    if (recorder == nullptr && !model_.fastForward) {
      flow.h_TBH = recur({layers_[k]->recurrenceOver(x_TBH, initial_BH, false)}, options)[0];
    } else {
      flow.f_TBG = layers_[k]->feed(x_TBH, flow.f_TBG, blockOf(k, recorder, true));
      options.overwrite = !readsFeed(k, recorder);
      flow.h_TBH = recur({layers_[k]->recurrence(flow.f_TBG, initial_BH, false)}, options)[0];
    }
    flow.h_TBH = publish.pass(k + 1, flow.h_TBH);
    publishFlow(recorder, "decoder", k, flow);
  }
  return applyDropout(flow.h_TBH, sites_.back().draw()).transpose(0, 1).contiguous();
}

std::unique_ptr<DecoderState> DeepAttModel::begin(const Memory& memory) {
  const torch::NoGradGuard frozen;
  const auto& own = dynamic_cast<const DeepAttMemory&>(memory);
  auto state = std::make_unique<State>(own);
  state->values_BSG = affine(own.encoded_BSC, contextWeight());
  if (attends()) state->keys_BSA = keys_->forward(own.encoded_BSC);
  const Tensor zeros = torch::zeros({state->rows(), model_.hidden}, own.encoded_BSC.options());
  const Tensor mean_BC = initial_.empty() ? Tensor{} : meanOf(own.encoded_BSC, own.source);
  for (std::size_t k = 0; k < layers_.size(); ++k) {
    const Tensor& hidden = state->initial_BH.emplace_back(initialState(k, mean_BC));
    state->layers.push_back({hidden.defined() ? hidden : zeros, zeros});
  }
  return state;
}

Tensor DeepAttModel::step(DecoderState& state, const Tensor& tokens_R, Recorder* recorder) {
  const torch::NoGradGuard frozen;
  auto& own = dynamic_cast<State&>(state);
  const PublishedLevel publish{recorder};
  own.backpointers.advance();
  // Eq. 10: the columns of W_f^1 for y_{t-1}; y_0 is the zero vector.
  const Tensor y_RE = torch::embedding(targetTable_.weight, tokens_R)
                          .mul_((own.backpointers.newest(tokens_R.device()) > 0).unsqueeze(1));
  Tensor f_RG = affine(publish.pass(0, y_RE), wordWeight());
  if (attends()) {
    // Eqs. 8 and 9 with h^1_{t-1} of the state, then Eqs. 4 and 5.
    const Published map = published(recorder, [] { return kAttentionInfo; });
    const auto step =
        attendAndRecurOnce(f_RG, own.layers[0], {own.keys_BSA, own.values_BSG, own.memory.source},
                           own.backpointers, attentionWeights(), {kSlots, map});
    own.layers[0] = step.state;
    f_RG = step.f_RG;
  } else {
    // Eq. 8: c_t is constant.
    f_RG =
        f_RG + own.values_BSG.squeeze(1).index_select(0, own.backpointers.sentences(f_RG.device()));
    own.layers[0] = layers_[0]->step(f_RG, own.layers[0]);
  }
  Tensor h_RH = publish.pass(1, own.layers[0].hidden_RH);
  for (std::size_t k = 1; k < layers_.size(); ++k) {
    // Eq. 6, then Eqs. 4 and 5. Recordings have an axis of positions.
    const Published block = blockOf(k, recorder, false);
    f_RG = layers_[k]->feed(h_RH.unsqueeze(1), f_RG.unsqueeze(1), block).squeeze(1);
    own.layers[k] = layers_[k]->step(f_RG, own.layers[k]);
    h_RH = publish.pass(k + 1, own.layers[k].hidden_RH);
  }
  return logProbabilities(h_RH);
}

std::vector<RecordingInfo> DeepAttModel::recordable() const {
  std::vector<RecordingInfo> infos{memoryInfo()};
  if (attends()) infos.push_back(kAttentionInfo);
  const auto ofEncoder = encoder_->recordable();
  infos.insert(infos.end(), ofEncoder.begin(), ofEncoder.end());
  const auto levels = levelInfos("decoder", layers_.size());
  infos.insert(infos.end(), levels.begin(), levels.end());
  if (model_.fastForward) {
    for (std::size_t k = 1; k < layers_.size(); ++k) infos.push_back(fastForwardInfo(k));
  }
  return infos;
}

std::vector<Reader> DeepAttModel::readers() const {
  return blockReaders(*this, model_);
}

ModelFamily family() {
  return makeFamily<DeepAttModel, DeepAttConfig>();
}

}  // namespace strata::deepatt
