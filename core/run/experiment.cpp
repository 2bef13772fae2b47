#include "core/run/experiment.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/run/config.h"

namespace strata {
namespace {

// Reads the keys of one section; a section of a phase falls back to that of training.
class Section {
 public:
  Section(const Json& config, std::string path, const Json* over = nullptr)
      : config_(config), path_(std::move(path)), over_(over) {}

  template <typename T>
  T get(const std::string& name) const {
    try {
      return raw(name).get<T>();
    } catch (const nlohmann::json::exception&) {
      throw usageError("the configuration's '{}' has the wrong type: {}", path_ + name,
                       raw(name).dump());
    }
  }
  const Json& raw(const std::string& name) const {
    if (over_ != nullptr && over_->is_object() && over_->contains(name)) return over_->at(name);
    return configAt(config_, path_ + name);
  }
  std::string text(const std::string& name) const { return get<std::string>(name); }
  std::int64_t integer(const std::string& name) const { return get<std::int64_t>(name); }
  double number(const std::string& name) const { return get<double>(name); }

  // One of the values of a choice, in the order of the enumeration.
  template <typename E>
  E choice(const std::string& name, std::initializer_list<std::pair<const char*, E>> values) const {
    const std::string given = text(name);
    for (const auto& [known, value] : values) {
      if (given == known) return value;
    }
    throw usageError("the configuration's '{}' cannot be '{}'", path_ + name, given);
  }

