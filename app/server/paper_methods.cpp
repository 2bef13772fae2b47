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

MeasuredRow countedRow(const PaperTable& table, const PaperRow& row,
                       const std::optional<VocabularySizes>& sizes) {
  MeasuredRow counted;
  counted.cells.resize(table.columns.size());
  if (!row.runs()) return counted;
  counted.preset = row.preset;
  const RowParameters parameters =
      parametersOf(engineOfPresets(), table,
                   {.overrides = row.overrides,
                    .preset = [&](const std::string& suffix) { return row.preset + suffix; },
                    .sizes =
                        [&](const PaperColumn& column) {
                          return sizes ? *sizes : column.vocabulary.value_or(table.vocabulary);
                        }});
  counted.parameters = parameters.row;
  counted.columnParameters = parameters.columns;
  return counted;
}

Json toJson(const PaperTable& table, const std::optional<VocabularySizes>& sizes) {
  MeasuredTable counted{.table = table, .vocabulary = sizes.value_or(table.vocabulary)};
  for (const PaperRow& row : table.rows) counted.rows.push_back(countedRow(table, row, sizes));
  Json json = toJson(counted);
  for (const char* measured : {"datasets", "seeds"}) json.erase(measured);
  for (Json& row : json["rows"]) {
    for (const char* measured : {"measured", "status", "cells"}) row.erase(measured);
  }
  return json;
}

Json toJson(const PaperFigure& figure, const PaperPoint& point, const VocabularySizes& sizes) {
  const PaperRow& row = point.source;
  std::optional<std::int64_t> parameters;
  if (row.runs()) parameters = parametersOf(engineOfPresets(), row.preset, row.overrides, sizes);
  Json json{{"row", row.name},
            {"printed", point.printed},
            {"preset", row.runs() ? Json(row.preset) : Json(nullptr)},
            {"parameters", orNull(parameters)}};
  if (figure.kind != PaperFigure::Kind::kPoints) return json;  // x is measured, or a place
  json["x"] = figure.xParameters && parameters ? static_cast<double>(*parameters) / 1e6 : point.x;
  return json;
}

Json toJson(const PaperFigure& figure, const VocabularySizes& sizes) {
  Json panels = Json::array(), series = Json::array();
  for (const PaperPanel& panel : figure.panels) {
    panels.push_back({{"key", panel.key},
                      {"title", panel.title},
                      {"y", panel.yTitle},
                      {"dataset", panel.dataset},
                      {"set", panel.set},
                      {"modules", panel.modules},
                      {"measure", panel.measure}});
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
          {"vocabulary", toJson(sizes)},
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
  if (const PaperFigure* figure = findPaperFigure(id))
    return toJson(*figure, sizes.value_or(figure->vocabulary));
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
