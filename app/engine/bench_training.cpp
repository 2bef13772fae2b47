#include "app/engine/bench_training.h"

#include <algorithm>
#include <optional>

#include "app/engine/search_options.h"
#include "app/matrix_products.h"
#include "app/step_profile.h"
#include "app/timing.h"
#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/base/random.h"
#include "core/data/dataset.h"
#include "core/nn/arithmetic.h"
#include "core/train/batch_tensors.h"
#include "core/train/criterion.h"
#include "core/train/device.h"
#include "core/train/trainer.h"
#include "models/catalogue.h"
#include "models/presets.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

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

}  // namespace

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
    if (!options.shortlist.empty()) {
      subject.text = std::make_unique<TextPipeline>(TextPipeline::load(dataset.textFolder()));
      subject.shortlist =
          std::make_unique<Shortlist>(*subject.text, lexiconOf(dataset, LexiconKind::kLikely),
                                      shortlistOptionsOf(options.shortlist));
    }
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

TrainingBench::TrainingBench(Subject& subject, ProcessGroup* group)
    : subject_(subject),
      group_(group),
      optimizer_(subject.model->parameterBuffer(), subject.spec.training.phases.front().optimizer),
      batcher_(*subject.train, batchOptionsOf(subject.spec, subject.spec.training.phases.front())),
      bf16_(selectPrecision(subject.spec.training.precision, subject.device) == "bf16") {}

double TrainingBench::rate(int updates) {
  const auto begin = BenchClock::now();
  const std::int64_t tokens = run(updates);
  return static_cast<double>(tokens) / secondsSince(begin);
}

double TrainingBench::rateTogether(int updates) {
  group_->meet();
  const auto begin = BenchClock::now();
  auto tokens = torch::full({1}, run(updates, /*together=*/true), torch::kInt64);
  group_->sum(tokens);
  return static_cast<double>(tokens.item<std::int64_t>()) / secondsSince(begin);
}

Json TrainingBench::products(int updates, double tokensPerSecond) {
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

Json TrainingBench::profile(int updates) {
  const auto work = [&] {
    batcher_.startEpoch(0);
    run(updates);
  };
  return profileStep(work, updates, subject_.device);
}

// Returns the number of target tokens when the device has done the updates.
std::int64_t TrainingBench::run(int updates, bool together) {
  std::int64_t tokens = 0;
  torch::Tensor norm;
  for (int i = 0; i < updates; ++i) tokens += update(norm, together);
  if (subject_.device.is_cuda()) norm.cpu();
  return tokens;
}

void TrainingBench::nextBatch() {
  if (batcher_.next(batch_)) return;
  batcher_.startEpoch(batcher_.position().epoch + 1);
  batcher_.next(batch_);
}

std::int64_t TrainingBench::update(torch::Tensor& norm, bool together) {
  const int size = together ? group_->size() : 1, rank = together ? group_->rank() : 0;
  for (int i = 0; i <= rank; ++i) nextBatch();
  auto& model = *subject_.model;
  model.train();
  model.keyDropout(1, step_++);
  std::optional<GradientReducer> reducer;
  if (together) {
    reducer.emplace(*group_, *model.parameterBuffer(), optimizer_.gradients());
    reducer->begin();
  }
  const BatchTensors tensors = tensorsOf(batch_, subject_.device);
  CrossEntropy entropy;
  {
    const ArithmeticScope scope(model.productArithmetic(bf16_));
    entropy = trainingLoss(model, tensors, subject_.spec.criterion, {.key = step_});
  }
  (entropy.loss / static_cast<double>(batch_.targetTokens())).backward();
  if (reducer) reducer->finish();
  norm = optimizer_.gradientNorm().total;
  optimizer_.step(std::vector<double>(optimizer_.groups().size(), 1e-6));
  optimizer_.clearGradients();
  const std::int64_t tokens = batch_.targetTokens();
  for (int i = rank + 1; i < size; ++i) nextBatch();
  return tokens;
}

}  // namespace strata
