#include "models/deepatt/config.h"

#include "core/base/error.h"

namespace strata::deepatt {
namespace {

constexpr std::pair<const char*, Interface> kInterfaces[] = {{"attention", Interface::kAttention},
                                                             {"max", Interface::kMaximum}};
constexpr std::pair<const char*, ColumnDirection> kDirections[] = {
    {"interleaved", ColumnDirection::kInterleaved}, {"forward", ColumnDirection::kForward}};
constexpr std::pair<const char*, DecoderInit> kInits[] = {{"zero", DecoderInit::kZero},
                                                          {"tanh", DecoderInit::kTanh}};

// One layer's recurrent part: W_r, b and the peepholes.
std::int64_t recurrentParameters(const DeepAttConfig& config) {
  const std::int64_t h = config.hidden;
  return 4 * h * h + 4 * h + (config.peephole ? 3 * h : 0);
}

}  // namespace

std::vector<ConfigProblem> problemsOf(const DeepAttConfig& config) {
  std::vector<ConfigProblem> problems;
  if (config.interface == Interface::kAttention && config.interfaceWidth() % 4 != 0) {
    problems.push_back(
        {"model.hidden",
         fmt::format("the interface's width {} must be a multiple of 4: it is projected to a "
                     "quarter of it",
                     config.interfaceWidth())});
  }
  if (config.interface == Interface::kMaximum && config.attentionDim)
    problems.push_back({"model.attention_dim", "must be empty: interface = max has no attention"});
  config.sharing.check(config.tables(), problems);
  return problems;
}

void describe(KeyTable& keys, DeepAttConfig& config) {
  addSize(keys, "embed_dim", config.embedDim, "Width e of the embeddings.");
  addSize(keys, "hidden", config.hidden, "Width h of the LSTM layers.");
  addLayers(keys, "encoder_layers", config.encoderLayers,
            "Layers n_e of each column of the encoder.");
  addLayers(keys, "decoder_layers", config.decoderLayers, "Layers n_d of the decoder.");
  addSize(keys, "columns", config.columns, "Columns C of the encoder.").atMost(2);
  keys.add("interface", config.interface, kInterfaces,
           "What the decoder reads: every source position by attention (Deep-Att), or one "
           "vector of maxima (Deep-ED).");
  keys.add("fast_forward", config.fastForward,
           "Fast-forward connections: a layer also reads the LSTM input of the layer below.");
  keys.add("half", config.half, "Fast-forward connections read only the first half of it.");
  keys.add("direction", config.direction, kDirections,
           "Layers alternate in direction, the second column mirrors the first; or all run "
           "forward.");
  keys.add("peephole", config.peephole, "Peephole connections from the cell state to the gates.");
  addSize(keys, "attention_dim", config.attentionDim,
          "Inner width of the attention; empty: hidden.");
  keys.add("decoder_init", config.decoderInit, kInits,
           "The decoder's initial state: zero, or computed from the source.");
  describe(keys, config.sharing);
}

// Above the first layer: the matrices that read h and f of the layer below.
std::int64_t layerParameters(const DeepAttConfig& config, std::int64_t reads) {
  const std::int64_t h = config.hidden;
  std::int64_t count = 4 * h * (reads > 0 ? reads : h) + recurrentParameters(config);
  if (reads == 0 && config.fastForward) count += 4 * h * (config.half ? 2 : 4) * h;
  return count;
}

std::int64_t attentionParameters(const DeepAttConfig& config) {
  const std::int64_t a = config.attentionWidth();
  return a * config.contextWidth() + a * config.hidden + a + a;  // U, W, b_a, v
}

std::int64_t initialStateParameters(const DeepAttConfig& config) {
  if (config.decoderInit != DecoderInit::kTanh) return 0;
  return config.hidden * config.contextWidth() + config.hidden;
}

std::int64_t parameterCount(const DeepAttConfig& config) {
  const std::int64_t context = config.contextWidth(), upper = layerParameters(config, 0);
  std::int64_t count = config.sharing.parameters(config.tables()) + config.targetVocabulary;
  count += config.columns *
           (layerParameters(config, config.embedDim) + (config.encoderLayers - 1) * upper);
  if (config.interface == Interface::kAttention)
    count += config.interfaceWidth() * context + attentionParameters(config);  // W_p
  count += layerParameters(config, context + config.embedDim) + (config.decoderLayers - 1) * upper;
  return count + config.decoderLayers * initialStateParameters(config);
}

}  // namespace strata::deepatt
