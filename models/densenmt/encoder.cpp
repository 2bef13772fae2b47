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
  in_ = register_module("in_proj", WeightNorm(config.embedDim, plan.inputWidth));
  layers_ = newStack(*this, "layers", std::ssize(plan.layers),
                     [&](std::int64_t i) { return EncoderLayer(plan.layers[i], dropout); });
  const auto widths = attendedWidths(config);
  keys_ = newStack(*this, "key_projs", std::ssize(widths),
                   [&](std::int64_t j) { return WeightNorm(widths[j], config.embedDim); });
}

std::vector<Parts> EncoderImpl::attended(const Tensor& emb_BSE, const SourceBatch& source,
                                         Recorder* recorder) {
  const PublishedLevel publish{recorder, "encoder"};
  Parts x{publish.pass(0, linear({emb_BSE}, in_))};  // h0
  Parts states = x;                                  // of a residual stack, newest first
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    x = layers_[i]->forward(x, source,
                            published(recorder, [i] { return blockInfo("encoder", i); }));
    x.front() = publish.pass(i + 1, x.front());
    if (!config_.encoder.dense) states.insert(states.begin(), x.front());
  }
  if (config_.denseAttention == 1) return {x};  // Eq. 9: [{h^i}]
  // Eq. 10: every h^i. Departs from the paper: its sum begins at i = 1, but h^0, or the last
  // summary, is attended to as well, because the released code does. A dense state is already
  // stored as parts: [newest ; ... ; summary or h0].
  std::vector<Parts> each;
  for (const Tensor& part : config_.encoder.dense ? x : states) each.push_back({part});
  return each;
}

std::unique_ptr<DenseMemory> EncoderImpl::forward(const SourceBatch& source, Recorder* recorder) {
  auto memory = std::make_unique<DenseMemory>();
  memory->source = source;
  const Tensor emb_BSE = embedding_.forward(source.ids_BS);
  const auto states = attended(emb_BSE, source, recorder);
  const double flow = 1 / (2 * static_cast<double>(config_.decoder.layers));
  SummedMemory parts{{}, emb_BSE, kRootHalf};
  for (std::size_t j = 0; j < states.size(); ++j) {
    // Eqs. 9 and 10: K = L(h^i), V = L(h^i) + L(h^0). Departs from the paper: V = sqrt(1/2) (K +
    // emb), with the same L(h^i) and the embedding itself, because the released code has it so.
    Tensor key = linear(states[j], keys_[j]);
    if (config_.gradientScale == GradientScale::kFlow && key.requires_grad())
      key.register_hook([flow](const Tensor& gradient) { return gradient * flow; });
    if (recorder != nullptr) key = recorder->publish(statesInfo("keys", j), key);
    parts.keys_BSD.push_back(key);
    if (recorder == nullptr) continue;
    parts.forced_BSD.push_back(
        recorder->publish(statesInfo("values", j), torch::add(emb_BSE, key) * kRootHalf));
  }
  memory->parts_BSE = readByMany(std::move(parts));
  const double share = 1 / static_cast<double>(states.size());
  memory->factor_B11 = (source.lengths_B.to(emb_BSE.device(), emb_BSE.scalar_type()) * share)
                           .sqrt()
                           .view({-1, 1, 1});
  return memory;
}

void EncoderImpl::initialise(Initialiser& random, double dropout) {
  embedding_.initialise(random, dropout);
  drawWeights(in_, random, dropout);
  for (EncoderLayer& layer : layers_) layer->initialise(random, dropout);
  for (const WeightNorm& key : keys_) drawWeights(key, random, 0);
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
