#include "app/training_setup.h"

#include <algorithm>

#include "app/sentence_checks.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/key_path.h"
#include "core/base/log.h"
#include "core/base/progress.h"
#include "core/base/system_use.h"
#include "core/train/device.h"
#include "core/train/trainer.h"
#include "models/catalogue.h"
#include "models/presets.h"

namespace strata {
namespace {

constexpr const char* kPrepareAgain = "the dataset is damaged, prepare it again";

std::vector<std::string> linesOf(const fs::path& path) {
  std::vector<std::string> lines;
  const std::string text = readFile(path);
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

ScoredSet evaluationSet(const Dataset& dataset, const std::string& name) {
  const EvaluationSet& found = dataset.set(name);
  ScoredSet set;
  set.name = name;
  set.corpus = std::make_shared<const Corpus>(found.corpus);
  set.source = linesOf(found.tokensSource());
  for (std::int64_t r = 0; r < found.references; ++r)
    set.references.push_back(linesOf(found.tokensReference(r)));
  const auto sentences = static_cast<std::size_t>(set.corpus->pairs());
  for (const auto& reference : set.references) {
    if (set.source.size() == sentences && reference.size() == sentences) continue;
    throw Error("{}: the ids and the texts of the set {} have different numbers of sentences; {}",
                found.folder.string(), name, kPrepareAgain);
  }
  return set;
}

// Keeps the pairs that the model has positions for: training leaves out long ones as well.
void keepShort(ScoredSet& set, const TrainingSetup& setup) {
  const auto limit = sentenceLimitOf(setup.modelConfig);
  if (!limit) return;
  std::erase_if(set.pairs, [&](std::int64_t pair) {
    return std::max(set.corpus->length(CorpusSide::kSource, pair),
                    set.corpus->length(CorpusSide::kTarget, pair)) >= limit->tokens;
  });
}

ScoredSet monitoredSet(const TrainingSetup& setup, const MonitorSpec& monitor) {
  ScoredSet set;
  if (monitor.set == MonitorSpec::kTrainSample) {
    set.name = MonitorSpec::kTrainSample;
    set.corpus = setup.train;
    const std::int64_t count = monitor.sentences > 0 ? monitor.sentences : setup.train->pairs();
    set.pairs = sampleOfPairs(setup.train->pairs(), count, setup.spec.seed);
    keepShort(set, setup);
  } else {
    set = evaluationSet(setup.dataset, monitor.set);
    for (std::int64_t pair = 0; pair < std::min(monitor.sentences, set.corpus->pairs()); ++pair)
      set.pairs.push_back(pair);
  }
  set.monitored = true;
  return set;
}

// The model has one row per word: ids, vocabulary and the manifest's sizes must match.
void requireSizes(const TrainingSetup& setup) {
  const auto require = [](std::int64_t found, std::int64_t wanted, const fs::path& where) {
    if (found == wanted) return;
    throw Error(
        "{}: was prepared with a vocabulary of {} words, but the vocabulary of its side has {}; {}",
        where.string(), found, wanted, kPrepareAgain);
  };
  for (const Side side : {Side::kSource, Side::kTarget}) {
    const std::int64_t words = setup.text->vocabulary(side).size();
    const bool source = side == Side::kSource;
    require(source ? setup.dataset.sourceVocabularySize() : setup.dataset.targetVocabularySize(),
            words, setup.dataset.folder() / "manifest.yaml");
    const CorpusSide ids = source ? CorpusSide::kSource : CorpusSide::kTarget;
    require(setup.train->vocabularySize(ids), words, setup.train->path());
    for (const ScoredSet& set : setup.sets)
      require(set.corpus->vocabularySize(ids), words, set.corpus->path());
  }
}

// Both directions must use the same ids for the same words.
std::string jointVocabularyProblem(const Dataset& dataset) {
  const TextPipeline text = TextPipeline::load(dataset.textFolder());
  if (text.vocabulary(Side::kSource).sameWords(text.vocabulary(Side::kTarget))) return "";
  return fmt::format(
      "data.bidirectional: the dataset {} has separate vocabularies; prepare it with "
      "--joint-vocabulary",
      dataset.name());
}

// Of the sets that `key` names, those that the dataset lacks.
std::string missingSets(const Dataset& dataset, const std::string& key,
                        const std::vector<std::string>& names) {
  std::vector<std::string> missing, known;
  for (const EvaluationSet& set : dataset.sets()) known.push_back(set.name);
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) == known.end()) missing.push_back("'" + name + "'");
  }
  if (missing.empty()) return "";
  return fmt::format(
      "{}: dataset '{}' has no evaluation set {}; it has {}: name these, or prepare it with such a "
      "set",
      key, dataset.name(), fmt::join(missing, ", "),
      known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")));
}

// Found before anything of the model is made, which may take long.
std::string modelProblem(const ExperimentSpec& spec, const Dataset& dataset) {
  try {
    const Json config =
        modelConfig(spec.model, dataset.sourceVocabularySize(), dataset.targetVocabularySize());
    constexpr double kGib = 1 << 30;
    const std::int64_t parameters = parameterCountOf(config);
    const double needed = double(sizeof(float)) * static_cast<double>(parameters) / kGib;
    const double memory = static_cast<double>(SystemUseReader().read("/").memoryBytes) / kGib;
    if (memory > 0 && needed > memory) {
      return fmt::format(
          "the model's {} parameters take {:.0f} GiB, this computer has {:.0f} GiB of memory: make "
          "it narrower, or give it fewer layers",
          parameters, needed, memory);
    }
  } catch (const Error& error) {
    return fmt::format("dataset '{}': {}", dataset.name(), error.what());
  }
  return "";
}

}  // namespace