 private:
  const Json& config_;
  std::string path_;
  const Json* over_;
};

BatchSpec readBatch(const Section& section) {
  return {
      .unit = section.choice<BatchSpec::Unit>("unit", {{"tokens", BatchSpec::Unit::kTokens},
                                                       {"sentences", BatchSpec::Unit::kSentences}}),
      .size = section.integer("size")};
}

OptimizerSpec readOptimizer(const Section& section) {
  OptimizerSpec spec;
  spec.kind = section.choice<OptimizerSpec::Kind>(
      "name", {{"adam", OptimizerSpec::Kind::kAdam}, {"nag", OptimizerSpec::Kind::kNag}});
  spec.lr = section.number("lr");
  const auto betas = section.get<std::vector<double>>("betas");
  if (betas.size() != 2)
    throw usageError("the configuration's optimizer.betas must be two numbers");
  spec.beta1 = betas[0];
  spec.beta2 = betas[1];
  spec.eps = section.number("eps");
  spec.momentum = section.number("momentum");
  spec.weightDecay = section.number("weight_decay");
  spec.decay = section.choice<OptimizerSpec::Decay>(
      "decay_kind", {{"decoupled", OptimizerSpec::Decay::kDecoupled},
                     {"coupled", OptimizerSpec::Decay::kCoupled}});
  spec.decaySkip = section.get<std::vector<std::string>>("decay_skip");
  for (const Json& item : section.raw("groups")) {
    ParameterGroupSpec group;
    group.match = item.value("match", std::vector<std::string>{});
    if (item.contains("lr")) group.lr = item["lr"].get<double>();
    if (item.contains("weight_decay")) group.weightDecay = item["weight_decay"].get<double>();
    spec.groups.push_back(std::move(group));
  }
  return spec;
}

ScheduleSpec readSchedule(const Section& section) {
  using Kind = ScheduleSpec::Kind;
  ScheduleSpec spec;
  spec.kind = section.choice<Kind>("name", {{"constant", Kind::kConstant},
                                            {"inverse_sqrt", Kind::kInverseSqrt},
                                            {"noam", Kind::kNoam},
                                            {"plateau", Kind::kPlateau},
                                            {"force_anneal", Kind::kForceAnneal}});
  spec.warmup = section.integer("warmup");
  spec.initLr = section.number("init_lr");
  spec.dim = section.integer("dim");
  spec.shrink = section.number("shrink");
  spec.mode = section.choice<ScheduleSpec::Mode>(
      "mode", {{"each", ScheduleSpec::Mode::kEach}, {"latch", ScheduleSpec::Mode::kLatch}});
  spec.minEpoch = section.integer("min_epoch");
  spec.after = section.integer("after");
  spec.metric = section.text("metric");
  return spec;
}

PhaseSpec readPhase(const Json& config, const Json& phase) {
  const auto over = [&](const char* name) { return phase.contains(name) ? &phase[name] : nullptr; };
  PhaseSpec spec;
  spec.epochs = phase.value("epochs", std::int64_t{0});
  spec.restart = phase.value("restart", false);
  spec.optimizer = readOptimizer(Section(config, "training.optimizer.", over("optimizer")));
  spec.schedule = readSchedule(Section(config, "training.schedule.", over("schedule")));
  spec.batch = readBatch(Section(config, "training.batch.", over("batch")));
  return spec;
}

TrainingSpec readTraining(const Json& config) {
  const Section section(config, "training.");
  TrainingSpec spec;
  spec.device = section.text("device");
  spec.precision = section.text("precision");
  spec.deterministic = section.get<bool>("deterministic");
  spec.threads = section.get<int>("threads");
  spec.maxUpdates = section.integer("max_updates");
  spec.maxEpochs = section.integer("max_epochs");
  spec.stopAfterTokens = section.integer("stop_after_tokens");
  spec.maxHours = section.number("max_hours");
  spec.minLr = section.number("min_lr");
  spec.logEvery = section.integer("log_every");
  spec.dropout = section.number("dropout");
  spec.attentionDropout = section.number("attention_dropout");
  spec.activationDropout = section.number("activation_dropout");
  spec.init = section.text("init");
  spec.ema = section.number("ema");
  spec.accumulate = section.integer("accumulate");
  spec.clipNorm = section.number("clip_norm");
  spec.onNonfinite = section.choice<TrainingSpec::Nonfinite>(
      "on_nonfinite", {{"stop", TrainingSpec::Nonfinite::kStop},
                       {"skip", TrainingSpec::Nonfinite::kSkip},
                       {"rollback", TrainingSpec::Nonfinite::kRollback}});
  const Json& phases = section.raw("phases");
  for (const Json& phase : phases) spec.phases.push_back(readPhase(config, phase));
  if (spec.phases.empty()) spec.phases.push_back(readPhase(config, Json::object()));
  return spec;
}

ValidationSpec readValidation(const Json& config) {
  const Section section(config, "validation.");
  ValidationSpec spec;
  spec.everyUpdates = section.integer("every_updates");
  spec.everyEpochs = section.integer("every_epochs");
  spec.sets = section.get<std::vector<std::string>>("sets");
  for (const auto& text : section.get<std::vector<std::string>>("monitor")) {
    const auto colon = text.find(':');
    spec.monitor.push_back(
        {.set = text.substr(0, colon),
         .sentences = colon == std::string::npos ? 0 : std::stoll(text.substr(colon + 1))});
  }
  spec.metrics = section.get<std::vector<std::string>>("metrics");
  spec.beam = section.get<int>("beam");
  spec.samples = section.get<int>("samples");
  return spec;
}

CheckpointSpec readCheckpoint(const Json& config) {
  const Section section(config, "checkpoint.");
  CheckpointSpec spec;
  spec.everyUpdates = section.integer("every_updates");
  spec.everyEpochs = section.integer("every_epochs");
  spec.everyMinutes = section.number("every_minutes");
  spec.keepLast = section.get<int>("keep_last");
  spec.keepBest = section.get<int>("keep_best");
  spec.metric = section.text("metric");
  return spec;
}

DecodingSpec readDecoding(const Json& config) {
  const Section section(config, "decoding.");
  DecodingSpec spec;
  spec.beam = section.get<int>("beam");
  spec.lengthPenalty = LengthRule::parse(section.text("length_penalty"));
  const auto length = section.get<std::vector<double>>("max_length");
  if (length.size() != 2)
    throw usageError("the configuration's decoding.max_length must be two numbers");
  spec.maxLengthFactor = length[0];
  spec.maxLengthOffset = length[1];
  spec.batchSentences = section.get<int>("batch_sentences");
  return spec;
}

}  // namespace

bool ValidationSpec::wants(const std::string& metric) const {
  return std::find(metrics.begin(), metrics.end(), metric) != metrics.end();
}

ExperimentSpec parseExperiment(const Json& effective) {
  ExperimentSpec spec;
  spec.seed = Section(effective, "").get<std::uint64_t>("seed");
  const Section data(effective, "data.");
  spec.data = {.dataset = data.text("dataset"),
               .maxLength = data.integer("max_length"),
               .bidirectional = data.get<bool>("bidirectional")};
  spec.model = configAt(effective, "model");
  spec.training = readTraining(effective);
  const Section criterion(effective, "criterion.");
  spec.criterion = {.labelSmoothing = criterion.number("label_smoothing"),
                    .rDrop = criterion.number("r_drop"),
                    .simcutAlpha = criterion.number("simcut.alpha"),
                    .simcutP = criterion.number("simcut.p")};
  spec.validation = readValidation(effective);
  const Section stopping(effective, "early_stopping.");
  spec.earlyStopping = {.metric = stopping.text("metric"),
                        .patience = stopping.get<int>("patience"),
                        .minDelta = stopping.number("min_delta")};
  spec.checkpoint = readCheckpoint(effective);
  const Section recording(effective, "recording.");
  spec.recording = {.sentences = recording.get<int>("sentences"),
                    .names = recording.get<std::vector<std::string>>("names")};
  spec.decoding = readDecoding(effective);
  return spec;
}

bool higherIsBetter(const std::string& metric) {
  return metric.ends_with("bleu") || metric.ends_with("accuracy");
}

}  // namespace strata
