#include "core/papers/figure_structure.h"

#include <algorithm>
#include <map>

#include "core/base/key_path.h"

namespace strata {
namespace {

// A series' model: its settings, and what they make.
struct Described {
  Json model;
  NamedNetwork drawn;
};

std::optional<Described> describe(const PaperFigure& figure, const PaperSeries& series,
                                  const PaperPlanner& planner,
                                  const std::optional<VocabularySizes>& vocabulary) {
  const PaperRow& source = series.points.front().source;
  const std::string preset = planner.presetOf(source.preset, "");
  if (!planner.engine().isPreset(preset)) return {};
  std::vector<std::string> overrides = source.overrides;
  const auto& custom = planner.options().overrides;
  overrides.insert(overrides.end(), custom.begin(), custom.end());
  const Json config =
      resolveConfig({.preset = preset, .overrides = overrides}, planner.engine().sources);
  const VocabularySizes sizes = vocabulary.value_or(source.vocabulary.value_or(figure.vocabulary));
  return Described{config.at("model"),
                   {.name = series.name,
                    .preset = preset,
                    .vocabulary = sizes,
                    .network = planner.engine().network(config.at("model"), sizes)}};
}

// "embedding; dense: layer 1, layer 2": the parts that a part reads, by kind of connection.
std::string readsOf(const Network& network, std::size_t part) {
  std::map<Network::LinkKind, std::vector<std::string>> sources;
  for (const Network::Link& link : network.links) {
    if (link.to != part) continue;
    const Network::Part& from = network.parts[link.from];
    const bool here = from.column == network.parts[part].column;
    sources[link.kind].push_back(here ? from.title
                                      : network.columns[from.column] + " " + from.title);
  }
  std::string text;
  for (const auto& [kind, titles] : sources) {
    if (!text.empty()) text += "; ";
    if (kind != Network::LinkKind::kPlain) text += fmt::format("{}: ", nameOf(kind));
    text += fmt::format("{}", fmt::join(titles, ", "));
  }
  return text;
}

void addParts(const NamedNetwork& named, Table& table) {
  const Network& network = named.network;
  for (std::size_t i = 0; i < network.parts.size(); ++i) {
    const Network::Part& part = network.parts[i];
    table.beginRow("model", named.name);
    table.addText("column", network.columns[part.column]);
    table.addText("part", part.title);
    table.addText("reads", readsOf(network, i));
    table.addNumber("width", Cell::count(part.width));
    table.addNumber("parameters", Cell::count(part.parameters));
    table.addText("equation", part.equation);
  }
}

Cell countIn(const Described& model, const PaperCount& count) {
  const Network& network = model.drawn.network;
  if (!count.setting.empty()) {
    const Json* value = findAt(model.model, count.setting);
    const Json* used = count.where.empty() ? nullptr : findAt(model.model, count.where);
    if (!count.where.empty() && (used == nullptr || *used != Json(count.is)))
      return std::string(kNoValue);
    return value == nullptr || !value->is_number() ? Cell(std::string(kNoValue))
                                                   : Cell::count(value->get<std::int64_t>());
  }
  std::int64_t found = 0;
  if (!count.parameters.empty()) {
    for (const Network::Part& part : network.parts)
      found += part.name == count.parameters ? part.parameters : 0;
    return Cell::count(found);
  }
  for (const Network::Link& link : network.links) {
    const bool counts = network.parts[link.to].name == count.into &&
                        network.parts[link.from].name.starts_with(count.from);
    found += counts ? 1 : 0;
  }
  return Cell::count(found);
}

void addProperties(const PaperFigure& figure, const PaperSeries& series, const Described& model,
                   Table& table) {
  table.beginRow("system", series.name);
  table.addText("preset", model.drawn.preset);
  for (const auto& [name, text] : series.points.front().source.facts) table.addText(name, text);
  for (const PaperCount& count : figure.counted)
    table.addNumber(count.title, countIn(model, count));
}

}  // namespace

void describeModels(const PaperFigure& figure, const PaperPlanner& planner,
                    const std::optional<VocabularySizes>& vocabulary, FigureData& data) {
  Table table{.caption = figure.id + ": " + figure.title};
  for (const PaperSeries& series : figure.series) {
    auto model = describe(figure, series, planner, vocabulary);
    if (!model) {
      data.missing.push_back(
          fmt::format("no preset '{}'", planner.presetOf(series.points.front().source.preset, "")));
      continue;
    }
    if (figure.kind == PaperFigure::Kind::kProperties) {
      addProperties(figure, series, *model, table);
    } else {
      addParts(model->drawn, table);
      data.networks.push_back(std::move(model->drawn));
    }
  }
  if (!table.rows.empty()) data.table = std::move(table);
}

}  // namespace strata
