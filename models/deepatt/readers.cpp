#include "models/deepatt/readers.h"

#include <fmt/format.h>

#include "core/nn/levels.h"

namespace strata::deepatt {
namespace {

using torch::Tensor;

std::string sideOf(const std::string& stack) {
  return stack.substr(0, stack.find('.'));
}

RecordingInfo layerInfo(const std::string& stack, std::size_t layer, const char* what) {
  const std::string side = sideOf(stack);
  return {fmt::format("{}.layers.{}.{}", stack, layer, what),
          "block",
          side,
          static_cast<int>(layer),
          {side == "encoder" ? "source" : "target", "feature"}};
}

RecordingInfo outputInfo(const std::string& stack, std::size_t layer) {
  return layerInfo(stack, layer, "h");
}

RecordingInfo feedInfo(const std::string& stack, std::size_t layer) {
  return layerInfo(stack, layer, "f");
}

// A column of the encoder, or the decoder.
struct Stack {
  std::string name, title;  // "encoder.columns.0", "encoder a1"
  std::size_t layers;
  std::vector<ReadBlock> input;  // of layer 1
};

class StackReaders {
 public:
  StackReaders(const EffectiveWeights& weights, const DeepAttConfig& config, const Stack& stack)
      : weights_(weights), config_(config), stack_(stack) {}

  // Eqs. 5 and 6 layer by layer: f^k = W_x h^{k-1} + W_F Half(f^{k-1}).
  void addDirect(std::vector<Reader>& readers) const {
    for (std::size_t k = 0; k < stack_.layers; ++k) {
      Reader reader = newReader(stack_.title, k);
      reader.blocks = k == 0 ? stack_.input : std::vector{below("h below", k)};
      if (k > 0 && config_.fastForward)
        reader.blocks.push_back({.name = "f below",
                                 .internal = feedInfo(stack_.name, k - 1).name,
                                 .weight_KOI = forward(k),
                                 .connection = layerInfo(stack_.name, k, "fast_forward").name});
      readers.push_back(std::move(reader));
    }
  }

  // The same with f^{k-1} written out: f^k = W_x h^{k-1} + W_F S W_x h^{k-2} + ..., where S is the
  // first 2h rows, or all.
  void addChained(std::vector<Reader>& readers) const {
    std::vector<ReadBlock> chain = stack_.input;
    for (std::size_t k = 0; k < stack_.layers; ++k) {
      if (k > 0) {
        const Tensor forward_KGF = forward(k);
        const std::int64_t rows = forward_KGF.size(2);
        for (ReadBlock& block : chain)
          block.weight_KOI = torch::matmul(forward_KGF, block.weight_KOI.narrow(1, 0, rows));
        chain.push_back(below(fmt::format("layer {}", k), k));
      }
      Reader reader = newReader(stack_.title + ", chained", k);
      reader.blocks = chain;
      readers.push_back(std::move(reader));
    }
  }

 private:
  Reader newReader(const std::string& map, std::size_t k) const {
    return {.map = map,
            .name = fmt::format("layer {}", k + 1),
            .parameters = {},
            .side = sideOf(stack_.name)};
  }
  ReadBlock below(const std::string& name, std::size_t k) const {
    return {name, outputInfo(stack_.name, k - 1).name, 0, weight(k, "input_proj")};
  }
  Tensor forward(std::size_t k) const { return weight(k, "fast_forward"); }
  Tensor weight(std::size_t k, const char* matrix) const {
    return weights_.weight_KOI(fmt::format("{}.layers.{}.{}", stack_.name, k, matrix));
  }

  const EffectiveWeights& weights_;
  const DeepAttConfig& config_;
  const Stack& stack_;
};

// The parts of e_t or c: h, then f, of the top layer of every column.
struct InterfacePart {
  std::string name, internal;
  std::int64_t width;
};
std::vector<InterfacePart> interfaceParts(const DeepAttConfig& config) {
  std::vector<InterfacePart> parts;
  const auto top = static_cast<std::size_t>(config.encoderLayers - 1);
  for (const bool feeds : {false, true}) {
    if (feeds && !config.fastForward) continue;
    for (std::int64_t a = 0; a < config.columns; ++a) {
      const std::string stack = fmt::format("encoder.columns.{}", a);
      parts.push_back({fmt::format("a{} {}", a + 1, feeds ? "f" : "h"),
                       (feeds ? feedInfo(stack, top) : outputInfo(stack, top)).name,
                       (feeds ? 4 : 1) * config.hidden});
    }
  }
  return parts;
}

Reader interfaceReader(const EffectiveWeights& weights, const DeepAttConfig& config) {
  Reader reader{.map = "interface",
                .name = "interface",
                .parameters = "encoder.interface_proj",
                .side = "encoder"};
  std::int64_t at = 0;
  for (const InterfacePart& part : interfaceParts(config)) {
    const Tensor own = weights.weight_KOI(reader.parameters).narrow(2, at, part.width);
    reader.blocks.push_back({part.name, part.internal, 0, own});
    at += part.width;
  }
  return reader;
}

// [c_t ; y_{t-1}] of Eq. 10, c_t in Deep-ED as the parts that it is made of.
std::vector<ReadBlock> decoderInput(const EffectiveWeights& weights, const DeepAttConfig& config) {
  const Tensor weight = weights.weight_KOI("decoder.layers.0.input_proj");
  const std::int64_t context = config.contextWidth();
  std::vector<ReadBlock> blocks;
  if (config.interface == Interface::kAttention) {
    blocks.push_back(
        {"context", "encoder.memory", 0, weight.narrow(2, 0, context), "decoder.attention"});
  } else {
    std::int64_t at = 0;
    for (const InterfacePart& part : interfaceParts(config)) {
      blocks.push_back({part.name, "encoder.memory", at, weight.narrow(2, at, part.width)});
      at += part.width;
    }
  }
  blocks.push_back(
      {"word", levelInfo("decoder", 0).name, 0, weight.narrow(2, context, config.embedDim)});
  return blocks;
}

}  // namespace

void publishFlow(Recorder* recorder, const std::string& stack, std::size_t layer, Flow& flow) {
  if (recorder == nullptr) return;
  flow.h_TBH = Published{recorder, outputInfo(stack, layer), true}.pass(flow.h_TBH);
  flow.f_TBG = Published{recorder, feedInfo(stack, layer), true}.pass(flow.f_TBG);
}

std::vector<Reader> blockReaders(const torch::nn::Module& model, const DeepAttConfig& config) {
  const EffectiveWeights weights(model);
  std::vector<Stack> stacks;
  for (std::int64_t a = 0; a < config.columns; ++a) {
    const std::string name = fmt::format("encoder.columns.{}", a);
    stacks.push_back({name,
                      fmt::format("encoder a{}", a + 1),
                      static_cast<std::size_t>(config.encoderLayers),
                      {{"word", levelInfo("encoder", 0).name, 0,
                        weights.weight_KOI(name + ".layers.0.input_proj")}}});
  }
  stacks.push_back({"decoder", "decoder", static_cast<std::size_t>(config.decoderLayers),
                    decoderInput(weights, config)});
  std::vector<Reader> readers;
  for (const Stack& stack : stacks) {
    if (stack.name == "decoder" && config.interface == Interface::kAttention)
      readers.push_back(interfaceReader(weights, config));
    const StackReaders own(weights, config, stack);
    own.addDirect(readers);
    if (config.fastForward && stack.layers > 1) own.addChained(readers);
  }
  return readers;
}

}  // namespace strata::deepatt
