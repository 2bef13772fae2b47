#include <fmt/format.h>

#include "models/deepatt/config.h"

namespace strata::deepatt {
namespace {

using Link = Network::LinkKind;

const char* const kCell = "  (cell: h, s = LSTM with peepholes over f + W_r h_{t-1} + b)";

std::string equationOf(const DeepAttConfig& config, bool first, const std::string& input) {
  const std::string cell = config.peephole ? kCell : "  (cell: LSTM over f + W_r h_{t-1} + b)";
  if (first) return "f^1 = W_x " + input + cell;
  if (!config.fastForward) return "f^k = W_x h^{k-1}" + cell;
  const std::string lower = config.half ? "Half(f^{k-1})" : "f^{k-1}";
  return "f^k = W_x h^{k-1} + W_F " + lower + cell;
}

std::string directionOf(const DeepAttConfig& config, std::int64_t column, std::int64_t layer) {
  const bool forward = config.direction == ColumnDirection::kForward || (layer + column) % 2 == 0;
  return forward ? "LSTM, forward" : "LSTM, backward";
}

// One column of the encoder: returns its top layer.
std::size_t addColumn(Network& network, const DeepAttConfig& config, std::int64_t column,
                      std::size_t embedding) {
  std::size_t below = embedding;
  for (std::int64_t layer = 0; layer < config.encoderLayers; ++layer) {
    const bool first = layer == 0;
    const std::size_t part =
        network.add({.name = fmt::format("encoder.columns.{}.layers.{}", column, layer),
                     .title = fmt::format("layer {}", layer + 1),
                     .column = static_cast<std::size_t>(column),
                     .width = config.hidden,
                     .parameters = layerParameters(config, first ? config.embedDim : 0),
                     .equation = equationOf(config, first, "x"),
                     .detail = directionOf(config, column, layer)});
    network.link(below, part);
    if (!first && config.fastForward) network.link(below, part, Link::kFastForward);
    below = part;
  }
  return below;
}

// What the decoder reads of the encoder, above the first column.
std::size_t addInterface(Network& network, const DeepAttConfig& config,
                         const std::vector<std::size_t>& tops) {
  const bool attends = config.interface == Interface::kAttention;
  const std::string parts = config.fastForward ? "h ; f" : "h";
  const std::size_t part =
      network.add({.name = "encoder.interface_proj",
                   .title = "interface",
                   .column = 0,
                   .width = config.contextWidth(),
                   .parameters = attends ? config.interfaceWidth() * config.contextWidth() : 0,
                   .equation = attends ? "ẽ_t = W_p [" + parts + "] of each column's top layer"
                                       : "c = [h_last ; maximum over t of the other h and f]",
                   .detail = fmt::format("reads {}", config.interfaceWidth())});
  for (const std::size_t top : tops) {
    network.link(top, part);
    if (config.fastForward) network.link(top, part, Link::kFastForward);
  }
  return part;
}

std::size_t addAttention(Network& network, const DeepAttConfig& config, std::size_t column) {
  const std::int64_t a = config.attentionWidth(), context = config.contextWidth();
  return network.add({.name = "decoder.attention",
                      .title = "attention",
                      .column = column,
                      .width = context,
                      .parameters = attentionParameters(config),
                      .equation =
                          "α_t' = softmax over t' of v · tanh(U ẽ_t' + W h^1_{t-1} + b_a),  "
                          "c = Σ α_t' ẽ_t'",
                      .detail = fmt::format("inner width {}", a)});
}

std::size_t addDecoder(Network& network, const DeepAttConfig& config, std::size_t column,
                       std::size_t embedding, std::size_t context) {
  std::size_t below = embedding;
  for (std::int64_t layer = 0; layer < config.decoderLayers; ++layer) {
    const bool first = layer == 0;
    const std::int64_t reads = config.contextWidth() + config.embedDim;
    const std::size_t part = network.add(
        {.name = fmt::format("decoder.layers.{}", layer),
         .title = fmt::format("layer {}", layer + 1),
         .column = column,
         .width = config.hidden,
         .parameters = layerParameters(config, first ? reads : 0) + initialStateParameters(config),
         .equation = equationOf(config, first, "[c ; y_{t-1}]"),
         .detail = first ? fmt::format("LSTM, reads {}", reads) : "LSTM"});
    network.link(below, part);
    if (first) network.link(context, part);
    if (first && config.interface == Interface::kAttention)
      network.link(part, context, Link::kHistory);  // the query of the next word
    if (!first && config.fastForward) network.link(below, part, Link::kFastForward);
    below = part;
  }
  return below;
}

}  // namespace

Network networkOf(const DeepAttConfig& config) {
  Network network{.columns = {}, .parts = {}, .links = {}};
  for (std::int64_t column = 0; column < config.columns; ++column)
    network.columns.push_back(config.columns == 1 ? "encoder"
                                                  : fmt::format("encoder a{}", column + 1));
  network.columns.emplace_back("decoder");
  const std::size_t decoder = network.columns.size() - 1;
  const TableCounts tables = config.sharing.counts(config.tables());
  const std::size_t source =
      network.add({.name = "encoder.embed_tokens",
                   .title = "embedding",
                   .column = 0,
                   .width = config.embedDim,
                   .parameters = tables.source,
                   .equation = "x = Emb(word)",
                   .detail = fmt::format("{} words", config.sourceVocabulary)});
  std::vector<std::size_t> tops;
  for (std::int64_t column = 0; column < config.columns; ++column)
    tops.push_back(addColumn(network, config, column, source));
  std::size_t context = addInterface(network, config, tops);
  const std::size_t target =
      network.add({.name = "decoder.embed_tokens",
                   .title = "embedding",
                   .column = decoder,
                   .width = config.embedDim,
                   .parameters = tables.target,
                   .equation = "y = Emb(word), 0 before the first",
                   .detail = fmt::format("{} words", config.targetVocabulary)});
  if (config.sharing.all) network.link(source, target, Link::kShared);
  if (config.interface == Interface::kAttention) {
    const std::size_t attention = addAttention(network, config, decoder);
    network.link(context, attention, Link::kAttention);
    context = attention;
  }
  const std::size_t top = addDecoder(network, config, decoder, target, context);
  const std::size_t output =
      network.add({.name = "decoder.output_projection",
                   .title = "output",
                   .column = decoder,
                   .width = config.targetVocabulary,
                   .parameters = tables.output + config.targetVocabulary,
                   .equation = "logits = W_o h + b_o",
                   .detail = fmt::format("{} words", config.targetVocabulary)});
  network.link(top, output);
  if (config.sharing.tiesOutput()) network.link(target, output, Link::kShared);
  return network;
}

}  // namespace strata::deepatt
