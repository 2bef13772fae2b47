#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/engine/bench_scaling.h"
#include "app/engine/bench_training.h"
#include "app/engine/search_options.h"
#include "app/engine/verbs.h"
#include "app/mkl_vendor.h"
#include "app/step_comparison.h"
#include "app/timing.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/log.h"
#include "core/base/random.h"
#include "core/data/corpus.h"
#include "core/decode/beam_search.h"
#include "core/run/experiment.h"
#include "core/store/run_session.h"
#include "core/store/scalars.h"
#include "core/text/bpe.h"
#include "core/train/device.h"
#include "core/train/estimate.h"
#include "core/train/memory.h"
#include "core/train/trainer.h"
#include "models/presets.h"

namespace strata {
namespace {

// The first sentences of the test set (or of train), in batches of similar lengths.
std::vector<BeamInput> decodedBatches(const Corpus& corpus, const BenchOptions& options) {
  std::vector<std::vector<TokenId>> sources;
  for (int i = 0; i < options.sentences; ++i) {
    sources.push_back(withEnd(corpus.ids(CorpusSide::kSource, i % corpus.pairs()).toVector()));
  }
  std::ranges::stable_sort(sources, {}, [](const auto& ids) { return ids.size(); });
  std::vector<BeamInput> batches;
  for (auto& source : sources) {
    if (batches.empty() || std::ssize(batches.back().sources) == options.batch)
      batches.emplace_back();
    batches.back().sources.push_back(std::move(source));
  }
  return batches;
}

// Generated tokens per second of beam search with forced length: the speed does not depend on
// which tokens the untrained model selects.
double decodingRate(Subject& subject, const BenchOptions& options) {
  BeamOptions beam;
  beam.beam = options.beam;
  beam.maxLengthFactor = 0;
  beam.maxLengthOffset = options.tokens;
  beam.minLength = options.tokens;
  beam.compute = computeNamed(options.compute);
  beam.shortlist = subject.shortlist.get();
  const auto batches = decodedBatches(*subject.decoded, options);
  const auto begin = BenchClock::now();
  std::int64_t tokens = 0;
  for (const BeamInput& batch : batches) {
    for (const auto& list : beamSearch(*subject.model, batch, beam))
      tokens += std::ssize(list.front().tokens);
  }
  return static_cast<double>(tokens) / secondsSince(begin);
}

template <typename Measure>
Json spreadOver(int runs, Measure measure) {
  std::vector<double> values;
  for (int run = 0; run < runs; ++run) values.push_back(measure());
  return spreadOf(values);
}

Json benchPreset(const GlobalOptions& global, const BenchOptions& options,
                 const std::string& preset, const fs::path& folder) {
  Subject subject = subjectOf(global, options, preset, folder);
  restartPeak(subject.device);
  Json result{{"preset", preset},
              {"parameters", subject.model->parameterCount()},
              {"device", subject.device.str()}};
  if (!options.skipTraining) {
    TrainingBench bench(subject);
    bench.rate(options.warmUp);
    result["training_target_tokens_per_second"] =
        spreadOver(options.runs, [&] { return bench.rate(options.updates); });
    result["memory_peak_mib"] = memoryUse(subject.device).peak >> 20;
    if (subject.device.is_cpu()) {
      result["training_products"] = bench.products(
          options.updates, result["training_target_tokens_per_second"]["median"].get<double>());
    }
    if (options.profileStep) result["step_profile"] = bench.profile(std::min(options.updates, 5));
  }
  if (!options.skipDecoding) {
    decodingRate(subject, options);
    result["decoding_tokens_per_second"] =
        spreadOver(options.runs, [&] { return decodingRate(subject, options); });
    result["decoding"] = {{"beam", options.beam},       {"sentences", options.sentences},
                          {"batch", options.batch},     {"tokens", options.tokens},
                          {"compute", options.compute}, {"shortlist", options.shortlist}};
  }
  for (const int sentences : options.stepSentences) {
    result["all_positions_at_once"].push_back(compareSteps(
        *subject.model, *subject.decoded,
        {.sentences = sentences, .tokens = options.tokens, .runs = options.runs}, subject.device));
  }
  return result;
}

// Words per second split by BPE codes learnt from generated words, on one thread.
Json benchText() {
  RandomStream random(3);
  std::vector<std::string> lines;
  std::int64_t words = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string line;
    for (int word = 0; word < 20; ++word, ++words) {
      if (word > 0) line += ' ';
      // A few frequent and many rare words, as in text.
      RandomStream letters(static_cast<std::uint64_t>(1 / (random.uniform() + 5e-5)));
      const auto length = 2 + letters.below(9);
      for (std::uint64_t at = 0; at < length; ++at)
        line += static_cast<char>('a' + letters.below(26));
    }
    lines.push_back(std::move(line));
  }
  std::string codes = "#version: 0.2\n";
  for (char a = 'a'; a <= 'z'; ++a) {
    for (char b = 'a'; b <= 'z'; ++b) codes += fmt::format("{} {}\n", a, b);
  }
  Bpe encoder(codes, "bench");
  std::size_t bytes = 0;
  const Json rates = spreadOver(3, [&] {
    const auto begin = BenchClock::now();
    for (const auto& line : lines) bytes += encoder.apply(line).size();
    return static_cast<double>(words) / secondsSince(begin);
  });
  return {{"bpe_apply_words_per_second", rates}, {"bytes", bytes}};
}

// Points per second written through a run's folder and the index, durable at the end.
Json benchStore(const fs::path& folder) {
  constexpr int kPoints = 100000, kSeries = 20;
  Workspace workspace(folder / "workspace");
  const Json config = resolveConfig(
      {.file = "", .preset = "mlrf/base", .overrides = {"data.dataset=none"}}, builtInSources());
  const RunSummary run =
      createRun(workspace, {.name = "bench", .config = config, .preset = "mlrf/base"});
  const auto begin = BenchClock::now();
  {
    RunSession session(workspace, run.id, {});
    for (int step = 0; step < kPoints / kSeries; ++step) {
      std::vector<ScalarEvent> events;
      for (int series = 0; series < kSeries; ++series) {
        events.push_back({.runId = run.id,
                          .name = fmt::format("series/{}", series),
                          .step = step,
                          .value = step * 0.5,
                          .wallTime = 1.0 * step});
      }
      session.scalars(events);
    }
    session.end({.runId = run.id,
                 .step = kPoints / kSeries,
                 .outcome = RunOutcome::kFinished,
                 .message = ""});
  }
  return {{"scalars_per_second", kPoints / secondsSince(begin)}};
}

void bench(const GlobalOptions& global, const BenchOptions& options) {
  keepFreedMemory();
  setThreads(options.threads);
  const TemporaryFolder folder;
  Json result{{"threads", at::get_num_threads()},
              {"mkl_fast", mklFast()},
              {"data", options.dataset.empty() ? "synthetic" : options.dataset},
              {"models", Json::array()}};
  for (const auto& preset : options.presets) {
    spdlog::info("bench={}", preset);
    result["models"].push_back(benchPreset(global, options, preset, folder.path()));
  }
  if (!options.skipStore) {
    result["text"] = benchText();
    result["store"] = benchStore(folder.path());
  }
  printJson(result);
}

}  // namespace

