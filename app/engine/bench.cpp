#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/engine/verbs.h"
#include "app/matrix_products.h"
#include "app/mkl_vendor.h"
#include "app/step_comparison.h"
#include "app/step_profile.h"
#include "app/timing.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/log.h"
#include "core/base/random.h"
#include "core/data/corpus.h"
#include "core/data/dataset.h"
#include "core/decode/beam_search.h"
#include "core/nn/arithmetic.h"
#include "core/run/experiment.h"
#include "core/store/run_session.h"
#include "core/store/scalars.h"
#include "core/text/bpe.h"
#include "core/train/batch_tensors.h"
#include "core/train/criterion.h"
#include "core/train/device.h"
#include "core/train/estimate.h"
#include "core/train/memory.h"
#include "core/train/optimizer.h"
#include "core/train/trainer.h"
#include "models/catalogue.h"
#include "models/presets.h"

namespace strata {
namespace {

struct BenchOptions {
  std::vector<std::string> presets{"baseline/transformer-iwslt", "mlrf/base"};
  std::string dataset, device = "auto";
  std::vector<std::string> overrides;
  int threads = 0, runs = 3, updates = 8, warmUp = 2, sentences = 64, batch = 64, tokens = 26,
      beam = 5;
  std::vector<int> stepSentences;
  bool skipTraining = false, skipDecoding = false, skipStore = false, profileStep = false;
};

// A synthetic corpus with the sentence lengths of talks, used without a dataset: lengths 5 to 45,
// words drawn uniformly.
std::shared_ptr<Corpus> syntheticCorpus(const fs::path& path, std::int64_t sourceWords,
                                        std::int64_t targetWords) {
  CorpusWriter writer(path, sourceWords, targetWords);
  RandomStream random(1);
  const auto sentence = [&](std::uint64_t length, std::int64_t words) {
    std::vector<TokenId> ids(length);
    for (auto& id : ids)
      id = kFirstWordId +
           static_cast<TokenId>(random.below(static_cast<std::uint64_t>(words - kFirstWordId)));
    return ids;
  };
  for (int pair = 0; pair < 4000; ++pair) {
    const auto length = 5 + random.below(41);
    const auto other = std::max<std::uint64_t>(2, length - 2 + random.below(5));
    writer.add(sentence(length, sourceWords), sentence(other, targetWords));
  }
  writer.finish();
  return std::make_shared<Corpus>(path);
}

// The setup on which one preset is measured.
struct Subject {
  ExperimentSpec spec;
  std::shared_ptr<const Corpus> train, decoded;
  std::shared_ptr<TranslationModel> model;
  torch::Device device = torch::kCPU;
};

Subject subjectOf(const GlobalOptions& global, const BenchOptions& options,
                  const std::string& preset, const fs::path& folder) {
  constexpr std::int64_t kSourceWords = 8848, kTargetWords = 6632;  // IWSLT14 De-En
  Subject subject;
  auto overrides = options.overrides;
  overrides.push_back("data.dataset=" + (options.dataset.empty() ? "synthetic" : options.dataset));
  subject.spec = parseExperiment(
      resolveConfig({.file = "", .preset = preset, .overrides = overrides}, builtInSources()));
  std::int64_t source = kSourceWords, target = kTargetWords;
  if (options.dataset.empty()) {
    subject.train = syntheticCorpus(folder / "synthetic.corpus", source, target);
    subject.decoded = subject.train;
  } else {
    const Dataset dataset = Dataset::open(global.workspace / "datasets", options.dataset);
    dataset.requireIntact(terminalProgress());
    subject.train = std::make_shared<const Corpus>(dataset.trainCorpus());
    const auto set = std::ranges::find_if(dataset.sets(), &EvaluationSet::test);
    subject.decoded =
        set == dataset.sets().end() ? subject.train : std::make_shared<const Corpus>(set->corpus);
    source = dataset.sourceVocabularySize();
    target = dataset.targetVocabularySize();
  }
  registerModels();
  subject.device = selectDevice(options.device);
  subject.model =
      createModel(modelConfig(subject.spec.model, source, target), {.device = subject.device});
  subject.model->setDropout(dropoutRatesOf(subject.spec.training));
  subject.model->initialise(subject.spec.training.init, subject.spec.seed);
  return subject;
}

// Target tokens per second of complete updates: batch, forward, backward, norm, optimizer.
class TrainingBench {
 public:
  explicit TrainingBench(Subject& subject)
      : subject_(subject),
        optimizer_(subject.model->parameterBuffer(),
                   subject.spec.training.phases.front().optimizer),
        batcher_(*subject.train,
                 batchOptionsOf(subject.spec, subject.spec.training.phases.front())),
        bf16_(selectPrecision(subject.spec.training.precision, subject.device) == "bf16") {}

