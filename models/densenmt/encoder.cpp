#include "models/densenmt/encoder.h"

#include "core/base/error.h"
#include "core/nn/levels.h"

namespace strata::densenmt {

using torch::Tensor;

RecordingInfo statesInfo(const char* states, std::size_t part) {
  return {
      fmt::format("encoder.{}.{}", states, part), "states", "encoder", -1, {"source", "feature"}};
}

RecordingInfo blockInfo(const char* side, std::size_t layer) {
  const bool encoder = side[0] == 'e';
  return {fmt::format("{}.layers.{}.block", side, layer),
          "block",
          side,
          static_cast<int>(layer),
          {encoder ? "source" : "target", "feature"}};
}

EncoderImpl::EncoderImpl(const DenseConfig& config, const DropoutPointer& dropout)
    : config_(config), embedding_(*this, config, config.sourceVocabulary, {}, dropout) {
  const StackPlan plan = encoderPlan(config);
  if (plan.projectsInput)
    in_ = register_module("in_proj", WeightNorm(config.embedDim, plan.inputWidth));
  layers_ = newStack(*this, "layers", std::ssize(plan.layers),
                     [&](std::int64_t i) { return EncoderLayer(plan.layers[i], dropout); });
  const auto projections = [&](const char* name, const std::vector<std::int64_t>& widths) {
    return newStack(*this, name, std::ssize(widths),
                    [&](std::int64_t j) { return WeightNorm(widths[j], config.embedDim); });
  };
  keys_ = projections("key_projs", attendedWidths(config));
  if (config.attentionValues == AttentionValues::kOwn)
    values_ = projections("value_projs", ownValueWidths(config));
  if (addsBase(config))
    base_ = register_module("base_proj", WeightNorm(plan.inputWidth, config.embedDim));
}

EncoderImpl::States EncoderImpl::states(const Tensor& emb_BSE, const SourceBatch& source,
                                        Recorder* recorder) {
  const PublishedLevel publish{recorder, "encoder"};
  States states;
  // Section 3.3: h0 has the embedding's width d0. Departs from the paper by default: a Linear layer
  // makes it as wide as a residual layer, because the released code has it so.
  states.base_BSW = publish.pass(0, in_ ? linear({emb_BSE}, in_) : emb_BSE);
  Parts x{states.base_BSW};
  Parts each = x;  // of a residual stack, newest first
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    x = layers_[i]->forward(x, source,
                            published(recorder, [i] { return blockInfo("encoder", i); }));
    x.front() = publish.pass(i + 1, x.front());
    if (!config_.encoder.dense) each.insert(each.begin(), x.front());
  }
  if (config_.denseAttention == 1) {  // Eq. 9: [{h^i}]
    states.attended = {x};
    return states;
  }
  // Eq. 10: every h^i, i = 1 .. L. Departs from the paper by default: h^0, or the last summary, is
  // attended to as well, because the released code does. A dense state is already stored as parts:
  // [newest ; ... ; summary or h0].
  const Parts& parts = config_.encoder.dense ? x : each;
  for (std::size_t j = 0; j < keys_.size(); ++j) states.attended.push_back({parts[j]});
  return states;
}

Tensor EncoderImpl::ownValue(const States& states, std::size_t part, const Tensor& base_BSE) {
  if (values_.empty()) return {};
  Parts read = states.attended[part];
  if (base_) return linear(read, values_[part]) + base_BSE;  // Eq. 9: L([{h^i}]) + L(h^0)
  read.push_back(states.base_BSW);
  return linear(read, values_[part]);  // Eq. 10: L([h^i, h^0])
}

std::unique_ptr<DenseMemory> EncoderImpl::forward(const SourceBatch& source, Recorder* recorder) {
  auto memory = std::make_unique<DenseMemory>();
  memory->source = source;
  const Tensor emb_BSE = embedding_.forward(source.ids_BS);
  const States read = states(emb_BSE, source, recorder);
  // Eqs. 9 and 10: K = L(h^i), V = L(h^i) + L(h^0). Departs from the paper by default: V =
  // sqrt(1/2) (K + emb), with the same L(h^i) and the embedding itself, because the released code
  // has it so.
  const Tensor base_BSE = base_ ? linear({read.base_BSW}, base_) : emb_BSE;
  SummedMemory parts{{}, base_BSE, base_ ? 1 : kRootHalf};
  const double flow = 1 / (2 * static_cast<double>(config_.decoder.layers));
  for (std::size_t j = 0; j < read.attended.size(); ++j) {
    Tensor key = linear(read.attended[j], keys_[j]);
    if (config_.gradientScale == GradientScale::kFlow && key.requires_grad())
      key.register_hook([flow](const Tensor& gradient) { return gradient * flow; });
    if (recorder != nullptr) key = recorder->publish(statesInfo("keys", j), key);
    parts.keys_BSD.push_back(key);
    Tensor value = ownValue(read, j, base_BSE);
    if (recorder != nullptr) {
      if (!value.defined()) value = torch::add(base_BSE, key) * parts.scale;
      value = recorder->publish(statesInfo("values", j), value);
    }
    if (value.defined()) parts.forced_BSD.push_back(value);
  }
  memory->parts_BSE = readByMany(std::move(parts));
  memory->factor_B11 = factorOf(source, emb_BSE.options(), read.attended.size());
  return memory;
}

// Departs from the paper by default: sqrt(S) sqrt(1/n), because the released code has it so.
Tensor EncoderImpl::factorOf(const SourceBatch& source, const torch::TensorOptions& options,
                             std::size_t parts) const {
  const Tensor lengths_B = source.lengths_B.to(options);
  const double share = config_.withoutPartsGain ? 1 : 1 / static_cast<double>(parts);
  return ((config_.withoutLengthGain ? torch::ones_like(lengths_B) : lengths_B) * share)
      .sqrt()
      .view({-1, 1, 1});
}

void EncoderImpl::initialise(Initialiser& random, double dropout) {
  embedding_.initialise(random, dropout);
  if (in_) drawWeights(in_, random, dropout);
  for (EncoderLayer& layer : layers_) layer->initialise(random, dropout);
  for (const WeightNorm& key : keys_) drawWeights(key, random, 0);
  for (const WeightNorm& value : values_) drawWeights(value, random, 0);
  if (base_) drawWeights(base_, random, 0);
}

void EncoderImpl::scaleGradients(double factor) {
  const torch::NoGradGuard frozen;
  for (auto& parameter : named_parameters()) {
    const std::string& name = parameter.key();
    if (name.starts_with("embed_tokens") || name.starts_with("embed_positions")) continue;
    torch::Tensor& gradient = parameter.value().mutable_grad();
    if (gradient.defined()) gradient.mul_(factor);
  }
}

}  // namespace strata::densenmt
