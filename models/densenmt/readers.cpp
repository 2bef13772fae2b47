#include "models/densenmt/readers.h"

#include <fmt/format.h>

#include "core/nn/levels.h"

namespace strata::densenmt {
namespace {

using Kind = LayerPlan::Kind;

// A part of a state: what it is, and where it is published.
struct StatePart {
  std::string name, internal;
  std::int64_t first, width;
};
using StateParts = std::vector<StatePart>;  // in the order of the concatenation

// The readers of one side, from its first layer to its last.
class SideReaders {
 public:
  SideReaders(const EffectiveWeights& weights, std::string side, const StackPlan& plan)
      : weights_(weights), side_(std::move(side)), plan_(plan), decodes_(side_ == "decoder") {
    state_ = parts_ = {base()};
    for (std::size_t i = 0; i < plan.layers.size(); ++i) addLayer(i);
  }

  void add(const std::string& parameters, const std::string& name, const StateParts& read,
           std::int64_t left = 0) {
    Reader& reader = readers_.emplace_back();
    reader.map = reader.side = side_;
    reader.name = name;
    reader.parameters = parameters;
    reader.left = left;
    reader.bias_O = weights_.bias_O(parameters);
    std::int64_t at = 0;
    for (const StatePart& part : read) {
      const torch::Tensor own = weights_.weight_KOI(parameters).narrow(2, at, part.width);
      // Oldest first, whatever the order of the concatenation.
      reader.blocks.insert(decodes_ ? reader.blocks.end() : reader.blocks.begin(),
                           {part.name, part.internal, part.first, own});
      at += part.width;
    }
  }

  StatePart base() const { return {"h0", levelInfo(side_, 0).name, 0, plan_.inputWidth}; }
  const StateParts& state() const { return state_; }  // after the last layer
  const StateParts& parts() const { return parts_; }  // all that can be attended to, newest first
  std::vector<Reader> take() { return std::move(readers_); }

 private:
  void addLayer(std::size_t i) {
    const LayerPlan& layer = plan_.layers[i];
    const std::string prefix = fmt::format("{}.layers.{}", side_, i);
    if (layer.summarisedWidth > 0) {
      const std::string summary = fmt::format("summary before {}", i + 1);
      add(prefix + ".summary_proj", summary, state_);
      state_ = {{summary, prefix + ".summary", 0, layer.inputWidth}};
      parts_ = state_;
    }
    const std::string name =
        fmt::format("{} {}", layer.kind == Kind::kSummary ? "summary" : "layer", i + 1);
    add(prefix + ".conv", name + " conv", state_,
        decodes_ ? layer.kernel - 1 : (layer.kernel - 1) / 2);
    if (layer.projectsSkip) add(prefix + ".skip_proj", name + " skip", state_);
    extend(layer, name, prefix + ".block");
  }

  void extend(const LayerPlan& layer, const std::string& name, const std::string& block) {
    if (layer.kind != Kind::kDense) {
      state_ = {{name, block, 0, layer.width}};
    } else if (decodes_) {  // [Y ; a ; c]
      state_.push_back({name + " a", block, 0, layer.width});
      state_.push_back({name + " c", block, layer.width, layer.width});
    } else {  // [n ; X]
      state_.insert(state_.begin(), {name, block, 0, layer.width});
    }
    if (layer.kind == Kind::kSummary) parts_.clear();
    parts_.insert(parts_.begin(), {name, block, 0, layer.width});
  }

  const EffectiveWeights& weights_;
  std::string side_;
  const StackPlan& plan_;
  bool decodes_;
  StateParts state_, parts_;
  std::vector<Reader> readers_;
};

// The projections that make keys, and those of values that are not made of the keys.
void addAttended(SideReaders& encoder, const DenseConfig& config) {
  const bool own = config.attentionValues == AttentionValues::kOwn;
  if (config.denseAttention == 1) {
    encoder.add("encoder.key_projs.0", "key", encoder.state());
    if (own) encoder.add("encoder.value_projs.0", "value", encoder.state());
    return;
  }
  for (std::size_t j = 0; j < attendedWidths(config).size(); ++j) {
    const StatePart& part = encoder.parts()[j];
    encoder.add(fmt::format("encoder.key_projs.{}", j), fmt::format("key {}", j + 1), {part});
    if (own) {
      encoder.add(fmt::format("encoder.value_projs.{}", j), fmt::format("value {}", j + 1),
                  {part, encoder.base()});
    }
  }
}

}  // namespace

std::vector<Reader> blockReaders(const torch::nn::Module& model, const DenseConfig& config) {
  const EffectiveWeights weights(model);
  const StackPlan encoderStack = encoderPlan(config), decoderStack = decoderPlan(config);
  SideReaders encoder(weights, "encoder", encoderStack), decoder(weights, "decoder", decoderStack);
  addAttended(encoder, config);
  decoder.add("decoder.bottleneck", "bottleneck", decoder.state());
  std::vector<Reader> readers = encoder.take(), others = decoder.take();
  readers.insert(readers.end(), others.begin(), others.end());
  return readers;
}

}  // namespace strata::densenmt
