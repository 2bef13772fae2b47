#include "app/serve_papers.h"

#include <algorithm>

#include "app/engine/paper_engine.h"
#include "app/serve_params.h"
#include "core/base/error.h"
#include "core/data/dataset.h"
#include "core/papers/catalogue.h"
#include "core/papers/measured_table.h"
#include "core/run/config_check.h"
#include "models/presets.h"

namespace strata {
namespace {

constexpr std::int64_t kSmallestVocabulary = 4, kLargestVocabulary = 100'000'000;

// What stands before the '/' of presets' names, and what a reader calls it.
struct PaperTitle {
  const char* name;
  const char* title;
};
constexpr PaperTitle kPapers[] = {
    {"densenmt", "DenseNMT: Shen et al., NAACL 2018"},
    {"deepatt", "Deep-Att, Deep-ED: Zhou et al., TACL 2016"},
    {"dhea", "Decoding-history attention: Wang et al., COLING 2018"},
    {"mlrf", "Multi-layer representation fusion: Wang et al., COLING 2018"},
    {"baseline", "Baselines"},
    {"demo", "Demo"},
};

std::string paperOf(const std::string& preset) {
  return preset.substr(0, preset.find('/'));
}

std::optional<VocabularySizes> askedSizes(ServeParams& params,
                                          const std::filesystem::path& workspace) {
  if (params.has("dataset") && params.has("vocabulary"))
    params.refuse("give either 'dataset' or 'vocabulary'");
  if (params.has("dataset")) {
    return sizesOf(Dataset::open(workspace / "datasets", params.text("dataset")));
  }
  if (!params.has("vocabulary")) return {};
  const auto sizes = params.integers("vocabulary", 2, kSmallestVocabulary, kLargestVocabulary);
  return VocabularySizes{sizes[0], sizes[1]};
}

Json toJson(const VocabularySizes& sizes) {
  return {sizes.source, sizes.target};
}

// The papers that have presets, those without a title of their own last.
Json paperList() {
  Json papers = Json::array();
  std::vector<std::string> names;
  for (const PaperTitle& paper : kPapers) names.emplace_back(paper.name);
  for (const Preset& preset : presets()) {
    if (std::find(names.begin(), names.end(), paperOf(preset.name)) == names.end())
      names.push_back(paperOf(preset.name));
  }
  for (const std::string& name : names) {
    const auto* known = std::find_if(std::begin(kPapers), std::end(kPapers),
                                     [&](const PaperTitle& paper) { return name == paper.name; });
    papers.push_back({{"name", name}, {"title", known == std::end(kPapers) ? name : known->title}});
  }
  return papers;
}

// Models of the presets, resolved once: counting for other sizes then takes no time. Serves one
// thread.
class PresetModels {
 public:
  const Json& modelOf(const std::string& preset) {
    const auto [at, fresh] = models_.try_emplace(preset);
    if (fresh) at->second = resolveConfig({.preset = preset}, builtInSources()).at("model");
    return at->second;
  }

 private:
  std::map<std::string, Json> models_;
};

void count(PresetModels& models, const std::string& preset, const VocabularySizes& sizes,
           Json& entry) {
  try {
    const Json config = modelConfig(models.modelOf(preset), sizes.source, sizes.target);
    entry["parameters"] = parameterCountOf(config);
  } catch (const Error& error) {  // one table for both sides, for example
    entry["problem"] = error.what();
  }
}

Json presetList(PresetModels& models, const std::filesystem::path& workspace, const Json& params) {
  ServeParams reader("presets", params);
  const auto sizes = askedSizes(reader, workspace);
  reader.done();
  Json list = Json::array();
  for (const Preset& preset : presets()) {
    Json entry{{"name", preset.name},
               {"paper", paperOf(preset.name)},
               {"description", preset.description}};
    if (sizes) count(models, preset.name, *sizes, entry);
    list.push_back(std::move(entry));
  }
  Json result{{"papers", paperList()}, {"presets", std::move(list)}};
  if (sizes) result["vocabulary"] = toJson(*sizes);
  return result;
}

MeasuredRow countedRow(const PaperTable& table, const PaperRow& row,
                       const std::optional<VocabularySizes>& sizes) {
  MeasuredRow counted;
  counted.cells.resize(table.columns.size());
  if (!row.runs()) return counted;
  counted.preset = row.preset;
  const RowParameters parameters =
      parametersOf(presetsOnly(), table,
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
  if (row.runs()) parameters = parametersOf(presetsOnly(), row.preset, row.overrides, sizes);
  Json json{{"row", row.name}, {"printed", point.printed}};
  json["preset"] = row.runs() ? Json(row.preset) : Json(nullptr);
  json["parameters"] = nullptr;
  if (parameters) json["parameters"] = *parameters;
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

Json tablesMethod(const std::filesystem::path& workspace, const Json& params) {
  ServeParams reader("tables", params);
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
  auto models = std::make_shared<PresetModels>();
  return {
      {"presets",
       {.run = [models, workspace](const Json& params,
                                   const auto&) { return presetList(*models, workspace, params); },
        .light = true}},
      {"tables",
       {.run = [workspace](const Json& params,
                           const auto&) { return tablesMethod(workspace, params); },
        .light = true}},
  };
}

}  // namespace strata
