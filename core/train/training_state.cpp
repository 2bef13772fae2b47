#include "core/train/training_state.h"

#include <cmath>

namespace strata {
namespace {

Json toJson(const RunningSums& sums) {
  return {{"nll", sums.nll},
          {"loss", sums.loss},
          {"errors", sums.errors},
          {"tokens", sums.tokens},
          {"error_tokens", sums.errorTokens},
          {"real", sums.real},
          {"padded", sums.padded},
          {"updates", sums.updates},
          {"clipped", sums.clipped}};
}

RunningSums sumsFrom(const Json& json) {
  return {.nll = json.at("nll"),
          .loss = json.at("loss"),
          .errors = json.at("errors"),
          .tokens = json.at("tokens"),
          .errorTokens = json.at("error_tokens"),
          .real = json.at("real"),
          .padded = json.at("padded"),
          .updates = json.at("updates"),
          .clipped = json.at("clipped")};
}

}  // namespace

Json toJson(const TrainingState& state) {
  Json json{{"processes", state.processes},
            {"step", state.step},
            {"batches", state.batches},
            {"tokens", state.tokens},
            {"seconds", state.seconds},
            {"epoch", state.epoch},
            {"position", {{"epoch", state.position.epoch}, {"batch", state.position.batch}}},
            {"phase", state.phase},
            {"phase_step", state.phaseStep},
            {"phase_epoch", state.phaseEpoch},
            {"schedule", toJson(state.schedule)},
            {"best_early", nullptr},
            {"early_failures", state.earlyFailures},
            {"scores", Json::object()},
            {"scores_step", state.scoresStep},
            {"rollbacks", state.rollbacks},
            {"sums", toJson(state.sums)}};
  if (state.bestEarly) json["best_early"] = *state.bestEarly;
  for (const auto& [name, value] : state.scores) {
    if (std::isfinite(value)) json["scores"][name] = value;  // JSON has no infinity
  }
  return json;
}

TrainingState trainingStateFrom(const Json& json) {
  TrainingState state;
  state.processes = json.value("processes", std::int64_t{1});  // absent in older checkpoints
  state.step = json.at("step");
  state.batches = json.at("batches");
  state.tokens = json.at("tokens");
  state.seconds = json.at("seconds");
  state.epoch = json.at("epoch");
  state.position = {.epoch = json.at("position").at("epoch"),
                    .batch = json.at("position").at("batch")};
  state.phase = json.at("phase");
  state.phaseStep = json.at("phase_step");
  state.phaseEpoch = json.at("phase_epoch");
  state.schedule = scheduleStateFrom(json.at("schedule"));
  if (!json.at("best_early").is_null()) state.bestEarly = json.at("best_early").get<double>();
  state.earlyFailures = json.at("early_failures");
  for (const auto& [name, value] : json.at("scores").items()) state.scores[name] = value;
  state.scoresStep = json.at("scores_step");
  state.rollbacks = json.at("rollbacks");
  state.sums = sumsFrom(json.at("sums"));
  return state;
}

}  // namespace strata
