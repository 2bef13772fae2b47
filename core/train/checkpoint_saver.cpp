#include "core/train/checkpoint_saver.h"

#include <utility>

#include "core/base/log.h"

namespace strata {

CheckpointSaver::CheckpointSaver(std::filesystem::path runFolder, CheckpointSpec when,
                                 std::int64_t runId, EventSink& sink)
    : runFolder_(std::move(runFolder)), when_(std::move(when)), runId_(runId), sink_(sink) {}

bool CheckpointSaver::due(const TrainingState& state) const {
  if (when_.everyUpdates > 0 && state.step % when_.everyUpdates == 0) return true;
  return state.betweenEpochs() && when_.everyEpochs > 0 && state.epoch % when_.everyEpochs == 0;
}

bool CheckpointSaver::dueByTime(Clock::time_point now) const {
  return when_.everyMinutes > 0 &&
         now - savedAt_ >= std::chrono::duration<double>(60 * when_.everyMinutes);
}

bool CheckpointSaver::dueByScores(const TrainingState& state) const {
  return wouldBeAmongBest(state, when_.keepBest);
}

bool CheckpointSaver::wouldBeAmongBest(const TrainingState& state, int best) const {
  return state.scoresStep == state.step &&
         wouldBeBest(runFolder_, state.scores, {.keepBest = best, .metric = when_.metric});
}

void CheckpointSaver::save(const CheckpointContent& content) {
  const bool best = wouldBeAmongBest(content.state, 1);
  sink_.flush();
  const std::string name = writeCheckpoint(runFolder_, content).folder.filename().string();
  savedAt(content.state.step);
  sink_.checkpoint(
      {.runId = runId_, .step = savedStep_, .folder = "checkpoints/" + name, .best = best});
  removeOldCheckpoints(
      runFolder_, {.keepLast = when_.keepLast, .keepBest = when_.keepBest, .metric = when_.metric});
  spdlog::info("checkpoint={} best={}", name, best);
}

}  // namespace strata
