#include <fmt/format.h>

#include <optional>

#include "models/mlrf/config.h"

namespace strata::mlrf {
namespace {

using Link = Network::LinkKind;

// Of the network over these parts.
std::string networkEquation(const FusionConfig& fusion, const char* parts) {
  std::string sum = fmt::format("W_b ReLU( W_a [{}] )", parts);
  if (fusion.residual) sum = "z̃^L + " + sum;
  return !fusion.withoutNorm ? fmt::format("ẑ = LN( {} )", sum) : "ẑ = " + sum;
}

std::string fusionEquation(const FusionConfig& fusion) {
  switch (fusion.type) {
    case FusionType::kAverage:
      return "ẑ = mean over the levels of z^l";
    case FusionType::kMaximum:
      return "ẑ = element-wise maximum over the levels of z^l";
    case FusionType::kFeedForward:
      return networkEquation(fusion, "z̃^first ; … ; z̃^L") + ",  z̃^l = z^l + E_l";
    case FusionType::kSelfAttention:
      return "a_p = softmax over l of w2_p · tanh(W_1 z̃^l),  s̃_p = Σ_l a^l_p z̃^l,  " +
             networkEquation(fusion, "s̃_1 ; … ; s̃_P");
    case FusionType::kNone:
      break;
  }
  return "";
}

// One stack of layers with its fusion.
struct Stack {
  std::string side;
  std::size_t column;
  std::int64_t layers;
  const FusionConfig& fusion;
  std::int64_t fusionParameters;
  std::int64_t layerParameters;
  std::string equation;
};

// The parts of a stack above its embedding: returns its levels, and its top last.
std::vector<std::size_t> addLayers(Network& network, const MlrfConfig& config, const Stack& stack,
                                   std::size_t embedding) {
  std::vector<std::size_t> levels{embedding};
  for (std::int64_t layer = 0; layer < stack.layers; ++layer) {
    const std::size_t part = network.add(
        {.name = fmt::format("{}.layers.{}", stack.side, layer),
         .title = fmt::format("layer {}", layer + 1),
         .column = stack.column,
         .width = config.embedDim,
         .parameters = stack.layerParameters,
         .equation = stack.equation,
         .detail = fmt::format("{} heads, inner width {}", config.heads, config.ffnDim)});
    network.link(levels.back(), part);
    network.link(levels.back(), part, Link::kResidual);
    levels.push_back(part);
  }
  return levels;
}

// The table of layer embeddings, which both fusions share: below the first that reads it.
std::size_t addLayerEmbedding(Network& network, const MlrfConfig& config, std::size_t column) {
  const std::int64_t rows = config.layerEmbeddingRows();
  return network.add({.name = "fusion.layer_embedding",
                      .title = "layer embedding",
                      .column = column,
                      .width = config.embedDim,
                      .parameters = rows * config.embedDim,
                      .equation = "z̃^l = z^l + E_l",
                      .detail = fmt::format("{} rows, one per level", rows)});
}

// The stack's output: its fusion, or its top layer. `table`: of layer embeddings, once it is there.
std::size_t addFusion(Network& network, const MlrfConfig& config, const Stack& stack,
                      const std::vector<std::size_t>& levels, std::optional<std::size_t>& table) {
  if (!stack.fusion.on()) return levels.back();
  if (stack.fusion.layerEmbedding && !table)
    table = addLayerEmbedding(network, config, stack.column);
  const std::int64_t count = stack.fusion.levels(stack.layers);
  const std::size_t part =
      network.add({.name = stack.side + ".fusion",
                   .title = "fusion",
                   .column = stack.column,
                   .width = config.embedDim,
                   .parameters = stack.fusionParameters,
                   .equation = fusionEquation(stack.fusion),
                   .detail = stack.fusion.type == FusionType::kSelfAttention
                                 ? fmt::format("{} levels, {} hops", count, stack.fusion.hops)
                                 : fmt::format("{} levels", count)});
  for (std::size_t level = stack.fusion.includeEmbedding ? 0 : 1; level < levels.size(); ++level)
    network.link(levels[level], part, Link::kFusion);
  if (stack.fusion.layerEmbedding) network.link(*table, part, Link::kFusion);
  return part;
}

}  // namespace

Network networkOf(const MlrfConfig& config) {
  const std::int64_t d = config.embedDim;
  const LayerCounts counts = layerCounts(config);
  Network network{.columns = {"encoder", "decoder"}, .parts = {}, .links = {}};
  const TableCounts tables = config.sharing.counts(config.tables());
  const std::string embedding = "x = √d · Emb(word) + PE(position)";
  const std::size_t source =
      network.add({.name = "encoder.embed_tokens",
                   .title = "embedding",
                   .column = 0,
                   .width = d,
                   .parameters = tables.source,
                   .equation = embedding,
                   .detail = fmt::format("{} words", config.sourceVocabulary)});
  const Stack encoder{"encoder",
                      0,
                      config.encoderLayers,
                      config.encoderFusion,
                      counts.encoderFusion,
                      counts.encoderLayer,
                      "x ← LN(x + SelfAtt(x)),  x ← LN(x + W_2 ReLU(W_1 x + b_1) + b_2)"};
  const auto encoded = addLayers(network, config, encoder, source);
  std::optional<std::size_t> table;
  const std::size_t memory = addFusion(network, config, encoder, encoded, table);
  const std::size_t target =
      network.add({.name = "decoder.embed_tokens",
                   .title = "embedding",
                   .column = 1,
                   .width = d,
                   .parameters = tables.target,
                   .equation = embedding,
                   .detail = fmt::format("{} words", config.targetVocabulary)});
  if (config.sharing.all) network.link(source, target, Link::kShared);
  const Stack decoder{"decoder",
                      1,
                      config.decoderLayers,
                      config.decoderFusion,
                      counts.decoderFusion,
                      counts.decoderLayer,
                      "x ← LN(x + CausalSelfAtt(x)),  x ← LN(x + Att(x, memory)),  "
                      "x ← LN(x + W_2 ReLU(W_1 x + b_1) + b_2)"};
  const auto decoded = addLayers(network, config, decoder, target);
  for (std::size_t layer = 1; layer < decoded.size(); ++layer)
    network.link(memory, decoded[layer], Link::kAttention);
  const std::size_t top = addFusion(network, config, decoder, decoded, table);
  const std::size_t output =
      network.add({.name = "decoder.output_projection",
                   .title = "output",
                   .column = 1,
                   .width = config.targetVocabulary,
                   .parameters = tables.output + (config.outputBias ? config.targetVocabulary : 0),
                   .equation = config.outputBias ? "logits = W_o x + b_o" : "logits = W_o x",
                   .detail = fmt::format("{} words", config.targetVocabulary)});
  network.link(top, output);
  if (config.sharing.tiesOutput()) network.link(target, output, Link::kShared);
  return network;
}

}  // namespace strata::mlrf
