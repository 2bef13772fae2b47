#include <fmt/format.h>

#include "models/dhea/config.h"

namespace strata::dhea {
namespace {

using Link = Network::LinkKind;

std::string combination(History history) {
  const std::string source = "c = Att(s^{l-1}, M)";
  const std::string both = source + ",  z = Att(s^{l-1}, s^{l-1}_1..i)";
  switch (history) {
    case History::kNone:
      return source + ",  ĉ = c";
    case History::kSum:
      return both + ",  ĉ = c + z";
    case History::kGate:
      return both + ",  g = σ(W_g [c ; z] + b_g),  ĉ = g∘c + (1−g)∘z";
    case History::kHybrid:
      return "ĉ = Att(s^{l-1}, [M ; s^{l-1}_1..i])";
  }
  return "";
}

bool runsForward(const DheaConfig& config, std::int64_t layer) {
  return (layer % 2 == 0) == (config.firstDirection == Direction::kForward);
}

// One side's layers above its embedding: returns the top.
std::size_t addEncoder(Network& network, const DheaConfig& config, std::size_t embedding) {
  std::size_t below = embedding;
  for (std::int64_t layer = 0; layer < config.encoderLayers; ++layer) {
    const bool residual = config.residual && layer > 0;
    const std::size_t part = network.add(
        {.name = fmt::format("encoder.layers.{}", layer),
         .title = fmt::format("layer {}", layer + 1),
         .column = 0,
         .width = config.hidden,
         .parameters = encoderLayerParameters(config),
         .equation = residual ? "H^l = H^{l-1} + LSTM_l(H^{l-1})" : "H^l = LSTM_l(H^{l-1})",
         .detail = runsForward(config, layer) ? "LSTM, forward" : "LSTM, backward"});
    network.link(below, part);
    if (residual) network.link(below, part, Link::kResidual);
    below = part;
  }
  return below;
}

std::size_t addDecoder(Network& network, const DheaConfig& config, std::size_t embedding,
                       std::size_t memory) {
  std::size_t below = embedding;
  for (std::int64_t layer = 0; layer < config.decoderLayers; ++layer) {
    const bool residual = config.residual && layer > 0;
    const std::size_t part = network.add(
        {.name = fmt::format("decoder.layers.{}", layer),
         .title = fmt::format("layer {}", layer + 1),
         .column = 1,
         .width = config.hidden,
         .parameters = decoderLayerParameters(config),
         .equation = combination(config.history) + ",  s^l = " + (residual ? "s^{l-1} + " : "") +
                     "LSTM_l([s^{l-1} ; ĉ])",
         .detail = fmt::format("LSTM, reads {}", 2 * config.hidden)});
    network.link(below, part);
    if (residual) network.link(below, part, Link::kResidual);
    network.link(memory, part, Link::kAttention);
    if (config.history != History::kNone) network.link(below, part, Link::kHistory);
    below = part;
  }
  return below;
}

}  // namespace

Network networkOf(const DheaConfig& config) {
  Network network{.columns = {"encoder", "decoder"}, .parts = {}, .links = {}};
  const TableCounts tables = config.sharing.counts(config.tables());
  const std::string positions = config.positionalEncoding ? " + PE(position)" : "";
  const std::size_t source =
      network.add({.name = "encoder.embed_tokens",
                   .title = "embedding",
                   .column = 0,
                   .width = config.hidden,
                   .parameters = tables.source,
                   .equation = "H^0 = Emb(x)" + positions,
                   .detail = fmt::format("{} words", config.sourceVocabulary)});
  const std::size_t memory = addEncoder(network, config, source);
  const std::size_t target =
      network.add({.name = "decoder.embed_tokens",
                   .title = "embedding",
                   .column = 1,
                   .width = config.hidden,
                   .parameters = tables.target,
                   .equation = "s^0_i = Emb(y_{i-1})" + positions,
                   .detail = fmt::format("{} words", config.targetVocabulary)});
  if (config.sharing.all) network.link(source, target, Link::kShared);
  const std::size_t top = addDecoder(network, config, target, memory);
  const std::size_t output =
      network.add({.name = "decoder.output_projection",
                   .title = "output",
                   .column = 1,
                   .width = config.targetVocabulary,
                   .parameters = tables.output,
                   .equation = "logits = W_o s",
                   .detail = fmt::format("{} words", config.targetVocabulary)});
  network.link(top, output);
  if (config.sharing.tiesOutput()) network.link(target, output, Link::kShared);
  return network;
}

}  // namespace strata::dhea