std::string startProblem(const Json& effective, const Dataset& dataset) {
  const ExperimentSpec spec = parseExperiment(effective);
  std::vector<std::string> monitored;
  for (const MonitorSpec& monitor : spec.validation.monitor) {
    if (monitor.set != MonitorSpec::kTrainSample) monitored.push_back(monitor.set);
  }
  std::vector<std::string> problems{missingSets(dataset, "validation.sets", spec.validation.sets),
                                    missingSets(dataset, "validation.monitor", monitored),
                                    modelProblem(spec, dataset),
                                    spec.data.bidirectional ? jointVocabularyProblem(dataset) : ""};
  std::erase(problems, "");
  if (problems.empty()) problems = lengthProblems(spec, dataset);
  return fmt::format("{}", fmt::join(problems, "; "));
}

Dataset openDataset(const fs::path& datasets, const std::string& name, const std::string& digest) {
  if (name.empty())
    throw usageError(
        "data.dataset is empty; select a dataset with --data (see strata-run data list)");
  auto found =
      digest.empty() ? Dataset::open(datasets, name) : Dataset::find(datasets, name, digest);
  if (!found)
    throw Error(
        "Dataset '{}' in the version that the run was started with (digest {}) does not exist any "
        "more; restore it or start a new run",
        name, digest);
  found->requireIntact(terminalProgress());
  return *found;
}

TrainingSetup openTraining(const Json& effective, const fs::path& datasets,
                           const std::string& digest, const fs::path& textFolder) {
  ExperimentSpec spec = parseExperiment(effective);
  Dataset dataset = openDataset(datasets, spec.data.dataset, digest);
  if (const std::string problem = startProblem(effective, dataset); !problem.empty())
    throw usageError("{}", problem);
  const fs::path text = textFolder.empty() ? dataset.textFolder() : textFolder;
  TrainingSetup setup{.effective = effective,
                      .spec = std::move(spec),
                      .dataset = dataset,
                      .train = std::make_shared<const Corpus>(dataset.trainCorpus()),
                      .sets = {},
                      .text = std::make_shared<TextPipeline>(TextPipeline::load(text)),
                      .modelConfig = {}};
  for (const auto& name : setup.spec.validation.sets)
    setup.sets.push_back(evaluationSet(dataset, name));
  setup.modelConfig =
      modelConfig(setup.spec.model, dataset.sourceVocabularySize(), dataset.targetVocabularySize());
  for (const auto& monitor : setup.spec.validation.monitor) {
    ScoredSet set = monitoredSet(setup, monitor);
    const bool nothing = set.corpus == setup.train && set.pairs.empty();  // to sample
    if (!nothing) setup.sets.push_back(std::move(set));
  }
  requireSizes(setup);
  return setup;
}

Json withScorer(Json effective, const TextPipeline& text) {
  constexpr const char* kCase = "scoring.case";
  if (findAt(effective, kCase) == nullptr && text.side(Side::kTarget).lowercase)
    placeAt(effective, kCase) = "lc";
  return effective;
}

