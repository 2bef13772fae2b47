#include "core/papers/paper_figure.h"

#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "core/papers/paper_fields.h"

namespace strata {
namespace {

using Kind = PaperFigure::Kind;
// In the order of the enumeration.
const std::vector<std::string> kKinds{"curves",       "points",       "lengths", "gradients",
                                      "structure",    "properties",   "hop-map", "hop-classes",
                                      "history-arcs", "source-shares"};

Kind readKind(StrictMap& map) {
  if (!map.has("kind")) map.refuse("kind", "is missing");
  return static_cast<Kind>(std::ranges::find(kKinds, map.choice("kind", kKinds)) - kKinds.begin());
}

PaperPanel readPanel(StrictMap map) {
  PaperPanel panel;
  panel.key = map.text("key");
  panel.title = map.text("title", panel.key);
  panel.yTitle = map.text("y", "");
  panel.dataset = map.text("dataset");
  panel.set = map.text("set", "");
  panel.measure =
      map.choice("measure", {"score", "parameters", "tokens_per_second", "words_per_second"});
  panel.modules = map.text("modules", "");
  if (map.has("vocabulary")) panel.vocabulary = readVocabulary(map);
  map.done();
  return panel;
}

PaperCount readCount(StrictMap map) {
  PaperCount count{.title = map.text("title"),
                   .parameters = map.text("parameters", ""),
                   .into = map.text("into", ""),
                   .from = map.text("from", ""),
                   .setting = map.text("setting", ""),
                   .where = map.text("where", ""),
                   .is = map.text("is", "")};
  const int ways =
      int{!count.parameters.empty()} + int{!count.into.empty()} + int{!count.setting.empty()};
  if (ways != 1) map.refuse("parameters", "or 'into' or 'setting': give exactly one");
  map.done();
  return count;
}

PaperPoint readPoint(StrictMap& map, const PaperFigure& figure, const std::string& series) {
  PaperPoint point;
  point.source.name = series;
  readSource(map, point.source);
  if (!point.source.runs()) map.refuse("quoted", "is for tables only: give 'preset' or 'derived'");
  std::vector<std::string> panels;
  for (const PaperPanel& panel : figure.panels) panels.push_back(panel.key);
  point.printed = readPrinted(map, panels, "panel");
  if (figure.kind == Kind::kProperties) point.source.facts = readFacts(map);
  return point;
}

PaperSeries readSeries(StrictMap map, const PaperFigure& figure) {
  PaperSeries series;
  series.name = map.text("name");
  map.rename(fmt::format("figure '{}', series '{}'", figure.id, series.name));
  series.scalar = map.text("scalar", "");
  series.dashed = map.flag("dashed");
  series.level = map.flag("level");
  if (map.has("points")) {
    for (StrictMap& item : map.maps("points", "point")) {
      PaperPoint point = readPoint(item, figure, series.name);
      point.x = item.number("x", figure.xParameters ? std::optional(0.0) : std::nullopt);
      item.done();
      series.points.push_back(std::move(point));
    }
  } else {
    series.points.push_back(readPoint(map, figure, series.name));
  }
  if (figure.kind == Kind::kCurves && series.scalar.empty())
    map.refuse("scalar", "is missing: name the scalar to draw");
  map.done();
  return series;
}

PaperFigure readFigure(StrictMap map, const std::string& id) {
  PaperFigure figure;
  figure.id = id;
  figure.title = map.text("title");
  figure.kind = readKind(map);
  figure.vocabulary = readVocabulary(map);
  if (auto scorer = map.map("scorer")) figure.scorer = readScorer(*scorer);
  figure.xTitle = map.text("x", "");
  figure.xScalar = map.text("x_scalar", "");
  figure.xParameters = map.flag("x_parameters");
  figure.accuracy = map.flag("accuracy");
  figure.cutAtAnnealing = map.flag("cut_at_annealing");
  figure.markAnnealing = map.flag("mark_annealing");
  figure.edges = map.numbers("edges");
  figure.recording = map.text("recording", "");
  figure.sentences = static_cast<int>(map.integer("sentences", 1));
  if (figure.sentences < 1) map.refuse("sentences", "must be at least 1");
  for (const StrictMap& item : map.maps("panels", "panel"))
    figure.panels.push_back(readPanel(item));
  if (figure.panels.empty() != figure.describesModels())
    map.refuse("panels", figure.describesModels() ? "cannot be given: only the models are shown"
                                                  : "is missing or empty");
  for (const StrictMap& item : map.maps("counted", "count"))
    figure.counted.push_back(readCount(item));
  if (figure.counted.empty() == (figure.kind == Kind::kProperties))
    map.refuse("counted", "is for the kind 'properties', which needs it");
  for (const StrictMap& item : map.maps("series", "series"))
    figure.series.push_back(readSeries(item, figure));
  if (figure.series.empty()) map.refuse("series", "is missing or empty");
  if (figure.kind == Kind::kLengths &&
      (figure.edges.empty() || !std::is_sorted(figure.edges.begin(), figure.edges.end())))
    map.refuse("edges", "must be the ascending upper ends of the bins");
  for (const PaperPanel& panel : figure.panels) {
    if (figure.kind == Kind::kGradients && panel.modules.empty())
      map.refuse("panels." + panel.key,
                 "lacks `modules`: name the layers to draw, as \"decoder.layers.\"");
  }
  if (figure.drawsRecordings() && figure.recording.empty())
    map.refuse("recording", "is missing: name the recording to draw");
  if (figure.drawsRecordings() && figure.panels.front().set.empty())
    map.refuse("panels." + figure.panels.front().key, "lacks `set`: whose sentences are drawn");
  figure.notes = map.texts("notes");
  map.done();
  return figure;
}

}  // namespace

std::string_view nameOf(PaperFigure::Kind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

const VocabularySizes& PaperFigure::vocabularyOf(const PaperPoint& point,
                                                 const PaperPanel& panel) const {
  if (point.source.vocabulary) return *point.source.vocabulary;
  return panel.vocabulary ? *panel.vocabulary : vocabulary;
}

std::vector<std::string> PaperFigure::presets() const {
  std::set<std::string> names;
  for (const PaperSeries& each : series) {
    for (const PaperPoint& point : each.points) names.insert(point.source.preset);
  }
  return {names.begin(), names.end()};
}

bool PaperFigure::isPrinted() const {
  return std::ranges::any_of(series, [](const PaperSeries& each) {
    return std::ranges::any_of(each.points,
                               [](const PaperPoint& point) { return !point.printed.empty(); });
  });
}

std::vector<std::string> PaperFigure::drawnSeries() const {
  std::set<std::string> names;
  if (!xScalar.empty()) names.insert(xScalar);
  for (const PaperSeries& each : series) {
    if (!each.scalar.empty()) names.insert(each.scalar);
  }
  return {names.begin(), names.end()};
}

std::vector<PaperFigure> parsePaperFigures(std::string_view yaml, std::string_view source) {
  return readItems<PaperFigure>(yaml, source, "figure", readFigure);
}

}  // namespace strata
