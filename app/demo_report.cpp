#include "app/demo_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/demo_inside.h"
#include "core/report/html.h"
#include "core/report/svg_charts.h"
#include "core/store/scalars.h"

namespace strata {
namespace {

// Of a run that exists.
ChartSeries curveOf(Workspace& workspace, const PlannedRun& plan, std::string name) {
  ChartSeries series{.name = std::move(name), .points = {}};
  for (const auto& point : readSeries(workspace, findRun(workspace, plan.name).id, "valid/nll"))
    series.points.emplace_back(static_cast<double>(point.step), point.value);
  return series;
}

void addChart(HtmlPage& page, LineChart chart) {
  std::erase_if(chart.series, [](const ChartSeries& series) { return series.points.empty(); });
  if (!chart.series.empty()) page.picture(svgPicture(drawn(chart), chart.title));
}

// All runs of the systems that are compared, then one run of each system.
void addCurves(HtmlPage& page, Workspace& workspace, const DemoSystems& systems) {
  LineChart compared{.title = "Validation loss of the compared systems, every seed",
                     .xTitle = "update",
                     .yTitle = "nats per token",
                     .series = {}};
  LineChart each{.title = "Validation loss of one run of each system",
                 .xTitle = "update",
                 .yTitle = "nats per token",
                 .series = {}};
  for (const DemoSystem& system : systems.systems()) {
    each.series.push_back(curveOf(workspace, system.shown(), system.name));
    if (system.runs.size() < 2) continue;
    for (const PlannedRun& run : system.runs)
      compared.series.push_back(
          curveOf(workspace, run, fmt::format("{}, seed {}", system.name, run.seed)));
  }
  addChart(page, std::move(compared));
  addChart(page, std::move(each));
}

void addFusion(HtmlPage& page, Workspace& workspace, const DemoSystems& systems,
               const DemoResults& results) {
  page.heading("Does fusing the layers help?");
  page.paragraph(verdict(results));
  page.paragraph(learning(results));
  addCurves(page, workspace, systems);
}

void addExamples(HtmlPage& page, const DemoResults& results) {
  page.heading("Translations");
  Table table{.columns = {{""}, {""}}};
  for (const auto& example : results.examples) {
    table.marked.push_back(table.rows.size());
    table.rows.push_back({"source", example.source});
    table.rows.push_back({"reference", example.reference});
    for (std::size_t r = 0; r < example.translations.size(); ++r)
      table.rows.push_back({results.measured.table.rows[r].name, example.translations[r]});
  }
  page.table(table);
}

void addScreenshots(HtmlPage& page, const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  if (std::filesystem::is_directory(folder)) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".png") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  if (!files.empty()) page.heading("The workbench");
  for (const auto& file : files) page.picture(Picture::fromFile(file, file.stem().string()));
}

}  // namespace

std::filesystem::path writeDemoReport(Workspace& workspace, const DemoSystems& systems,
                                      const DemoResults& results) {
  const auto folder = workspace.reportsFolder() / "demo";
  HtmlPage page("Strata: the demo");
  page.paragraph(fmt::format(
      "A small system of each paper and a Transformer, trained in {:.0f} seconds on the generated "
      "German-English corpus {} ({} German and {} English word types).",
      results.seconds, results.choice.dataset, results.sourceTypes, results.targetTypes));
  page.table(systemsTable(results));
  page.paragraph(
      "Sizes differ: this is no ranking of the papers. MLRF and the Transformer differ in the "
      "fusion, and in the rate, which for each is the best of the same three.");
  addFusion(page, workspace, systems, results);
  addInside(page, workspace, systems);
  addExamples(page, results);
  addScreenshots(page, folder / "pictures");
  const auto path = folder / "index.html";
  page.write(path);
  return path;
}

}  // namespace strata
