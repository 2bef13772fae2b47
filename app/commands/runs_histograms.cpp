// strata-run runs histograms: the figures of the panel Histograms.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/commands/listing.h"
#include "core/base/error.h"
#include "core/inside/histograms.h"
#include "core/report/table.h"
#include "core/run/layer_order.h"
#include "core/store/histograms.h"
#include "core/store/runs.h"

namespace strata {
namespace {

struct HistogramOptions {
  std::string run, kind = "weights", layer;
  std::int64_t step = -1;  // negative: the newest, or all of a layer
};

constexpr NumberStyle kValue{.digits = 3, .form = NumberForm::kSignificant};

std::vector<std::string> namesOf(const HistogramLog& log, HistogramKind kind) {
  std::vector<std::string> names;
  for (const auto& [each, layer] : log.layers()) {
    if (each == kind) names.push_back(layer);
  }
  std::ranges::sort(names, {}, layerPlace);
  return names;
}

// What the run has recorded, without the counts; errors say what it has not.
HistogramLog checkedLog(const RunSummary& run, const HistogramOptions& options,
                        HistogramKind kind) {
  HistogramLog log(run.folder, {.step = -1});
  log.read();
  if (log.steps().empty()) {
    throw Error(
        "the run '{}' has no histograms: they are recorded if recording.histogram_every is above 0",
        run.name);
  }
  if (options.step >= 0 && !std::ranges::binary_search(log.steps(), options.step)) {
    throw usageError("no histograms were recorded at step {}: recorded steps are {}", options.step,
                     fmt::join(log.steps(), ", "));
  }
  const std::vector<std::string> layers = namesOf(log, kind);
  if (!options.layer.empty() && std::ranges::find(layers, options.layer) == layers.end()) {
    throw usageError("no histograms of the {} of '{}': layers are {}", options.kind, options.layer,
                     fmt::join(layers, ", "));
  }
  return log;
}

std::vector<StepHistogram> wanted(const RunSummary& run, const HistogramOptions& options) {
  const auto kind = histogramKindFrom(options.kind);
  const HistogramLog log = checkedLog(run, options, *kind);
  HistogramFilter filter{.kind = kind};
  if (!options.layer.empty()) filter.layer = options.layer;
  if (options.step >= 0) filter.step = options.step;
  if (!filter.layer && !filter.step) filter.step = log.steps().back();
  HistogramLog found(run.folder, filter);
  found.read();
  std::vector<StepHistogram> histograms = found.found();
  std::ranges::stable_sort(histograms, {}, [](const StepHistogram& each) {
    return std::pair(each.step, layerPlace(each.layer));
  });
  return histograms;
}

Json toJson(const RunSummary& run, const HistogramOptions& options,
            const std::vector<StepHistogram>& histograms) {
  Json list = Json::array();
  for (const StepHistogram& each : histograms) {
    Json& entry = list.emplace_back(toJson(figuresOf(each.values)));
    entry["step"] = each.step;
    entry["layer"] = each.layer;
    entry["bins"] = binsOf(each.values);
  }
  return {{"run", run.name}, {"kind", options.kind}, {"histograms", list}};
}

Cell cellOf(double value, const NumberStyle& style = kValue) {
  return std::isnan(value) ? Cell(std::string(kNoValue)) : Cell::number(value, style);
}

void print(const HistogramOptions& options, const std::vector<StepHistogram>& histograms) {
  Table table{.caption = fmt::format("Histograms of the {}", options.kind), .columns = {}};
  for (const StepHistogram& each : histograms) {
    const HistogramFigures figures = figuresOf(each.values);
    table.beginRow("layer", Cell(each.layer));
    const auto add = [&table](const std::string& title, Cell cell) {
      table.addNumber(title, std::move(cell));
    };
    add("step", Cell::count(each.step));
    add("values", Cell::count(figures.values));
    add("zero", cellOf(figures.zeroShare(), kShareNumber));
    add("not finite", Cell::count(figures.nonFinite));
    for (std::size_t i = 0; i < figures.quantiles.size(); ++i)
      add(fmt::format("{:g} %", 100 * kHistogramQuantiles[i]), cellOf(figures.quantiles[i]));
    add("median |x|", cellOf(figures.magnitude));
  }
  fmt::print("{}", textTable(table));
}

// Of one layer at one step.
void printBins(const StepHistogram& histogram) {
  Table table{.caption = "Bins with values", .columns = {}};
  const double finite = double(figuresOf(histogram.values).finite());
  for (int bin = 0; bin < kOrderedBins; ++bin) {
    const std::int64_t count = histogram.values.counts[static_cast<std::size_t>(bin)];
    if (count == 0) continue;
    table.beginRow("from", cellOf(lowerBound(bin)));
    table.addNumber("to", cellOf(upperBound(bin)));
    table.addNumber("values", Cell::count(count));
    table.addNumber("share", cellOf(double(count) / finite, kShareNumber));
  }
  fmt::print("\n{}", textTable(table));
}

void histograms(const GlobalOptions& global, const HistogramOptions& options) {
  Workspace workspace = openFresh(global);
  const RunSummary run = findRun(workspace, options.run);
  const std::vector<StepHistogram> found = wanted(run, options);
  if (global.json) return printJson(toJson(run, options, found));
  print(options, found);
  if (!options.layer.empty() && found.size() == 1) printBins(found.front());
}

}  // namespace

void addHistogramsCommand(CLI::App& runs, const GlobalOptions& global) {
  auto options = std::make_shared<HistogramOptions>();
  auto* verb = runs.add_subcommand(
      "histograms",
      "Print the histograms of a run's weights, gradients or activations, which it has recorded "
      "with recording.histogram_every: quantiles, zeros, values that are not finite (--json: all "
      "bins, too)");
  verb->add_option("RUN", options->run, "Number or name of the run")->required();
  verb->add_option("--kind", options->kind, "What is counted (default: weights)")
      ->check(CLI::IsMember({"weights", "gradients", "activations"}));
  verb->add_option("--layer", options->layer,
                   "Only this layer, as the list names it: at every recorded step");
  verb->add_option("--step", options->step,
                   "Recorded step (default: the newest; with --layer, all of them)")
      ->check(CLI::NonNegativeNumber);
  verb->callback([&global, options] { histograms(global, *options); });
}

}  // namespace strata
