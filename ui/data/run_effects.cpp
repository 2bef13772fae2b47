#include "ui/data/run_effects.h"

#include "core/run/checkpoint_files.h"
#include "core/run/config.h"
#include "ui/data/text.h"

namespace strata::ui {

RunEffects readRunEffects(const RunSummary& run) {
  RunEffects effects;
  effects.run = run.id;
  const Json config = runConfig(run);
  effects.model = config.value("model", Json::object());
  for (const Json& set : config.value("validation", Json::object()).value("sets", Json::array()))
    effects.sets << qs(set.get<std::string>());
  const auto checkpoints = listCheckpoints(run.folder);
  if (!checkpoints.empty()) {
    const auto name = [](const CheckpointInfo& each) {
      return qs(each.folder.filename().string());
    };
    const auto best =
        bestCheckpoint(run.folder, configAt(config, "checkpoint.metric").get<std::string>());
    effects.checkpoints << RunEffects::Checkpoint{QStringLiteral("best"),
                                                  name(best.value_or(checkpoints.back()))};
    effects.checkpoints << RunEffects::Checkpoint{QStringLiteral("last"), name(checkpoints.back())};
    for (auto each = checkpoints.rbegin(); each != checkpoints.rend(); ++each)
      effects.checkpoints << RunEffects::Checkpoint{QString::number(each->step), name(*each)};
  }
  effects.stored = storedEffects(run.folder);
  effects.readers = storedReaders(run.folder);
  return effects;
}

}  // namespace strata::ui
