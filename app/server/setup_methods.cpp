#include "app/server/setup_methods.h"

#include <torch/version.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "app/server/child_report.h"
#include "app/training_setup.h"
#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/base/version.h"
#include "core/run/config.h"
#include "core/run/experiment.h"
#include "core/run/request_params.h"
#include "core/run/serve_protocol.h"
#include "core/train/device.h"
#include "core/train/schedule.h"
#include "models/presets.h"

namespace strata {
namespace {

constexpr std::int64_t kRatePoints = 240;  // enough for a small chart
// IWSLT German-English.
constexpr std::pair<std::int64_t, std::int64_t> kUsualVocabulary{8848, 6632};
constexpr std::int64_t kUnknownUpdates = 100'000;  // plotted range if the end of the run is unknown

Json helloMethod(const ServeSetupOptions& options, const Json& params, const std::stop_token&) {
  RequestParams("hello", params).done();
  return {{"program", "strata-run"},
          {"version", programVersion()},
          {"protocol", serve::kProtocol},
          {"libtorch", TORCH_VERSION},
          {"device", selectDevice(options.device).str()}};
}

Json schemaMethod(const Json& params, const std::stop_token&) {
  RequestParams reader("schema", params);
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

using Rates = std::vector<std::pair<std::int64_t, double>>;

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
    const auto perEpoch = train != nullptr ? updatesPerEpoch(spec, phase, *train) : 0;
    const bool limited = phase.epochs > 0 && perEpoch > 0;
    const auto end = limited ? std::min(updates, begin + phase.epochs * perEpoch) : updates;
    if (end > begin) stretches.push_back({&phase, begin, end, perEpoch});
    begin = end;
  }
  return stretches;
}

// Of one phase. Points lie closer at its beginning, where a warm-up is.
void appendRates(const Stretch& stretch, Rates& points) {
  const Schedule schedule(stretch.phase->schedule);
  const std::int64_t length = stretch.end - stretch.begin, count = std::min(length, kRatePoints);
  std::int64_t drawn = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double part = count > 1 ? static_cast<double>(i) / static_cast<double>(count - 1) : 0;
    const std::int64_t t = 1 + std::llround(part * part * static_cast<double>(length - 1));
    if (t == drawn) continue;
    drawn = t;
    const std::int64_t epoch = stretch.perEpoch > 0 ? 1 + (t - 1) / stretch.perEpoch : 1;
    points.emplace_back(stretch.begin + t,
                        schedule.rate(stretch.phase->optimizer.lr, t, epoch, {}));
  }
}

// The schedule as far as it is known before training: decay on plateaus is not, and without a
// corpus neither is the end of a phase.
Rates learningRate(const ExperimentSpec& spec, const Corpus* train, std::int64_t updates) {
  Rates points;
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

serve::DryRunReply::Estimate estimateFrom(const Json& report) {
  serve::DryRunReply::Estimate estimate{
      .parameters = report.at("parameters").get<std::int64_t>(),
      .memoryBytes = report.at("memory_bytes").get<std::int64_t>(),
      .tokensPerSecond = report.at("tokens_per_second").get<double>(),
      .updatesPerEpoch = report.at("updates_per_epoch").get<std::int64_t>(),
      .padding = report.at("padding").get<double>(),
      .leftOut = report.at("left_out").get<std::int64_t>()};
  if (estimate.updatesPerEpoch > 0)
    estimate.secondsPerUpdate = report.at("seconds_per_epoch").get<double>() /
                                static_cast<double>(estimate.updatesPerEpoch);
  if (const auto updates = report.at("updates").get<std::int64_t>(); updates > 0)
    estimate.updates = updates;
  if (!report.at("seconds").is_null()) {
    estimate.seconds = report.at("seconds").get<double>();
    estimate.range = TimeRange{report.at("seconds_range").at(0).get<double>(),
                               report.at("seconds_range").at(1).get<double>()};
  }
  estimate.basis = TimeBasis::read(report.at("basis"));
  for (const Json& each : report.at("batch_lengths"))
    estimate.batches.push_back({.longest = each.at("longest").get<std::int64_t>(),
                                .batches = each.at("batches").get<std::int64_t>(),
                                .sentences = each.at("sentences").get<std::int64_t>(),
                                .tokens = each.at("tokens").get<std::int64_t>(),
                                .positions = each.at("positions").get<std::int64_t>()});
  return estimate;
}

// Without a dataset, for the vocabularies that most published parameter counts are for; nothing if
// the model needs one joint vocabulary.
Network networkWithoutData(const Json& model) {
  try {
    return networkOf(modelConfig(model, kUsualVocabulary.first, kUsualVocabulary.second));
  } catch (const Error&) {
    return {};
  }
}

Json dryRunMethod(const ServeSetupOptions& options, const Json& params,
                  const std::stop_token& stop) {
  const auto asked = serve::DryRunRequest::read(params);
  ConfigRequest request{.preset = asked.preset, .overrides = asked.overrides};
  if (!asked.dataset.empty()) request.overrides.push_back("data.dataset=" + asked.dataset);
  serve::DryRunReply reply;
  reply.config = resolveConfig(request, builtInSources());
  const ExperimentSpec spec = parseExperiment(reply.config);
  if (spec.data.dataset.empty()) {
    reply.learningRate = learningRate(spec, nullptr, spec.training.maxUpdates);
    reply.network = networkWithoutData(spec.model);
    return reply.json();
  }
  const TrainingSetup setup = openTraining(reply.config, options.workspace / "datasets");
  reply.config = withScorer(std::move(reply.config), *setup.text);
  checkCancelled(stop);
  reply.network = networkOf(setup.modelConfig);
  reply.estimate = estimateFrom(reportOf(options, request, stop));
  reply.learningRate =
      learningRate(setup.spec, setup.train.get(), reply.estimate->updates.value_or(0));
  return reply.json();
}

}  // namespace

std::map<std::string, ServeMethod> setupMethods(const ServeSetupOptions& options) {
  return {{"hello", {std::bind_front(helloMethod, options)}},
          {"schema", {.run = schemaMethod, .light = true}},
          {"dryRun", {std::bind_front(dryRunMethod, options)}}};
}

}  // namespace strata
