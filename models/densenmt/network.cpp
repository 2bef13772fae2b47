#include <fmt/format.h>

#include <algorithm>

#include "models/densenmt/config.h"

namespace strata::densenmt {
namespace {

using Link = Network::LinkKind;

struct Side {
  std::string name;
  std::size_t column;
  const StackPlan& plan;
  bool decodes;
};

std::string equationOf(const LayerPlan& layer, bool decodes) {
  const std::string made =
      decodes ? "c = GLU(Conv(Y)),  a = Attention(c),  " : "n = GLU(Conv(X)),  ";
  const std::string state = decodes ? "Y" : "X", added = decodes ? "√½·(a + c)" : "n";
  switch (layer.kind) {
    case LayerPlan::Kind::kDense:
      return made + (decodes ? "Y ← [Y ; a ; c]" : "X ← [n ; X]");
    case LayerPlan::Kind::kSummary:
      return made + state + " ← √½·(" + added + " + Linear(" + state + "))";
    case LayerPlan::Kind::kResidual:
      return made + state + " ← √½·(" + added + " + " +
             (layer.projectsSkip ? "Linear(" + state + "))" : state + ")");
  }
  return "";
}

std::size_t addEmbedding(Network& network, const DenseConfig& config, const Side& side,
                         std::int64_t words, std::int64_t table) {
  const bool narrow = config.tokenEmbedDim != config.embedDim;
  return network.add(
      {.name = side.name + ".embed_tokens",
       .title = "embedding",
       .column = side.column,
       .width = side.plan.inputWidth,
       .parameters = table + inputParameters(config, side.plan),
       .equation =
           fmt::format("emb = {},  {} = {}",
                       narrow ? "Lin_T(T(word)) + Lin_P(P(position))" : "T(word) + P(position)",
                       side.decodes ? "Y" : "X", side.plan.projectsInput ? "Linear(emb)" : "emb"),
       .detail = fmt::format("{} words, {} positions", words, config.positionRows)});
}

// The parts that a layer can read: those since the last summary, oldest first.
struct State {
  std::vector<std::size_t> parts;
};

std::size_t addLayer(Network& network, const DenseConfig& config, const Side& side, std::size_t i,
                     State& state) {
  const LayerPlan& layer = side.plan.layers[i];
  if (layer.summarisedWidth > 0) {
    const std::size_t summary =
        network.add({.name = fmt::format("{}.layers.{}.summary_proj", side.name, i),
                     .title = "summary",
                     .column = side.column,
                     .width = layer.inputWidth,
                     .parameters = summaryParameters(layer),
                     .equation = side.decodes ? "Y ← Linear(Y)" : "X ← Linear(X)",
                     .detail = fmt::format("reads {}", layer.summarisedWidth)});
    for (const std::size_t part : state.parts) network.link(part, summary, Link::kSummary);
    state.parts = {summary};
  }
  const bool summarises = layer.kind == LayerPlan::Kind::kSummary;
  const bool dense = layer.kind == LayerPlan::Kind::kDense;
  const std::size_t made =
      network.add({.name = fmt::format("{}.layers.{}", side.name, i),
                   .title = fmt::format("{} {}", summarises ? "summary" : "layer", i + 1),
                   .column = side.column,
                   .width = layer.width,
                   .parameters = layerParameters(layer) +
                                 (side.decodes ? attentionParameters(config, layer) : 0),
                   .equation = equationOf(layer, side.decodes),
                   .detail = fmt::format("kernel {}, reads {}", layer.kernel, layer.inputWidth)});
  for (const std::size_t part : state.parts) {
    const bool next = part == state.parts.back();
    network.link(part, made,
                 summarises       ? Link::kSummary
                 : dense && !next ? Link::kDense
                                  : Link::kPlain);
  }
  if (!dense) network.link(state.parts.back(), made, Link::kResidual);
  if (!dense) state.parts.clear();
  state.parts.push_back(made);
  return made;
}

std::string equationOfValues(const DenseConfig& config) {
  switch (config.attentionValues) {
    case AttentionValues::kKeyAndWord:
      return "C_j = √½·(A_j + emb)";
    case AttentionValues::kKeyAndBase:
      return "C_j = A_j + Linear(h0)";
    case AttentionValues::kOwn:
      return addsBase(config) ? "C_j = Linear(part_j) + Linear(h0)" : "C_j = Linear([part_j ; h0])";
  }
  return "";
}

// The projections of what the decoder attends to, keys and values: one part for all. `read`: the
// parts of the final state, oldest first.
std::size_t addKeys(Network& network, const DenseConfig& config, std::vector<std::size_t> read) {
  const auto widths = attendedWidths(config);
  const std::size_t base = 0;  // the source's embedding is the network's first part
  if (config.denseAttention == 2) read.erase(read.begin(), read.end() - std::ssize(widths));
  const bool readsBase = config.attentionValues != AttentionValues::kKeyAndWord;
  if (readsBase && std::ranges::find(read, base) == read.end()) read.insert(read.begin(), base);
  const std::size_t keys =
      network.add({.name = "encoder.key_projs",
                   .title = widths.size() == 1 ? "key" : fmt::format("{} keys", widths.size()),
                   .column = 0,
                   .width = config.embedDim,
                   .parameters = memoryParameters(config),
                   .equation = "A_j = Linear(part_j),  " + equationOfValues(config),
                   .detail = config.denseAttention == 1 ? "one attention, to the final state"
                                                        : "one attention per part"});
  for (const std::size_t part : read) network.link(part, keys, Link::kAttention);
  return keys;
}

}  // namespace

Network networkOf(const DenseConfig& config) {
  Network network{.columns = {"encoder", "decoder"}, .parts = {}, .links = {}};
  const StackPlan encoderStack = encoderPlan(config), decoderStack = decoderPlan(config);
  const TableCounts tables = config.sharing.counts(config.tables());
  const Side encoder{"encoder", 0, encoderStack, false}, decoder{"decoder", 1, decoderStack, true};
  const std::size_t source =
      addEmbedding(network, config, encoder, config.sourceVocabulary, tables.source);
  State encoded{{source}};
  std::vector<std::size_t> layers{source};  // a residual encoder keeps all its states
  for (std::size_t i = 0; i < encoderStack.layers.size(); ++i)
    layers.push_back(addLayer(network, config, encoder, i, encoded));
  const bool all = config.denseAttention == 2 && !config.encoder.dense;
  const std::size_t keys = addKeys(network, config, all ? layers : encoded.parts);
  const std::size_t target =
      addEmbedding(network, config, decoder, config.targetVocabulary, tables.target);
  if (config.sharing.all) network.link(source, target, Link::kShared);
  State decoded{{target}};
  for (std::size_t i = 0; i < decoderStack.layers.size(); ++i)
    network.link(keys, addLayer(network, config, decoder, i, decoded), Link::kAttention);
  const std::size_t narrow =
      network.add({.name = "decoder.bottleneck",
                   .title = "bottleneck",
                   .column = 1,
                   .width = config.outEmbedDim,
                   .parameters = normalised(decoderStack.outputWidth, config.outEmbedDim),
                   .equation = "o = Linear(Y)",
                   .detail = fmt::format("reads {}", decoderStack.outputWidth)});
  for (const std::size_t part : decoded.parts)
    network.link(part, narrow, part == decoded.parts.back() ? Link::kPlain : Link::kDense);
  const std::size_t output =
      network.add({.name = "decoder.output_projection",
                   .title = "output",
                   .column = 1,
                   .width = config.targetVocabulary,
                   .parameters = tables.output +
                                 (config.sharing.tiesOutput() ? 1 : 2) * config.targetVocabulary,
                   .equation = "logits = Linear(o)",
                   .detail = fmt::format("{} words", config.targetVocabulary)});
  network.link(narrow, output);
  if (config.sharing.tiesOutput()) network.link(target, output, Link::kShared);
  return network;
}

}  // namespace strata::densenmt
