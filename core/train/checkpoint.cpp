#include "core/train/checkpoint.h"

#include <ATen/CPUGeneratorImpl.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/log.h"
#include "core/base/text_limits.h"
#include "core/nn/tensor_files.h"

namespace strata {
namespace {

void restoreAverage(const fs::path& folder, MovingAverage& average) {
  if (!averageIsInvalid(folder)) return average.restore(averageFolder(folder));
  spdlog::warn(
      "The moving average of {} is invalid: the version that wrote it stored the weights instead. "
      "It restarts from these weights; earlier scores of the average are those of the weights",
      folder.string());
  average.restart();
}

}  // namespace

std::uintmax_t checkpointBytes(const TranslationModel& model) {
  constexpr std::uintmax_t kHeaders = 1 << 20;
  return static_cast<std::uintmax_t>(model.parameterCount()) * 3 * sizeof(float) + kHeaders;
}

CheckpointInfo writeCheckpoint(const fs::path& runFolder, const CheckpointContent& content) {
  const fs::path parent = checkpointsFolder(runFolder);
  const std::uintmax_t needed = checkpointBytes(content.model) *
                                (content.average != nullptr ? 4 : 3) / 3,
                       free = freeSpace(runFolder);
  if (free < needed + needed / 10) {
    throw Error(
        "A checkpoint needs {} MiB but only {} MiB are free for {}; free some space or lower "
        "checkpoint.keep_last",
        needed >> 20, free >> 20, parent.string());
  }
  const fs::path final = parent / checkpointName(content.state.step);
  const fs::path temporary = parent / ("." + checkpointName(content.state.step) + ".new");
  const fs::path replaced = parent / ("." + checkpointName(content.state.step) + ".old");
  fs::remove_all(temporary);
  fs::remove_all(replaced);
  fs::create_directories(temporary);
  saveModel(content.model, temporary);
  if (content.average != nullptr) {
    const MovingAverage::InPlace averaged(*content.average);
    saveModel(content.model, temporary / kAverageFolder);
  }
  auto tensors = content.optimizer.save();
  tensors["random.cpu"] = at::detail::getDefaultCPUGenerator().get_state();
  writeTensors(temporary / kTrainingFile, tensors, {{"state", toJson(content.state).dump()}});
  CheckpointProgress progress{.step = content.state.step, .epoch = content.state.epoch};
  if (content.state.scoresStep == content.state.step) progress.scores = content.state.scores;
  writeCheckpointManifest(temporary, progress);
  for (const auto& entry : fs::recursive_directory_iterator(temporary)) syncToDisk(entry.path());
  syncToDisk(temporary);
  if (fs::exists(final)) fs::rename(final, replaced);
  fs::rename(temporary, final);
  syncToDisk(parent);
  fs::remove_all(replaced);
  return readCheckpointInfo(final);
}

TrainingState readTrainingState(const fs::path& folder) {
  requireGoodCheckpoint(folder);
  const std::string where = (folder / kTrainingFile).string();
  const SafetensorsFile file(where);
  const auto state = file.metadata().find("state");
  if (state == file.metadata().end()) throw Error("{} has no training state", where);
  try {
    return trainingStateFrom(parseJson(state->second, where));
  } catch (const nlohmann::json::exception& error) {
    throw Error("{} has a training state that is unknown to this program: {}", where, error.what());
  }
}

TrainingState readCheckpoint(const fs::path& folder, TranslationModel& model, Optimizer& optimizer,
                             MovingAverage* average) {
  const torch::NoGradGuard noGrad;
  TrainingState state = readTrainingState(folder);
  readParameters(folder, model);
  const SafetensorsFile file(folder / kTrainingFile);
  std::map<std::string, torch::Tensor> moments;
  for (const auto& [name, view] : file.tensors()) {
    if (name.starts_with("optimizer.")) moments[name] = tensorOf(view);
  }
  optimizer.restore(moments);
  auto generator = at::detail::getDefaultCPUGenerator();
  generator.set_state(tensorOf(file.at("random.cpu")));
  if (average != nullptr) restoreAverage(folder, *average);
  return state;
}

void readParameters(const fs::path& modelFolder, TranslationModel& model) {
  const torch::NoGradGuard noGrad;
  const fs::path path = modelFolder / kModelFile;
  const SafetensorsFile file(path);
  const NamedParameters parameters = namedParametersOf(model);
  for (const auto& [name, value] : parameters) {
    if (!file.contains(name))
      throw Error("{} has no parameter '{}', which this model needs", path.string(), name);
    const TensorView& view = file.at(name);
    if (view.shape != value.sizes().vec()) {
      throw Error("Parameter '{}' of {} is [{}] but this model needs [{}]", name, path.string(),
                  fmt::join(view.shape, ", "), fmt::join(value.sizes(), ", "));
    }
    torch::Tensor(value).copy_(sharedTensorOf(view));
  }
  if (parameters.size() != file.tensors().size()) {
    throw Error("{} has {} parameters but this model has {}", path.string(), file.tensors().size(),
                parameters.size());
  }
}

}  // namespace strata
