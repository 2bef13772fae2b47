#include "app/server/paper_methods.h"

#include <algorithm>
#include <functional>

#include "app/engine/paper_engine.h"
#include "core/base/error.h"
#include "core/base/key_path.h"
#include "core/data/dataset.h"
#include "core/papers/catalogue.h"
#include "core/papers/measured_table.h"
#include "core/run/request_params.h"
#include "core/run/serve_protocol.h"
#include "models/presets.h"

namespace strata {
namespace {

constexpr std::int64_t kSmallestVocabulary = 4, kLargestVocabulary = 100'000'000;

const PaperEngine& engineOfPresets() {
  static const PaperEngine engine = presetsOnly();
  return engine;
}

std::string paperOf(const std::string& preset) {
  return preset.substr(0, preset.find('/'));
}

std::optional<VocabularySizes> askedSizes(RequestParams& params,
                                          const std::filesystem::path& workspace) {
  if (params.has("dataset") && params.has("vocabulary"))
    params.refuse("give either 'dataset' or 'vocabulary'");
  if (params.has("dataset")) {
    return sizesOf(Dataset::open(workspace / "datasets", params.text("dataset")));
  }
  if (!params.has("vocabulary")) return {};
  const auto sizes = params.integers("vocabulary", {kSmallestVocabulary, kLargestVocabulary});
  if (sizes.size() != 2) params.refuse("vocabulary", "must be two sizes: [source, target]");
  return VocabularySizes{sizes[0], sizes[1]};
}

Json toJson(const VocabularySizes& sizes) {
  return {sizes.source, sizes.target};
}

// Papers without a title come last, under their name.
std::vector<serve::PresetsReply::Paper> paperList() {
  std::vector<serve::PresetsReply::Paper> papers;
  for (const PresetGroup& group : presetGroups()) papers.push_back({group.name, group.title});
  for (const Preset& preset : presets()) {
    const std::string name = paperOf(preset.name);
    if (std::ranges::find(papers, name, &serve::PresetsReply::Paper::name) == papers.end())
      papers.push_back({name, name});
  }
  return papers;
}

// Model sections of the presets by name, resolved once, so that counting parameters for other sizes
// is fast.
using PresetModels = std::map<std::string, Json>;

void count(PresetModels& models, const VocabularySizes& sizes,
           serve::PresetsReply::Preset& preset) {
  try {
    const auto [at, fresh] = models.try_emplace(preset.name);
    if (fresh) at->second = resolveConfig({.preset = preset.name}, builtInSources()).at("model");
    preset.parameters = parameterCountOf(modelConfig(at->second, sizes.source, sizes.target));
  } catch (const Error& error) {  // for example shared embeddings need equal sizes
    preset.problem = error.what();
  }
}

Json presetsMethod(const std::shared_ptr<PresetModels>& models,
                   const std::filesystem::path& workspace, const Json& params,
                   const std::stop_token&) {
  RequestParams reader("presets", params);
  const auto sizes = askedSizes(reader, workspace);
  reader.done();
  serve::PresetsReply reply{.papers = paperList(), .presets = {}, .vocabulary = {}};
  for (const Preset& preset : presets()) {
    auto& entry = reply.presets.emplace_back();
    entry.name = preset.name;
    entry.paper = paperOf(preset.name);
    entry.description = preset.description;
    if (sizes) count(*models, *sizes, entry);
  }
  if (sizes) reply.vocabulary = {sizes->source, sizes->target};
  return reply.json();
}

MeasuredRow countedRow(const MeasuredTable& counted, const PaperRow& row,
                       const std::optional<VocabularySizes>& sizes) {
  const PaperTable& table = counted.table;
  MeasuredRow shown;
  shown.cells.resize(table.columns.size());
  if (!row.runs()) return shown;
  shown.preset = row.preset;
  shown.setParameters(
      parametersOf(engineOfPresets(), table,
                   {.overrides = row.overrides,
                    .preset = [&](const std::string& suffix) { return row.preset + suffix; },
                    .sizes =
                        [&](const PaperColumn& column) {
                          return sizes ? *sizes : table.vocabularyOf(&row, column);
                        }}),
      counted.vocabulary);
  return shown;
}

Json toJson(const PaperTable& table, const std::optional<VocabularySizes>& sizes) {
  MeasuredTable counted{.table = table};
  counted.countFor([&](const PaperColumn& column) {
    return sizes ? *sizes : table.vocabularyOf(nullptr, column);
  });
  for (const PaperRow& row : table.rows) counted.rows.push_back(countedRow(counted, row, sizes));
  Json json = toJson(counted);
  for (const char* measured : {"datasets", "seeds"}) json.erase(measured);
  for (Json& row : json["rows"]) {
    for (const char* measured : {"measured", "status", "cells"}) row.erase(measured);
  }
  return json;
}

// Counted for the first panel; by key, too, for panels whose vocabularies differ from it.
Json toJson(const PaperFigure& figure, const PaperPoint& point,
            const std::optional<VocabularySizes>& sizes) {
  const PaperRow& row = point.source;
  const auto countedFor = [&](const VocabularySizes& declared) {
    return parametersOf(engineOfPresets(), row.preset, row.overrides, sizes.value_or(declared));
  };
  const VocabularySizes first = figure.panels.empty()
                                    ? row.vocabulary.value_or(figure.vocabulary)
                                    : figure.vocabularyOf(point, figure.panels.front());
  const auto parameters = countedFor(first);
  Json json{{"row", row.name}, {"preset", row.preset}, {"parameters", orNull(parameters)}};
  for (const char* part : {"printed", "printed_text"}) json[part] = Json::object();
  for (const auto& [panel, printed] : point.printed) {
    json["printed"][panel] = printed.value;
    json["printed_text"][panel] = printed.text;
  }
  for (const PaperPanel& panel : figure.panels) {
    const VocabularySizes own = figure.vocabularyOf(point, panel);
    if (!sizes && own != first) json["panel_parameters"][panel.key] = orNull(countedFor(own));
  }
  for (const auto& [name, fact] : row.facts) json["facts"][name] = fact;
  if (figure.kind != PaperFigure::Kind::kPoints) return json;  // x is measured, or a place
  json["x"] = figure.xParameters && parameters ? static_cast<double>(*parameters) / 1e6 : point.x;
  return json;
}

Json toJson(const PaperFigure& figure, const std::optional<VocabularySizes>& sizes) {
  Json panels = Json::array(), series = Json::array();
  for (const PaperPanel& panel : figure.panels) {
    panels.push_back({{"key", panel.key},
                      {"title", panel.title},
                      {"y", panel.yTitle},
                      {"dataset", panel.dataset},
                      {"set", panel.set},
                      {"modules", panel.modules},
                      {"measure", panel.measure}});
    if (!sizes && panel.vocabulary) panels.back()["vocabulary"] = toJson(*panel.vocabulary);
  }
  for (const PaperSeries& each : figure.series) {
    Json points = Json::array();
    for (const PaperPoint& point : each.points) points.push_back(toJson(figure, point, sizes));
    series.push_back({{"name", each.name},
                      {"scalar", each.scalar},
                      {"dashed", each.dashed},
                      {"level", each.level},
                      {"points", std::move(points)}});
  }
  return {{"figure", figure.id},
          {"title", figure.title},
          {"kind", nameOf(figure.kind)},
          {"x", figure.xTitle},
          {"scorer", figure.scorer.text()},
          {"vocabulary", toJson(sizes.value_or(figure.vocabulary))},
          {"panels", std::move(panels)},
          {"series", std::move(series)},
          {"notes", figure.notes}};
}

Json tablesMethod(const std::filesystem::path& workspace, const Json& params,
                  const std::stop_token&) {
  RequestParams reader("tables", params);
  if (!reader.has("id")) {
    reader.done();
    return paperIndex();
  }
  const std::string id = reader.text("id");
  const auto sizes = askedSizes(reader, workspace);
  reader.done();
  if (const PaperTable* table = findPaperTable(id)) return toJson(*table, sizes);
  if (const PaperFigure* figure = findPaperFigure(id)) return toJson(*figure, sizes);
  throw usageError("there is no table or figure '{}'; the nearest is '{}'", id,
                   nearestOf(id, paperIds()));
}

}  // namespace

std::map<std::string, ServeMethod> paperMethods(const std::filesystem::path& workspace) {
  const auto models = std::make_shared<PresetModels>();
  return {{"presets", {.run = std::bind_front(presetsMethod, models, workspace), .light = true}},
          {"tables", {.run = std::bind_front(tablesMethod, workspace), .light = true}}};
}

}  // namespace strata
