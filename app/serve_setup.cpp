#include "app/serve_setup.h"

#include <torch/version.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/serve_child.h"
#include "app/serve_params.h"
#include "app/training_setup.h"
#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/base/version.h"
#include "core/run/config.h"
#include "core/run/experiment.h"
#include "core/train/device.h"
#include "core/train/schedule.h"
#include "models/presets.h"

namespace strata {
namespace {

constexpr int kProtocol = 1;
constexpr std::int64_t kRatePoints = 240;          // enough for a small chart
constexpr std::int64_t kUnknownUpdates = 100'000;  // plotted range if the end of the run is unknown

Json hello(const ServeSetupOptions& options, const Json& params) {
  ServeParams("hello", params).done();
  return {{"program", "strata-run"},
          {"version", programVersion()},
          {"protocol", kProtocol},
          {"libtorch", TORCH_VERSION},
          {"device", selectDevice(options.device).str()}};
}

Json schema(const Json& params) {
  ServeParams reader("schema", params);
  if (reader.has("preset") && reader.has("config"))
    reader.refuse("give either 'preset' or 'config'");
  const ConfigSources sources = builtInSources();
  Json config;
  if (reader.has("config")) {
    config = reader.object("config");
    reader.done();
    validateConfig(config, sources, "config");
  } else {
    const ConfigRequest request{.preset = reader.text("preset", "")};
    reader.done();
    config = resolveConfig(request, sources);
  }
  return {{"keys", schemaFor(config, sources).json()}, {"config", config}};
}

// The updates of a run that belong to one phase.
struct Stretch {
  const PhaseSpec* phase;
  std::int64_t begin, end;
  std::int64_t perEpoch;  // updates; 0: unknown
};

std::vector<Stretch> stretchesOf(const ExperimentSpec& spec, const Corpus* train,
                                 std::int64_t updates) {
  std::vector<Stretch> stretches;
  std::int64_t begin = 0;
  for (const PhaseSpec& phase : spec.training.phases) {
    std::int64_t perEpoch = 0;
    if (train != nullptr) {
      const auto batches = Batcher(*train, batchOptionsOf(spec, phase)).batchesInEpoch();
      perEpoch = (batches + spec.training.accumulate - 1) / spec.training.accumulate;
    }
    const bool limited = phase.epochs > 0 && perEpoch > 0;
    const auto end = limited ? std::min(updates, begin + phase.epochs * perEpoch) : updates;
    if (end > begin) stretches.push_back({&phase, begin, end, perEpoch});
    begin = end;
  }
  return stretches;
}

// [[update, rate], ...] of one phase. Points are denser at the beginning, because of a warm-up.
void appendRates(const Stretch& stretch, Json& points) {
  const Schedule schedule(stretch.phase->schedule);
  const std::int64_t length = stretch.end - stretch.begin, count = std::min(length, kRatePoints);
  std::int64_t drawn = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double part = count > 1 ? static_cast<double>(i) / static_cast<double>(count - 1) : 0;
    const std::int64_t t = 1 + std::llround(part * part * static_cast<double>(length - 1));
    if (t == drawn) continue;
    drawn = t;
    const std::int64_t epoch = stretch.perEpoch > 0 ? 1 + (t - 1) / stretch.perEpoch : 1;
    points.push_back({stretch.begin + t, schedule.rate(stretch.phase->optimizer.lr, t, epoch, {})});
  }
}

// The schedule as far as it is known before training: decay on plateaus is not, and without a
// corpus neither is the end of a phase.
Json learningRate(const ExperimentSpec& spec, const Corpus* train, std::int64_t updates) {
  Json points = Json::array();
  for (const Stretch& stretch : stretchesOf(spec, train, updates > 0 ? updates : kUnknownUpdates))
    appendRates(stretch, points);
  return points;
}

// The results of `train --dry-run` in a child process: models loaded here must not count as the
// run's memory, and a model too large for the computer must not crash the server.
Json reportOf(const ServeSetupOptions& options, const ConfigRequest& request,
              const std::stop_token& stop) {
  std::vector<std::string> arguments{
      "--workspace", options.workspace.string(),  "--log-level", "error", "--json", "train",
      "--dry-run",   "--preset=" + request.preset};
  for (const std::string& text : request.overrides) arguments.push_back("--set=" + text);
  return parseJson(runInChild(arguments, stop), "the dry run's report");
}

// The estimate of an experiment with an existing dataset.
Json estimate(const ServeSetupOptions& options, const ConfigRequest& request, const Json& config,
              const std::stop_token& stop) {
  const TrainingSetup setup = openTraining(config, options.workspace / "datasets");
  checkCancelled(stop);
  const Json report = reportOf(options, request, stop);
  const auto updates = report.at("updates").get<std::int64_t>();
  const auto perEpoch = report.at("updates_per_epoch").get<std::int64_t>();
  Json result{
      {"parameters", report.at("parameters")}, {"memoryBytes", report.at("memory_bytes")},
      {"updatesPerEpoch", perEpoch},           {"tokensPerSecond", report.at("tokens_per_second")},
      {"padding", report.at("padding")},       {"leftOut", report.at("left_out")}};
  if (perEpoch > 0)
    result["secondsPerUpdate"] =
        report.at("seconds_per_epoch").get<double>() / static_cast<double>(perEpoch);
  if (updates > 0) result["updates"] = updates;
  if (!report.at("seconds").is_null()) result["secondsEstimate"] = report.at("seconds");
  result["learningRate"] = learningRate(setup.spec, setup.train.get(), updates);
  return result;
}

Json dryRunMethod(const ServeSetupOptions& options, const Json& params,
                  const std::stop_token& stop) {
  ServeParams reader("dryRun", params);
  ConfigRequest request{.preset = reader.text("preset"), .overrides = reader.texts("overrides")};
  const std::string dataset = reader.text("dataset", "");
  reader.flag("latest", false);
  reader.done();
  if (request.preset.empty()) reader.refuse("'preset' names a preset");
  if (!dataset.empty()) request.overrides.push_back("data.dataset=" + dataset);
  const Json config = resolveConfig(request, builtInSources());
  const ExperimentSpec spec = parseExperiment(config);
  Json result;
  if (spec.data.dataset.empty()) {
    result["learningRate"] = learningRate(spec, nullptr, spec.training.maxUpdates);
  } else {
    result = estimate(options, request, config, stop);
  }
  result["config"] = config;
  return result;
}

}  // namespace

std::map<std::string, ServeMethod> setupMethods(const ServeSetupOptions& options) {
  return {
      {"hello", {[options](const Json& params, const auto&) { return hello(options, params); }}},
      {"schema",
       {.run = [](const Json& params, const auto&) { return schema(params); }, .light = true}},
      {"dryRun", {[options](const Json& params, const std::stop_token& stop) {
         return dryRunMethod(options, params, stop);
       }}},
  };
}

}  // namespace strata
