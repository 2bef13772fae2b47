#include "ui/data/measurable_run.h"

#include "core/run/checkpoint_files.h"
#include "core/run/config.h"
#include "ui/data/text.h"

namespace strata::ui {

MeasurableRun readMeasurableRun(const RunSummary& run) {
  MeasurableRun measurable;
  measurable.run = run.id;
  const Json config = runConfig(run);
  measurable.model = config.value("model", Json::object());
  for (const Json& set : config.value("validation", Json::object()).value("sets", Json::array()))
    measurable.sets << qs(set.get<std::string>());
  const auto checkpoints = listCheckpoints(run.folder);
  if (checkpoints.empty()) return measurable;
  const auto name = [](const CheckpointInfo& each) { return qs(each.folder.filename().string()); };
  const auto best =
      bestCheckpoint(run.folder, configAt(config, "checkpoint.metric").get<std::string>());
  measurable.checkpoints << MeasurableRun::Checkpoint{QStringLiteral("best"),
                                                      name(best.value_or(checkpoints.back()))};
  measurable.checkpoints << MeasurableRun::Checkpoint{QStringLiteral("last"),
                                                      name(checkpoints.back())};
  for (auto each = checkpoints.rbegin(); each != checkpoints.rend(); ++each)
    measurable.checkpoints << MeasurableRun::Checkpoint{QString::number(each->step), name(*each)};
  return measurable;
}

}  // namespace strata::ui
