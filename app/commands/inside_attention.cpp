#include "app/commands/inside_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "app/commands/listing.h"
#include "core/base/error.h"
#include "core/report/table.h"

namespace strata {
namespace {

constexpr NumberStyle kWeightStyle{.digits = 3};

// All attentions of a sentence; before each layer's its mean, before each kind's the mean of all.
std::vector<AttentionChoice> choicesOf(const std::vector<AttentionLayer>& layers) {
  std::vector<AttentionChoice> choices;
  for (const AttentionLayer& layer : layers) {
    if (choices.empty() || choices.back().kind != layer.kind) choices.push_back({layer.kind});
    choices.push_back({layer.kind, layer.layer});
    for (int unit = 0; layer.units > 1 && unit < layer.units; ++unit)
      choices.push_back({layer.kind, layer.layer, unit});
  }
  return choices;
}

// The layers of the first sentence that has any: a model has the same for all.
std::vector<AttentionLayer> layersOf(const RecordedStep& step) {
  for (const SentenceRecordings& sentence : step.sentences) {
    auto layers = attentionLayers(sentence);
    if (!layers.empty()) return layers;
  }
  return {};
}

Json numberOrMean(int number) {
  return number < 0 ? Json() : Json(number + 1);
}

Json placeOf(const AttentionChoice& choice) {
  return {{"kind", nameOf(choice.kind)},
          {"layer", numberOrMean(choice.layer)},
          {"unit", numberOrMean(choice.unit)}};
}

Json rowsOf(const Grid& grid) {
  Json rows = Json::array();
  for (int row = 0; row < grid.rows; ++row) {
    Json& values = rows.emplace_back(Json::array());
    for (int column = 0; column < grid.columns; ++column)
      values.push_back(finiteOrNull(static_cast<double>(grid.at(row, column))));
  }
  return rows;
}

// "source, layer 1, unit 2"; without a layer, or unit, the mean over all.
std::string titleOf(const Json& attention) {
  std::string title = attention.at("kind").get<std::string>();
  if (attention.at("layer").is_null()) return title + ", mean";
  for (const char* key : {"layer", "unit"}) {
    if (const Json& number = attention.at(key); !number.is_null())
      title += fmt::format(", {} {}", key, number.dump());
  }
  return title;
}

Cell valueOf(const Json& value) {
  return value.is_number() ? Cell::number(value.get<double>(), kWeightStyle)
                           : Cell(std::string(kNoValue));
}

const SentenceRecordings& recordedSentence(const RecordedStep& step, int number) {
  if (number < 1 || number > std::ssize(step.sentences))
    throw usageError("there is no recorded sentence {}: choose one from 1 to {}", number,
                     step.sentences.size());
  return step.sentences[static_cast<std::size_t>(number) - 1];
}

const SentenceRecordings* counterpart(const SentenceRecordings& sentence,
                                      const SentenceMapsOptions& options) {
  if (options.other == nullptr) return nullptr;
  const SentenceRecordings* found = sameSentence(sentence, options.other->sentences);
  if (found == nullptr)
    throw Error("the other run has not recorded this sentence, so there is no difference");
  return found;
}

}  // namespace

Json attentionsOf(const RecordedStep& step) {
  const auto layers = layersOf(step);
  if (layers.empty()) return nullptr;
  Json all = Json::array();
  for (const AttentionChoice& choice : choicesOf(layers)) {
    const AttentionFigures figures = attentionFigures(step, choice);
    Json& made = all.emplace_back(placeOf(choice));
    made["words"] = figures.largest.count;
    made["evenness"] = finiteOrNull(figures.evenness.mean());
    made["largest"] = finiteOrNull(figures.largest.mean());
    if (figures.alignedSentences == 0) continue;
    made["alignment"] = {{"aer", aer(figures.alignment)},
                         {"precision", precision(figures.alignment)},
                         {"recall", recall(figures.alignment)},
                         {"links", figures.alignment.links},
                         {"sentences", figures.alignedSentences}};
  }
  return all;
}

void printAttentions(const Json& attentions) {
  Table table{.caption = "Attention (means over words)", .columns = {{"who reads what"}}};
  for (const char* title : {"evenness (1: uniform)", "largest weight", "AER"})
    table.addColumn(title);
  for (const Json& attention : attentions) {
    const Json alignment = attention.value("alignment", Json::object());
    table.rows.push_back({titleOf(attention), valueOf(attention.at("evenness")),
                          valueOf(attention.at("largest")),
                          valueOf(alignment.value("aer", Json()))});
  }
  fmt::print("{}\n", textTable(table));
}

Json sentenceMaps(const RecordedStep& step, const SentenceMapsOptions& options) {
  const SentenceRecordings& sentence = recordedSentence(step, options.sentence);
  const SentenceRecordings* other = counterpart(sentence, options);
  const TextLevel level =
      options.words || other != nullptr ? TextLevel::kWords : TextLevel::kTokens;
  Json maps = Json::array();
  for (const AttentionChoice& choice : choicesOf(attentionLayers(sentence))) {
    const AttentionMap map = attentionMap(sentence, choice, level);
    Json& made = maps.emplace_back(placeOf(choice));
    made["rows"] = map.rows;
    made["columns"] = map.columns;
    made["weights"] = rowsOf(map.weights);
    if (other == nullptr) continue;
    const AttentionMap theirs = attentionMap(*other, choice, level);
    made["difference"] =
        theirs.isEmpty() ? Json() : rowsOf(attentionDifference(map, theirs).weights);
  }
  return {{"source", sentence.source}, {"target", sentence.target}, {"maps", std::move(maps)}};
}

void printSentenceMaps(const Json& sentence) {
  for (const Json& map : sentence.at("maps")) {
    if (!map.at("layer").is_null()) continue;
    const bool difference = map.contains("difference");
    const Json& values = map.at(difference ? "difference" : "weights");
    Table table{.caption = fmt::format("{}, {}, mean of all layers",
                                       difference ? "Difference of the attention" : "Attention",
                                       map.at("kind").get<std::string>()),
                .columns = {{"row reads"}}};
    for (const Json& column : map.at("columns")) table.addColumn(column.get<std::string>());
    for (std::size_t row = 0; row < values.size(); ++row) {
      auto& cells = table.rows.emplace_back();
      cells.emplace_back(map.at("rows")[row].get<std::string>());
      for (const Json& value : values[row]) cells.push_back(valueOf(value));
    }
    fmt::print("{}\n", textTable(table));
  }
}

}  // namespace strata
