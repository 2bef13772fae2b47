#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/run/length_rule.h"

namespace strata {

class KeyTable;

// The effective configuration of one experiment as values. Fields are named after the
// configuration's keys, and a default-constructed value is that of an empty configuration; ranges,
// units and help are in experiment.cpp. 0, an empty string or an empty list means off or no limit.

struct DataSpec {
  std::string dataset;           // name below datasets/ of the workspace
  std::int64_t maxLength = 100;  // tokens; longer training pairs are left out, with a count
  bool bidirectional = false;    // train on every pair in both directions
};

struct BatchSpec {
  enum class Unit { kTokens, kSentences };
  Unit unit = Unit::kTokens;
  std::int64_t size = 4096;  // kTokens: sentences x longest of both sides, padding counted
  std::int64_t lengthMultiple = 1;
  bool operator==(const BatchSpec&) const = default;
};

// Parameters whose name contains one of `match`; a parameter belongs to the first group that
// matches.
struct ParameterGroupSpec {
  std::vector<std::string> match{};
  std::optional<double> lr;  // replaces the schedule's peak rate for the group
  std::optional<double> weightDecay;
  bool operator==(const ParameterGroupSpec&) const = default;
};

struct OptimizerSpec {
  enum class Kind { kAdam, kNag };
  enum class Decay { kDecoupled, kCoupled };
  Kind kind = Kind::kAdam;
  double lr = 5e-4;
  double beta1 = 0.9, beta2 = 0.98, eps = 1e-9;  // kAdam
  double momentum = 0;                           // kNag
  double weightDecay = 0;
  Decay decay = Decay::kDecoupled;
  std::vector<std::string> decaySkip{};  // substrings of names of parameters without weight decay
  std::vector<ParameterGroupSpec> groups{};
  bool operator==(const OptimizerSpec&) const = default;
};

struct ScheduleSpec {
  enum class Kind { kConstant, kInverseSqrt, kNoam, kPlateau, kForceAnneal };
  enum class Mode { kEach, kLatch };
  Kind kind = Kind::kNoam;
  std::int64_t warmup = 16000;       // updates; kInverseSqrt, kNoam
  double initLr = 0;                 // kInverseSqrt
  std::int64_t dim = 256;            // kNoam
  double shrink = 10;                // kPlateau divides by it; kForceAnneal multiplies by it
  Mode mode = Mode::kEach;           // kPlateau
  std::int64_t minEpoch = 1;         // kPlateau
  std::int64_t after = 0;            // epochs; kForceAnneal
  std::string metric = "valid/nll";  // kPlateau watches it
  bool operator==(const ScheduleSpec&) const = default;
};

// One training phase. A configuration without phases has exactly one, without an epoch limit of its
// own.
struct PhaseSpec {
  std::int64_t epochs = 0;  // 0: until a limit
  bool restart = false;     // fresh moments, and the bias corrections count from 0 again
  OptimizerSpec optimizer;
  ScheduleSpec schedule;
  BatchSpec batch;
};

struct TrainingSpec {
  enum class Nonfinite { kStop, kSkip, kRollback };
  std::string device = "auto";     // auto, cpu, cuda, cuda:N
  std::string precision = "auto";  // auto (bf16 on a GPU, else fp32), fp32, bf16
  bool deterministic = false;      // a GPU's operators give the same bits each time
  int threads = 0;                 // 0: one per core, shared with processes that train along
  double peerTimeout = 120;        // seconds without a sign of life of such a process
  std::int64_t maxUpdates = 0, maxEpochs = 0;
  std::int64_t stopAfterTokens = 0;  // target tokens, </s> included
  double maxHours = 0;
  double minLr = 0;            // training ends when the rate falls below it
  std::int64_t logEvery = 50;  // updates between two scalars of a series
  double dropout = 0.1, attentionDropout = 0, activationDropout = 0;
  std::string init = "default";
  std::string from;             // a run, checkpoint or model with the initial parameters
  double ema = 0;               // decay of the parameters' moving average
  std::int64_t accumulate = 1;  // batches per update
  double clipNorm = 0;
  Nonfinite onNonfinite = Nonfinite::kStop;
  PhaseSpec common;               // what phases do not set themselves
  std::vector<PhaseSpec> phases;  // at least one, once read
};

struct CriterionSpec {
  double labelSmoothing = 0;
  double rDrop = 0;        // alpha of R-Drop
  double simcutAlpha = 0;  // of SimCut; not together with R-Drop
  double simcutP = 0.05;   // probability of cutting a word
};

// A fixed sample of the training set, or one of the dataset's evaluation sets, that is scored but
// never used for decisions.
struct MonitorSpec {
  static constexpr const char* kTrainSample = "train-sample";

  std::string set;             // "train-sample" or the set's name
  std::int64_t sentences = 0;  // "NAME:N" takes N sentences of it; 0: all
};

struct ValidationSpec {
  std::int64_t everyUpdates = 0, everyEpochs = 1;
  std::vector<std::string> sets{"valid"};
  std::vector<MonitorSpec> monitor{{.set = "train-sample", .sentences = 2000}};
  std::vector<std::string> metrics{"nll", "perplexity", "token-error", "multi-bleu"};
  int beam = 1;      // of the translations that multi-bleu and the samples need; 1: greedy
  int samples = 16;  // translations per set, shown as they change

  bool wants(const std::string& metric) const;
};

struct EarlyStoppingSpec {
  std::string metric;  // "valid/nll"; empty: off
  int patience = 0;    // validations without improvement before training ends
  double minDelta = 0;
};

struct CheckpointSpec {
  std::int64_t everyUpdates = 0, everyEpochs = 1;
  double everyMinutes = 0;
  int keepLast = 5, keepBest = 1;
  std::string metric = "valid/nll";  // what "best" means
};

struct RecordingSpec {
  int sentences = 8;
  std::vector<std::string>
      names;  // as Recorder takes them; empty: everything the model offers when sentences > 0
  std::int64_t histogramEvery = 0;  // updates
};

struct DecodingSpec {
  int beam = 5;
  LengthRule lengthPenalty;
  double maxLengthFactor = 1.2, maxLengthOffset = 10;  // at most floor(factor * S + offset) tokens
  int batchSentences = 64;
};

// How the plain text of the run's translations is scored.
struct ScoringSpec {
  enum class Case { kMixed, kLower };
  Case letters = Case::kMixed;  // kLower: scores ignore case
};

struct ExperimentSpec {
  std::uint64_t seed = 1;
  DataSpec data;
  Json model;  // the family's keys: `family` and those of its table, every one explicit, without
               // vocabulary sizes
  TrainingSpec training;
  CriterionSpec criterion;
  ValidationSpec validation;
  EarlyStoppingSpec earlyStopping;
  CheckpointSpec checkpoint;
  RecordingSpec recording;
  DecodingSpec decoding;
  ScoringSpec scoring;
};

// The keys of an experiment, without those of the model.
void describe(KeyTable& keys, ExperimentSpec& spec);
void describe(KeyTable& keys, PhaseSpec& phase);
void describe(KeyTable& keys, ParameterGroupSpec& group);

// The values of an effective configuration (resolveConfig's result, or a run's
// config.effective.yaml). Absent keys and wrong values are usage errors that name the key.
ExperimentSpec parseExperiment(const Json& effective);

// Whether more is better for a series that training steers by ("valid/multi-bleu": yes; losses,
// errors and what core/run/series_direction.h does not know: no).
bool higherIsBetter(const std::string& metric);

}  // namespace strata
