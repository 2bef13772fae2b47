#include "app/demo_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/files.h"
#include "core/inside/hop_weights.h"
#include "core/report/html.h"
#include "core/report/svg_charts.h"
#include "core/run/recording.h"
#include "core/store/runs.h"
#include "core/store/scalars.h"

namespace strata {
namespace {

Picture svg(const SvgPicture& picture, std::string caption) {
  return {.bytes = picture.text(), .mediaType = "image/svg+xml", .caption = std::move(caption)};
}

ChartSeries seriesOf(Workspace& workspace, const std::string& run, const std::string& name) {
  ChartSeries series{.name = run, .points = {}};
  for (const auto& point : readSeries(workspace, findRun(workspace, run).id, name)) {
    series.points.emplace_back(static_cast<double>(point.step), point.value);
  }
  return series;
}

void addCurves(HtmlPage& page, Workspace& workspace, const DemoResults& results) {
  page.heading("Learning");
  const std::vector<std::pair<const char*, const char*>> curves{
      {"train/nll", "train NLL per token (dropout on)"}, {"valid/nll", "valid NLL per token"}};
  for (const auto& [name, title] : curves) {
    LineChart chart{.title = title, .xTitle = "update", .yTitle = "nats", .series = {}};
    for (const auto& run : {results.fused, results.plain}) {
      auto series = seriesOf(workspace, run, name);
      if (!series.points.empty()) chart.series.push_back(std::move(series));
    }
    if (!chart.series.empty()) page.picture(svg(drawn(chart), title));
  }
}

HeatMapChart chartOf(const HopMeans& means) {
  HeatMapChart chart{.title = "Mean weight of each level",
                     .xTitle = "level",
                     .yTitle = "hop",
                     .columns = levelNames(means.levels, means.firstLevel),
                     .rows = {},
                     .values = {}};
  for (int hop = 0; hop < means.hops; ++hop) {
    chart.rows.push_back(fmt::format("hop {}", hop + 1));
    for (int level = 0; level < means.levels; ++level)
      chart.values.push_back(means.value(level, hop));
  }
  return chart;
}

void addHops(HtmlPage& page, Workspace& workspace, const DemoResults& results) {
  auto rows = listRecordingRows(workspace, findRun(workspace, results.fused).id);
  std::erase_if(rows, [](const StoredRecording& row) { return !row.present; });
  if (rows.empty()) return;
  const auto newest = std::ranges::max_element(rows, {}, &StoredRecording::step);
  const auto sentences = readRecordings(newest->folder);
  for (const char* side : {"decoder", "encoder"}) {
    const HopMeans means = hopMeans(sentences, side);
    if (means.hops == 0) continue;
    const HeatMapChart chart = chartOf(means);
    page.heading("Which layers each hop attends to");
    page.paragraph(
        fmt::format("The {} at update {}, the mean over {} sentences. Each row sums to 1.", side,
                    newest->step, sentences.size()));
    page.picture(svg(drawn(chart), "mean hop weights"));
  }
}

void addScores(HtmlPage& page, const DemoResults& results) {
  Table table{.caption = fmt::format(
                  "BLEU on {} held-out sentences with clause frames not seen in training",
                  results.sentences),
              .columns = {{"system"}, {"BLEU", Align::kRight}, {"95 % interval", Align::kRight}}};
  const auto interval = [](const ConfidenceInterval& found) {
    return Cell::number(found.mean - found.halfWidth, kDemoScore)
        .add(" … " + numberText(found.mean + found.halfWidth, kDemoScore));
  };
  table.rows = {
      {"word for word, by the gold lexicon", Cell::number(results.wordForWord, kDemoScore), ""},
      {results.plain + " (no fusion)", Cell::number(results.comparison.baseline, kDemoScore),
       interval(results.comparison.baselineInterval)},
      {results.fused + " (layers fused)", Cell::number(results.comparison.system, kDemoScore),
       interval(results.comparison.systemInterval)}};
  page.table(table);
  page.paragraph(verdict(results));
}

void addExamples(HtmlPage& page, const DemoResults& results) {
  page.heading("Translations");
  Table table{.columns = {{""}, {""}}};
  for (const auto& example : results.examples) {
    table.marked.push_back(table.rows.size());
    table.rows.push_back({"source", example.source});
    table.rows.push_back({"reference", example.reference});
    table.rows.push_back({results.fused, example.fused});
    table.rows.push_back({results.plain, example.plain});
  }
  page.table(table);
}

// Calls use(place, field) with each name and number and its place in results.json.
template <typename Results, typename Use>
void forEachField(Results& results, Use use) {
  auto& found = results.comparison;
  use("/dataset", results.dataset);
  use("/sentences", results.sentences);
  use("/source_types", results.sourceTypes);
  use("/target_types", results.targetTypes);
  use("/word_for_word/BLEU", results.wordForWord);
  use("/fused/run", results.fused);
  use("/fused/BLEU", found.system);
  use("/fused/mean", found.systemInterval.mean);
  use("/fused/half_width", found.systemInterval.halfWidth);
  use("/plain/run", results.plain);
  use("/plain/BLEU", found.baseline);
  use("/plain/mean", found.baselineInterval.mean);
  use("/plain/half_width", found.baselineInterval.halfWidth);
  use("/difference/BLEU", found.difference);
  use("/difference/low", found.low);
  use("/difference/high", found.high);
  use("/difference/p_value", found.pValue);
}

}  // namespace

Json toJson(const DemoResults& results) {
  Json json;
  forEachField(results, [&](const char* place, const auto& value) {
    json[Json::json_pointer(place)] = value;
  });
  json["difference"]["decided"] = results.comparison.decided();
  json["verdict"] = verdict(results);
  json["seconds"] = results.seconds;
  Json& examples = json["examples"] = Json::array();
  for (const auto& example : results.examples) {
    examples.push_back({{"source", example.source},
                        {"reference", example.reference},
                        {"fused", example.fused},
                        {"plain", example.plain}});
  }
  return json;
}

DemoResults demoResultsFrom(const Json& json) {
  DemoResults results;
  forEachField(results, [&](const char* place, auto& value) {
    json.at(Json::json_pointer(place)).get_to(value);
  });
  results.seconds = json.at("seconds");
  for (const auto& example : json.at("examples")) {
    results.examples.push_back(
        {example.at("source"), example.at("reference"), example.at("fused"), example.at("plain")});
  }
  return results;
}

std::string verdict(const DemoResults& results) {
  const auto& found = results.comparison;
  const std::string interval = fmt::format("{:+.2f} BLEU, 95 % interval {:+.2f} to {:+.2f}",
                                           found.difference, found.low, found.high);
  if (!found.decided())
    return fmt::format(
        "Difference between fusion and no fusion: {}. It includes zero, so neither model is called "
        "better.",
        interval);
  return fmt::format(
      "Difference between fusion and no fusion: {}. It excludes zero: the model {} fusion is "
      "better "
      "here.",
      interval, found.difference > 0 ? "with" : "without");
}

std::filesystem::path writeDemoReport(Workspace& workspace, const DemoResults& results,
                                      const std::filesystem::path& pictures) {
  HtmlPage page("Strata: the demo");
  page.paragraph(fmt::format(
      "A Transformer whose layers are fused (MLRF) and the same model without fusion, trained on "
      "the generated "
      "German-English corpus {} ({} German and {} English word types) in {:.0f} seconds.",
      results.dataset, results.sourceTypes, results.targetTypes, results.seconds));
  addScores(page, results);
  addCurves(page, workspace, results);
  addHops(page, workspace, results);
  addExamples(page, results);
  std::vector<std::filesystem::path> files;
  if (std::filesystem::is_directory(pictures)) {
    for (const auto& entry : std::filesystem::directory_iterator(pictures)) {
      if (entry.path().extension() == ".png") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  if (!files.empty()) page.heading("The workbench");
  for (const auto& file : files) page.picture(Picture::fromFile(file, file.stem().string()));
  const auto path = workspace.reportsFolder() / "demo" / "index.html";
  page.write(path);
  return path;
}

}  // namespace strata
