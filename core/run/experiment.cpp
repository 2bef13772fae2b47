// The keys of an experiment, with defaults, ranges and help: one function per section.
#include "core/run/experiment.h"

#include <algorithm>

#include "core/run/config.h"
#include "core/run/key_table.h"
#include "core/run/series_direction.h"

namespace strata {
namespace {

constexpr std::pair<const char*, BatchSpec::Unit> kUnits[] = {
    {"tokens", BatchSpec::Unit::kTokens}, {"sentences", BatchSpec::Unit::kSentences}};
constexpr std::pair<const char*, OptimizerSpec::Kind> kOptimizers[] = {
    {"adam", OptimizerSpec::Kind::kAdam}, {"nag", OptimizerSpec::Kind::kNag}};
constexpr std::pair<const char*, OptimizerSpec::Decay> kDecays[] = {
    {"decoupled", OptimizerSpec::Decay::kDecoupled}, {"coupled", OptimizerSpec::Decay::kCoupled}};
constexpr std::pair<const char*, ScheduleSpec::Kind> kSchedules[] = {
    {"constant", ScheduleSpec::Kind::kConstant},
    {"inverse_sqrt", ScheduleSpec::Kind::kInverseSqrt},
    {"noam", ScheduleSpec::Kind::kNoam},
    {"plateau", ScheduleSpec::Kind::kPlateau},
    {"force_anneal", ScheduleSpec::Kind::kForceAnneal}};
constexpr std::pair<const char*, ScheduleSpec::Mode> kModes[] = {
    {"each", ScheduleSpec::Mode::kEach}, {"latch", ScheduleSpec::Mode::kLatch}};
constexpr std::pair<const char*, TrainingSpec::Nonfinite> kNonfinite[] = {
    {"stop", TrainingSpec::Nonfinite::kStop},
    {"skip", TrainingSpec::Nonfinite::kSkip},
    {"rollback", TrainingSpec::Nonfinite::kRollback}};
constexpr std::pair<const char*, ScoringSpec::Case> kCases[] = {
    {"mixed", ScoringSpec::Case::kMixed}, {"lc", ScoringSpec::Case::kLower}};
constexpr double kWidestBeam = 100;
constexpr double kLargestSeed = 9007199254740992.0;  // what a JSON number can hold exactly

void describeBatch(KeyTable& keys, BatchSpec& batch) {
  keys.add(
      "batch.unit", batch.unit, kUnits,
      "What size counts; tokens: sentences x the longest sentence of either side, with padding.");
  keys.add("batch.size", batch.size, "Maximum size of a batch.").atLeast(1, "tokens or sentences");
  keys.add("batch.length_multiple", batch.lengthMultiple,
           "A batch's sentences are padded to a multiple of this length; 8 may suit a GPU.")
      .atLeast(1, "tokens");
}

void describeOptimizer(KeyTable& keys, OptimizerSpec& optimizer) {
  keys.add("optimizer.name", optimizer.kind, kOptimizers, "The update rule.");
  keys.add("optimizer.lr", optimizer.lr, "Peak learning rate; the noam schedule ignores it.")
      .atLeast(0);
  keys.add("optimizer.betas", {&optimizer.beta1, &optimizer.beta2},
           "Adam's decay rates of both moments.")
      .atLeast(0)
      .atMost(0.9999999);
  keys.add("optimizer.eps", optimizer.eps, "Adam's epsilon.").above(0);
  keys.add("optimizer.momentum", optimizer.momentum, "Momentum (nag).").share();
  keys.add("optimizer.weight_decay", optimizer.weightDecay, "Weight decay; 0: off.").atLeast(0);
  keys.add("optimizer.decay_kind", optimizer.decay, kDecays,
           "decoupled: applied to the parameters (AdamW); coupled: added to the gradient.");
  keys.add("optimizer.decay_skip", optimizer.decaySkip,
           "Substrings of names of parameters without weight decay.");
  keys.addList("optimizer.groups", optimizer.groups,
               "Parameter groups with their own learning rate or weight decay.");
}

void describeSchedule(KeyTable& keys, ScheduleSpec& schedule) {
  keys.add("schedule.name", schedule.kind, kSchedules, "The learning-rate schedule.");
  keys.add("schedule.warmup", schedule.warmup, "Warm-up updates (inverse_sqrt, noam).")
      .atLeast(1, "updates");
  keys.add("schedule.init_lr", schedule.initLr,
           "Learning rate at the start of warm-up (inverse_sqrt).")
      .atLeast(0);
  keys.add("schedule.dim", schedule.dim, "Model width in noam's factor dim^-1/2.").atLeast(1);
  keys.add("schedule.shrink", schedule.shrink,
           "plateau divides the learning rate by it, force_anneal multiplies by it.")
      .above(0);
  keys.add("schedule.mode", schedule.mode, kModes,
           "plateau: shrink at each epoch without improvement (each), or at every epoch from "
           "the first such one (latch).");
  keys.add("schedule.min_epoch", schedule.minEpoch,
           "plateau: first epoch that may shrink the rate.")
      .atLeast(1, "epochs");
  keys.add("schedule.after", schedule.after, "force_anneal: epoch at which shrinking starts.")
      .atLeast(0, "epochs");
  keys.add("schedule.metric", schedule.metric, "plateau: the series to watch.");
}

void describeLimits(KeyTable& keys, TrainingSpec& training) {
  keys.section("training.", /*resumable=*/true);
  keys.add("max_updates", training.maxUpdates,
           "Training ends after this many updates; 0: no limit.")
      .atLeast(0, "updates");
  keys.add("max_epochs", training.maxEpochs, "Training ends after this many epochs; 0: no limit.")
      .atLeast(0, "epochs");
  keys.add("stop_after_tokens", training.stopAfterTokens,
           "Training ends after this many tokens; 0: no limit.")
      .atLeast(0, "target tokens");
  keys.add("max_hours", training.maxHours, "Training ends after this time; 0: no limit.")
      .atLeast(0, "hours");
  keys.add("min_lr", training.minLr,
           "Training ends when the learning rate falls below it; 0: never.")
      .atLeast(0);
}

void describeTraining(KeyTable& keys, TrainingSpec& training) {
  keys.section("training.");
  keys.add("device", training.device, "Where to train: auto, cpu, cuda or cuda:N.")
      .format("device")
      .resumable()
      .scoreless();
  keys.add("precision", training.precision, {"auto", "fp32", "bf16"},
           "Precision of matrix products; auto: bf16 on a GPU that supports it, else fp32. bf16 is "
           "faster on CPUs with AVX-512 BF16, too.");
  keys.add("deterministic", training.deterministic,
           "Use bit-reproducible GPU operators, which are slower; the CPU's always are.")
      .resumable()
      .scoreless();
  keys.add("threads", training.threads,
           "CPU threads of each process; 0: one per core, divided among the processes of a run.")
      .atLeast(0)
      .atMost(4096)
      .unit("threads")
      .resumable()
      .scoreless();
  keys.add("distributed.timeout", training.peerTimeout,
           "Of several processes that train together: one without a sign of life for this long is "
           "lost, and the others end.")
      .atLeast(1, "seconds")
      .resumable()
      .scoreless();
  describeLimits(keys, training);
  keys.section("training.");
  keys.add("log_every", training.logEvery, "Updates between two points of a training series.")
      .atLeast(1, "updates")
      .scoreless();
  keys.add("dropout", training.dropout, "Dropout of embeddings and sublayer outputs.").share();
  keys.add("attention_dropout", training.attentionDropout, "Dropout of attention weights.").share();
  keys.add("activation_dropout", training.activationDropout,
           "Dropout inside feed-forward networks.")
      .share();
  keys.add("init", training.init, {"default", "iwslt", "xavier"},
           "Parameter initialisation: the paper's, or another one that the family offers.");
  keys.add("from", training.from,
           "A run (NAME, NAME@best), else the folder of a checkpoint or model, to take the initial "
           "parameters from.");
  keys.add("ema", training.ema,
           "Decay of a moving average of the parameters, which is evaluated too; 0: none.")
      .share();
  keys.add("accumulate", training.accumulate, "Batches per update (gradient accumulation).")
      .atLeast(1, "batches");
  keys.add("clip_norm", training.clipNorm,
           "Maximum norm of the gradient over all parameters; 0: off.")
      .atLeast(0);
  keys.add("on_nonfinite", training.onNonfinite, kNonfinite,
           "What to do at a non-finite loss or gradient: end the run, skip the update, or "
           "return to the last checkpoint.");
  describeBatch(keys, training.common.batch);
  describeOptimizer(keys, training.common.optimizer);
  describeSchedule(keys, training.common.schedule);
  keys.addList("phases", training.phases,
               "Training phases, one after another; keys that a phase omits are those of training.",
               [&training] { return training.common; });
}

void describeCriterion(KeyTable& keys, CriterionSpec& criterion) {
  keys.section("criterion.");
  keys.add("label_smoothing", criterion.labelSmoothing,
           "Share of the probability that is spread over the vocabulary.")
      .share();
  keys.add("r_drop", criterion.rDrop,
           "R-Drop: weight of the divergence between two passes with different dropout; 0: off.")
      .atLeast(0);
  keys.add("simcut.alpha", criterion.simcutAlpha,
           "SimCut: weight of the divergence from a pass with words cut out; 0: off.")
      .atLeast(0);
  keys.add("simcut.p", criterion.simcutP, "SimCut: the probability that a word is cut.").share();
}

MonitorSpec parseMonitor(const std::string& text) {
  const auto colon = text.find(':');
  return {.set = text.substr(0, colon),
          .sentences = colon == std::string::npos ? 0 : std::stoll(text.substr(colon + 1))};
}

std::string monitorText(const MonitorSpec& monitor) {
  return monitor.sentences == 0 ? monitor.set
                                : monitor.set + ":" + std::to_string(monitor.sentences);
}

void describeValidation(KeyTable& keys, ValidationSpec& validation) {
  keys.section("validation.", /*resumable=*/true);
  keys.add("every_updates", validation.everyUpdates, "Updates between validations; 0: off.")
      .atLeast(0, "updates");
  keys.add("every_epochs", validation.everyEpochs, "Epochs between validations; 0: off.")
      .atLeast(0, "epochs");
  keys.add("sets", validation.sets,
           "Evaluation sets that early stopping, schedules and checkpoint selection may use.")
      .format("set-name");
  keys.add("monitor", validation.monitor, parseMonitor, monitorText,
           "Sets that are only plotted, test sets too: a name, or NAME:N for N of its sentences.")
      .format("monitor")
      .scoreless();
  keys.add("metrics", validation.metrics, "Metrics measured on each set.")
      .format("metric")
      .scoreless();
  keys.add("beam", validation.beam,
           "Beam size of the translations that multi-bleu needs; 1: greedy.")
      .atLeast(1)
      .atMost(kWidestBeam)
      .unit("hypotheses");
  keys.add("samples", validation.samples, "Translations per set that are shown as they change.")
      .atLeast(0, "sentences")
      .scoreless();
}

void describeStopping(KeyTable& keys, EarlyStoppingSpec& stopping) {
  keys.section("early_stopping.");
  keys.add("metric", stopping.metric,
           "The series that must improve for training to go on; empty: off.");
  keys.add("patience", stopping.patience, "Validations without improvement before training ends.")
      .atLeast(0, "validations");
  keys.add("min_delta", stopping.minDelta, "Minimum change that counts as improvement.").atLeast(0);
}

void describeCheckpoint(KeyTable& keys, CheckpointSpec& checkpoint) {
  keys.section("checkpoint.", /*resumable=*/true);
  keys.add("every_updates", checkpoint.everyUpdates, "Updates between checkpoints; 0: off.")
      .atLeast(0, "updates");
  keys.add("every_epochs", checkpoint.everyEpochs, "Epochs between checkpoints; 0: off.")
      .atLeast(0, "epochs");
  keys.add("every_minutes", checkpoint.everyMinutes, "Time between checkpoints; 0: off.")
      .atLeast(0, "minutes");
  keys.add("keep_last", checkpoint.keepLast, "Number of newest checkpoints to keep.")
      .atLeast(1, "checkpoints");
  keys.add("keep_best", checkpoint.keepBest, "Number of best checkpoints to keep.")
      .atLeast(0, "checkpoints");
  keys.add("metric", checkpoint.metric, "The series that decides which checkpoint is best.");
}

void describeRecording(KeyTable& keys, RecordingSpec& recording) {
  keys.section("recording.", /*resumable=*/true);
  keys.add("sentences", recording.sentences,
           "Sentences whose internals are recorded at each validation; 0: off.")
      .atLeast(0, "sentences")
      .scoreless();
  keys.add("names", recording.names,
           "Names of internals, or 'prefix*'; empty: all that the model offers.")
      .scoreless();
  keys.add("histogram_every", recording.histogramEvery,
           "Updates between histograms of each layer's weights, gradients and activations; 0: off.")
      .atLeast(0, "updates")
      .scoreless();
}

void describeDecoding(KeyTable& keys, DecodingSpec& decoding) {
  keys.section("decoding.");
  keys.add("beam", decoding.beam, "Beam size.").atLeast(1).atMost(kWidestBeam).unit("hypotheses");
  keys.add("length_penalty", decoding.lengthPenalty,
           "How hypotheses are ranked: none, mean, gnmt:A, power:A or marian:A,W.");
  keys.add("max_length", {&decoding.maxLengthFactor, &decoding.maxLengthOffset},
           "A, B: at most A x source length + B tokens, </s> counted on both sides.")
      .atLeast(0);
  keys.add("batch_sentences", decoding.batchSentences, "Sentences per decoding batch.")
      .atLeast(1, "sentences")
      .scoreless();
}

// Later, so that runs which have begun keep their scores: what a new run leaves open follows from
// its dataset (withScorer in app/training_setup.h).
void describeScoring(KeyTable& keys, ScoringSpec& scoring) {
  keys.section("scoring.", /*resumable=*/true);
  keys.add("case", scoring.letters, kCases,
           "Of scores of plain text; lc: they ignore case. Without it a new run on a lower-cased "
           "target side gets lc.")
      .later();
}

}  // namespace

void describe(KeyTable& keys, ParameterGroupSpec& group) {
  keys.add("match", group.match,
           "Substrings of parameter names; a parameter belongs to the first group that matches.");
  keys.add("lr", group.lr, "Learning rate of the group, instead of the schedule's peak rate.")
      .atLeast(0);
  keys.add("weight_decay", group.weightDecay, "Weight decay of the group.").atLeast(0);
}

void describe(KeyTable& keys, PhaseSpec& phase) {
  keys.add("epochs", phase.epochs, "Length of the phase; 0 (last phase only): until a limit.")
      .atLeast(0, "epochs");
  keys.add("restart", phase.restart, "Reset the optimizer's moments at the start of the phase.");
  describeOptimizer(keys, phase.optimizer);
  describeSchedule(keys, phase.schedule);
  describeBatch(keys, phase.batch);
}

void describe(KeyTable& keys, ExperimentSpec& spec) {
  keys.section("");
  keys.add("seed", spec.seed, "Seed of all random numbers.").atLeast(0).atMost(kLargestSeed);
  keys.section("data.");
  keys.add("dataset", spec.data.dataset, "Name of the prepared dataset.");
  keys.add("max_length", spec.data.maxLength, "Longer training pairs are left out and counted.")
      .atLeast(1, "tokens");
  keys.add("bidirectional", spec.data.bidirectional,
           "Train on every pair in both directions; needs one joint vocabulary.");
  describeTraining(keys, spec.training);
  describeCriterion(keys, spec.criterion);
  describeValidation(keys, spec.validation);
  describeStopping(keys, spec.earlyStopping);
  describeCheckpoint(keys, spec.checkpoint);
  describeRecording(keys, spec.recording);
  describeDecoding(keys, spec.decoding);
  describeScoring(keys, spec.scoring);
}

std::vector<ConfigKey> experimentKeys() {
  ExperimentSpec spec;
  return tableOf(spec).keys();
}

bool ValidationSpec::wants(const std::string& metric) const {
  return std::find(metrics.begin(), metrics.end(), metric) != metrics.end();
}

ExperimentSpec parseExperiment(const Json& effective) {
  ExperimentSpec spec;
  tableOf(spec).readAll(effective, "the configuration");
  spec.model = configAt(effective, "model");
  if (spec.training.phases.empty()) spec.training.phases.push_back(spec.training.common);
  return spec;
}

bool higherIsBetter(const std::string& metric) {
  return directionOf(metric) == SeriesDirection::kHigher;
}

}  // namespace strata
