// strata-run readers: how much the layers that read several earlier ones side by side take from
// each of them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "app/engine/interventions.h"
#include "app/engine/measured_set.h"
#include "app/engine/verbs.h"
#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/decode/reader_figures.h"
#include "core/inside/readers.h"

namespace strata {
namespace {

struct ReadersRequest {
  ModelOptions model;
  MeasuredSetRequest on{.limit = 300};
  std::string measure = "share";
};

ReadersReport measureReport(const MeasuredOn& on, const std::vector<Reader>& readers,
                            const ServedModel& served, const MeasuredSet& subject, int batch) {
  Progress& progress = terminalProgress();
  progress.begin("pairs", on.sentences, "pairs");
  const MeasuredReaders measured = measureReaders(
      *served.model, readers, subject.pairs,
      {.batchSentences = batch, .advance = [&](std::int64_t done) { progress.advance(done); }});
  progress.end();
  ReadersReport report{.on = on,
                       .run = subject.run.name,
                       .sourcePositions = measured.sourcePositions,
                       .targetPositions = measured.targetPositions,
                       .readers = {}};
  for (std::size_t r = 0; r < readers.size(); ++r) {
    ReaderReads& reads = report.readers.emplace_back();
    reads.map = readers[r].map;
    reads.name = readers[r].name;
    reads.parameters = readers[r].parameters;
    for (std::size_t b = 0; b < readers[r].blocks.size(); ++b) {
      const BlockFigures& figures = measured.figures[r][b];
      reads.blocks.push_back(
          {readers[r].blocks[b].name, figures.weight, figures.input, figures.read});
    }
  }
  return report;
}

std::optional<ReadersReport> storedReaders(const MeasuredSet& subject, const MeasuredOn& on) {
  auto stored = strata::storedReaders(subject.run.folder);
  const auto found = std::ranges::find(stored, on, &ReadersReport::on);
  return found == stored.end() ? std::nullopt : std::optional(std::move(*found));
}

void print(const ReadersReport& report, ReadMeasure measure) {
  fmt::print("{}\n", captionOf(report, measure));
  for (const std::string& map : report.maps())
    fmt::print("\n{}", textTable(readTable(report, map, measure)));
}

void whoReadsWhom(ReadersRequest& request, const GlobalOptions& global) {
  const ReadMeasure measure = readMeasureNamed(request.measure);
  const MeasuredSet subject = measuredSet(request.on, global);
  request.model.runs = {request.on.run};
  const auto served = openModel(request.model, global);
  const auto readers = readersOf(*served->model);
  if (readers.empty()) {
    const std::string lack = readersLackOf(served->model->config());
    throw usageError("Run {}: {}", subject.run.name,
                     lack.empty() ? "none of its model's layers reads several earlier ones" : lack);
  }
  const MeasuredOn on = measuredOn(*served, subject);
  auto report = request.on.again ? std::nullopt : storedReaders(subject, on);
  if (!report) {
    report = measureReport(on, readers, *served, subject, request.model.batch);
    storeReaders(subject.run.folder, *report);
  }
  if (global.json) return printJson(toJson(*report));
  print(*report, measure);
}

}  // namespace

void addReadersCommand(CLI::App& app, const GlobalOptions& global) {
  auto request = std::make_shared<ReadersRequest>();
  CLI::App* verb = app.add_subcommand(
      "readers", "Show how much layers that read several earlier ones take from each of them");
  addMeasuredSetOptions(*verb, request->on);
  verb->add_option("--measure", request->measure,
                   "What is printed: share, weight or scaled (--json has all)")
      ->capture_default_str();
  addRunningOptions(*verb, request->model);
  std::string measures;
  for (const ReadMeasure each : kReadMeasures)
    measures += fmt::format("  {:<7} {}\n", nameOf(each), describe(each));
  verb->footer(
      "A reader is a linear map W of several blocks side by side: convolutions, skip connections, "
      "keys and bottleneck of DenseNMT, the layers of Deep-Att and Deep-ED with their fast-forward "
      "connections, the network of a level fusion. W_b are its columns for the block b, x_b the "
      "block's values on the validation set.\n\nMeasures (--measure):\n" +
      measures +
      "Example:\n"
      "  strata-run readers first@best --limit 200");
  verb->callback([request, &global] { whoReadsWhom(*request, global); });
}

}  // namespace strata
