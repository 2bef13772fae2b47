#include "app/demo_inside.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/inside/hop_weights.h"
#include "core/inside/readers.h"
#include "core/papers/figure_measure.h"
#include "core/report/svg_charts.h"
#include "core/run/recording.h"

namespace strata {
namespace {

struct Shown {
  const char* heading;
  std::string see;      // in one sentence
  const char* panel;    // that shows it live
  std::string command;  // arguments of strata-run
};

void add(HtmlPage& page, const Shown& shown, const Picture& picture) {
  page.heading(shown.heading);
  page.paragraph(shown.see);
  page.picture(picture);
  page.paragraph(fmt::format("Live: panel {}, or", shown.panel));
  page.code("strata-run " + shown.command);
}

HeatMapChart chartOf(const HopMeans& means) {
  HeatMapChart chart{.title = "Mean weight of each level",
                     .xTitle = "level",
                     .yTitle = "hop",
                     .columns = levelNames(means.levels, means.firstLevel)};
  for (int hop = 0; hop < means.hops; ++hop) {
    chart.rows.push_back(fmt::format("hop {}", hop + 1));
    for (int level = 0; level < means.levels; ++level)
      chart.values.push_back(means.value(level, hop));
  }
  return chart;
}

void addHops(HtmlPage& page, Workspace& workspace, const std::string& run) {
  auto rows = listRecordingRows(workspace, findRun(workspace, run).id);
  std::erase_if(rows, [](const StoredRecording& row) { return !row.present; });
  if (rows.empty()) return;
  const auto newest = std::ranges::max_element(rows, {}, &StoredRecording::step);
  const auto sentences = readRecordings(newest->folder);
  const HopMeans means = hopMeans(sentences, "decoder");
  if (means.hops == 0) return;
  add(page,
      {"MLRF: which layers each hop reads",
       fmt::format("Each row is one hop's distribution over the levels of the decoder, the mean "
                   "over {} sentences: see which hops settle on one level and which spread, and "
                   "whether the layers below the top are read at all.",
                   sentences.size()),
       "Hop weights", "runs inside " + run},
      svgPicture(drawn(chartOf(means)), "mean hop weights"));
}

void addReads(HtmlPage& page, Workspace& workspace, const std::string& run) {
  const auto reports = storedReaders(findRun(workspace, run).folder);
  if (reports.empty()) return;
  const ReadersReport& report = reports.back();
  const auto maps = report.maps();
  const std::string map = std::ranges::find(maps, "decoder") != maps.end() ? "decoder" : maps.at(0);
  const ReadMap reads = readMap(report, map, ReadMeasure::kShare);
  HeatMapChart chart{.title = "What each reader takes from each block: " + map,
                     .xTitle = "block",
                     .yTitle = "reader",
                     .columns = reads.columns,
                     .rows = reads.rows,
                     .values = reads.values};
  add(page,
      {"DenseNMT: who reads whom",
       "Each row is a layer, each column a block that all layers above it read directly: see how "
       "much the upper layers still take from the embedding and from the lowest layer, past those "
       "between.",
       "Who reads whom", "readers " + run + "@best --limit 200"},
      svgPicture(drawn(chart), "dense reads"));
}

void addFigure(HtmlPage& page, Workspace& workspace, const DemoSystems& systems,
               const std::string& id, const Shown& shown) {
  const FigureData figure =
      measureFigure(workspace, DemoSystems::figure(id), systems.planner(), {});
  if (figure.arcs.empty() && figure.maps.empty() && chartsOf(figure).empty()) return;
  add(page, shown, {.bytes = svgOf(figure), .mediaType = "image/svg+xml", .caption = figure.title});
}

}  // namespace

Picture svgPicture(const SvgPicture& picture, std::string caption) {
  return {.bytes = picture.text(), .mediaType = "image/svg+xml", .caption = std::move(caption)};
}

void addInside(HtmlPage& page, Workspace& workspace, const DemoSystems& systems) {
  addHops(page, workspace, systems.system("MLRF").shown().name);
  addFigure(
      page, workspace, systems, DemoSystems::kArcs,
      {"DHEA: which of its own words the decoder looks back at",
       "Arcs lead from each generated word to the earlier words that it attended to most: orange "
       "ones reach further than three words, see whether they lead to words that belong "
       "together, such as a verb and its subject.",
       "Target-side attention", "paper show demo/arcs --svg arcs.svg"});
  addReads(page, workspace, systems.system("DenseNMT").shown().name);
  addFigure(
      page, workspace, systems, DemoSystems::kGradients,
      {"Deep-Att: gradients with and without fast-forward connections",
       "The median norm of each layer's gradient over the first updates of a deep stack: see how "
       "far it shrinks from layer to layer towards the source with fast-forward connections, and "
       "without them.",
       "Gradient flow", "paper show demo/gradients --svg gradients.svg"});
}

}  // namespace strata