void addBenchCommand(CLI::App& app, const GlobalOptions& global) {
  auto options = std::make_shared<BenchOptions>();
  auto* verb = app.add_subcommand(
      "bench", "Measure training, decoding, text and store on this computer, as JSON");
  verb->add_option("--preset", options->presets, "Presets to measure")->capture_default_str();
  auto* data =
      verb->add_option("--data", options->dataset,
                       "Dataset to train on (default: a synthetic one with IWSLT's sizes)");
  verb->add_option("--set", options->overrides, "KEY=VALUE overrides a key of the presets")
      ->allow_extra_args(false);
  verb->add_option("--device", options->device, "auto, cpu, cuda or cuda:N")->capture_default_str();
  verb->add_option("--threads", options->threads, "Threads; 0: all cores")->capture_default_str();
  const auto addNumber = [&](const char* name, int& number, const char* help) {
    verb->add_option(name, number, help)->capture_default_str()->check(CLI::PositiveNumber);
  };
  addNumber("--runs", options->runs, "Number of measurements of each rate");
  addNumber("--updates", options->updates, "Updates per measurement");
  verb->add_option("--warm-up", options->warmUp, "Updates before the first measurement")
      ->capture_default_str();
  addNumber("--sentences", options->sentences, "Sentences decoded per measurement");
  addNumber("--batch", options->batch, "Sentences per decoding batch");
  addNumber("--tokens", options->tokens, "Tokens per translation, </s> included");
  addNumber("--beam", options->beam, "Beam size");
  addComputeOption(*verb, options->compute);
  addShortlistOption(*verb, options->shortlist)->needs(data);
  addNumber("--processes", options->processes,
            "Instead of everything else, train with this many processes here, against one of them "
            "alone (weak scaling)");
  verb->add_option("--member", options->member)->group("");  // such a process
  verb->add_option(
          "--steps", options->stepSentences,
          "Instead of everything else, decode batches of N sentences, with all positions at "
          "once and step by step")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  verb->add_flag(
      "--profile-step", options->profileStep,
      "Also profile updates: step_profile of each model has, per update, operators "
      "(calls of libtorch operators, nested ones included), launches (kernels on the device), "
      "device_busy_ms, wall_ms (without the profiler), idle_share (share of wall_ms in which "
      "the device was idle) and kernels (those that took longest); null and empty without a "
      "device other than the CPU");
  verb->add_flag("--no-training", options->skipTraining, "Skip training");
  verb->add_flag("--no-decoding", options->skipDecoding, "Skip decoding");
  verb->add_flag("--no-store", options->skipStore, "Skip text and store");
  verb->footer(
      "Examples:\n"
      "  strata-run bench --preset mlrf/base --runs 5 --threads 2\n"
      "  strata-run bench --preset dhea/gate --steps 1,8,64,160\n"
      "  strata-run bench --preset mlrf/base --processes 2 --threads 1 --set "
      "training.batch.size=4000");
  verb->callback([options, &global] {
    if (options->processes > 1 || !options->member.empty()) return benchScaling(global, *options);
    if (!options->stepSentences.empty())
      options->skipTraining = options->skipDecoding = options->skipStore = true;
    bench(global, *options);
  });
}

}  // namespace strata