IdText idTextOf(const std::shared_ptr<TextPipeline>& text) {
  return {
      .source =
          [text](const std::vector<TokenId>& ids) { return text->tokensOf(Side::kSource, ids); },
      .target =
          [text](const std::vector<TokenId>& ids) { return text->tokensOf(Side::kTarget, ids); },
      .sourceUnit = [text](TokenId id) { return text->vocabulary(Side::kSource).wordOf(id); },
      .targetUnit = [text](TokenId id) { return text->vocabulary(Side::kTarget).wordOf(id); }};
}

std::shared_ptr<TranslationModel> makeModel(const TrainingSetup& setup,
                                            const torch::Device& device) {
  registerModels();
  auto model = createModel(setup.modelConfig, {.device = device});
  model->setDropout(dropoutRatesOf(setup.spec.training));
  model->initialise(setup.spec.training.init, setup.spec.seed);
  return model;
}

std::int64_t updatesPerEpoch(const ExperimentSpec& spec, const PhaseSpec& phase,
                             const Corpus& train) {
  const auto batches = Batcher(train, batchOptionsOf(spec, phase)).batchesInEpoch();
  return (batches + spec.training.accumulate - 1) / spec.training.accumulate;
}

std::int64_t plannedUpdates(const ExperimentSpec& spec, const Corpus& train) {
  const auto& training = spec.training;
  std::int64_t epochs = training.maxEpochs, updates = 0, phaseEpochs = 0;
  for (const auto& phase : training.phases) {
    if (phase.epochs == 0 && epochs == 0) return training.maxUpdates;  // other limits end the phase
    std::int64_t wanted = phase.epochs == 0 ? epochs - phaseEpochs : phase.epochs;
    if (epochs > 0) wanted = std::min(wanted, epochs - phaseEpochs);
    phaseEpochs += wanted;
    updates += wanted * updatesPerEpoch(spec, phase, train);
  }
  return training.maxUpdates > 0 ? std::min(training.maxUpdates, updates) : updates;
}

namespace {

Json jsonOf(const std::vector<BatchLengths>& lengths) {
  Json list = Json::array();
  for (const BatchLengths& each : lengths)
    list.push_back({{"longest", each.longest},
                    {"batches", each.batches},
                    {"sentences", each.sentences},
                    {"tokens", each.tokens},
                    {"positions", each.positions}});
  return list;
}

}  // namespace

Json dryRun(const TrainingSetup& setup, int otherRuns) {
  const torch::Device device = selectDevice(setup.spec.training.device);
  const auto model = makeModel(setup, device);
  auto estimate = estimateTraining(setup.spec, *model, *setup.train);
  estimate.speed.otherRuns = otherRuns;
  const std::int64_t updates = plannedUpdates(setup.spec, *setup.train);
  Json seconds, range;
  if (updates > 0 && estimate.updatesPerEpoch > 0) {
    const double median = estimate.secondsPerEpoch * static_cast<double>(updates) /
                          static_cast<double>(estimate.updatesPerEpoch);
    const TimeRange between = timeRange(estimate.speed, median);
    seconds = median;
    range = {between.least, between.most};
  }
  return {{"parameters", estimate.parameters},
          {"device", device.str()},
          {"memory_bytes", estimate.bytes},
          {"updates_per_epoch", estimate.updatesPerEpoch},
          {"tokens_per_second", estimate.tokensPerSecond},
          {"seconds_per_epoch", estimate.secondsPerEpoch},
          {"updates", updates},
          {"seconds", seconds},
          {"seconds_range", range},
          {"basis", basisOf(estimate.speed).json()},
          {"sentences", estimate.batches.sentences},
          {"left_out", estimate.batches.leftOut},
          {"batches", estimate.batches.batches},
          {"source_tokens", estimate.batches.sourceTokens},
          {"target_tokens", estimate.batches.targetTokens},
          {"padding", estimate.batches.paddingWaste()},
          {"batch_lengths", jsonOf(estimate.lengths)},
          {"network", networkOf(setup.modelConfig).json()},
          {"dataset",
           {{"name", setup.dataset.name()},
            {"version", setup.dataset.version()},
            {"digest", setup.dataset.digest()}}},
          {"model", setup.modelConfig},
          {"config", withScorer(setup.effective, *setup.text)}};
}

}  // namespace strata