  double rate(int updates) {
    const auto begin = BenchClock::now();
    const std::int64_t tokens = run(updates);
    return static_cast<double>(tokens) / secondsSince(begin);
  }

  // Matrix products of an update: operations per target token, the rate at which this computer
  // computes them in isolation, and the share of that rate that `tokensPerSecond` reaches.
  Json products(int updates, double tokensPerSecond) {
    MatrixProducts counted;
    const std::int64_t tokens = run(updates);
    counted.stop();
    const double flops = counted.flops(), rate = flops / counted.seconds();
    const double perToken = flops / static_cast<double>(tokens);
    return {{"flops_per_target_token", perToken},
            {"products_gflops", rate / 1e9},
            {"training_gflops", perToken * tokensPerSecond / 1e9},
            {"share", perToken * tokensPerSecond / rate}};
  }

  Json profile(int updates) {
    const auto work = [&] {
      batcher_.startEpoch(0);
      run(updates);
    };
    return profileStep(work, updates, subject_.device);
  }

 private:
  // Returns the number of target tokens when the device has done the updates.
  std::int64_t run(int updates) {
    std::int64_t tokens = 0;
    torch::Tensor norm;
    for (int i = 0; i < updates; ++i) tokens += update(norm);
    if (subject_.device.is_cuda()) norm.cpu();
    return tokens;
  }

  std::int64_t update(torch::Tensor& norm) {
    if (!batcher_.next(batch_)) {
      batcher_.startEpoch(batcher_.position().epoch + 1);
      batcher_.next(batch_);
    }
    auto& model = *subject_.model;
    model.train();
    model.keyDropout(1, step_++);
    const BatchTensors tensors = tensorsOf(batch_, subject_.device);
    CrossEntropy entropy;
    {
      const ArithmeticScope scope(withBf16Products(bf16_));
      entropy = trainingLoss(model, tensors, subject_.spec.criterion, {.key = step_});
    }
    (entropy.loss / static_cast<double>(batch_.targetTokens())).backward();
    norm = optimizer_.gradientNorm().total;
    optimizer_.step(std::vector<double>(optimizer_.groups().size(), 1e-6));
    optimizer_.clearGradients();
    return batch_.targetTokens();
  }

  Subject& subject_;
  Optimizer optimizer_;
  Batcher batcher_;
  Batch batch_;
  bool bf16_;
  std::uint64_t step_ = 0;
};

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
    result["decoding"] = {{"beam", options.beam},
                          {"sentences", options.sentences},
                          {"batch", options.batch},
                          {"tokens", options.tokens}};
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
      "device_busy_ms, wall_ms (without the profiler) and idle_share (share of wall_ms in "
      "which the device was idle); null without a device other than the CPU");
  verb->add_flag("--no-training", options->skipTraining, "Skip training");
  verb->add_flag("--no-decoding", options->skipDecoding, "Skip decoding");
  verb->add_flag("--no-store", options->skipStore, "Skip text and store");
  verb->footer(
      "Examples:\n"
      "  strata-run bench --preset mlrf/base --runs 5 --threads 2\n"
      "  strata-run bench --preset dhea/gate --steps 1,8,64,160");
  verb->callback([options, &global] {
    if (!options->stepSentences.empty())
      options->skipTraining = options->skipDecoding = options->skipStore = true;
    bench(global, *options);
  });
}

}  // namespace strata
