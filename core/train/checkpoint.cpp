#include "core/train/checkpoint.h"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>

#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/log.h"
#include "core/base/text_limits.h"
#include "core/run/experiment.h"
#include "core/train/tensor_files.h"

namespace strata {
namespace {

constexpr const char* kManifest = "manifest.json";
constexpr const char* kConfig = "config.json";
constexpr const char* kModel = "model.safetensors";
constexpr const char* kTraining = "training.safetensors";
constexpr const char* kAverage = "ema";
constexpr const char* kAverageFormat = "average_format";  // absent: the averages are invalid
constexpr int kFormat = 1;

fs::path checkpointsOf(const fs::path& runFolder) {
  return runFolder / "checkpoints";
}

std::string folderName(std::int64_t step) {
  return fmt::format("step-{:08}", step);
}

// The number in "step-00012000", or -1 if there is none.
std::int64_t stepOf(const std::string& name) {
  if (!name.starts_with("step-") || name.size() < 6) return -1;
  const auto digits = name.substr(5);
  if (!std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return -1;
  return digits.size() > 15 ? -1 : std::stoll(digits);
}

std::string shapeText(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const auto size : shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return text;
}

// digestOfFile would map the file, and a mapping counts towards the process's peak memory.
std::string digestByReading(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error("cannot open {}", path.string());
  std::vector<char> buffer(std::size_t{1} << 20);
  Digest digest;
  while (file.read(buffer.data(), std::ssize(buffer)) || file.gcount() > 0) {
    digest.add({buffer.data(), static_cast<std::size_t>(file.gcount())});
  }
  return digest.hex();
}

// The manifest's digest covers every other key as written.
std::string manifestDigest(Json manifest) {
  manifest.erase("digest");
  return digestOf(manifest.dump());
}

struct Manifest {
  struct File {
    std::string name;
    std::uintmax_t bytes = 0;
    std::string digest;
  };
  std::map<std::string, double> scores;
  std::vector<File> files;
  bool averageFollows = false;  // `ema` contains an average
};

// Throws nlohmann's exceptions if a key is absent or has another type.
Manifest manifestFrom(const Json& json) {
  Manifest manifest;
  for (const auto& [name, value] : json.at("scores").get_ref<const Json::object_t&>())
    manifest.scores[name] = value;
  const auto& files = json.at("files").get_ref<const Json::object_t&>();
  for (const char* needed : {kConfig, kModel, kTraining}) json.at("files").at(needed);
  for (const auto& [name, file] : files)
    manifest.files.push_back({name, file.at("bytes"), file.at("xxh3_128")});
  manifest.averageFollows = json.contains(kAverageFormat);
  return manifest;
}

Manifest readManifest(const fs::path& folder) {
  const fs::path path = folder / kManifest;
  const std::string where = path.string();
  Json json;
  try {
    json = readJson(path);
  } catch (const Error& error) {
    throw Error("{} cannot be used: {}", where, error.what());
  }
  if (!json.is_object() || json.value("digest", Json()) != manifestDigest(json))
    throw Error("{} is damaged: it does not match its own digest", where);
  if (json.value("format", Json()) != kFormat)
    throw Error("{} has a format that is unknown to this program", where);
  try {
    return manifestFrom(json);
  } catch (const nlohmann::json::exception& error) {
    throw Error("{} is damaged: its content is not a valid manifest ({})", where, error.what());
  }
}

void writeManifest(const fs::path& folder, const TrainingState& state) {
  const auto now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  Json manifest{{"format", kFormat},
                {"step", state.step},
                {"epoch", state.epoch},
                {"created", std::floor(now)}};
  manifest["scores"] = Json::object();
  if (state.scoresStep == state.step) {
    for (const auto& [name, value] : state.scores) {
      if (std::isfinite(value)) manifest["scores"][name] = value;
    }
  }
  manifest["files"] = Json::object();
  std::vector<std::string> names{kConfig, kModel, kTraining};
  if (fs::exists(folder / kAverage)) {
    manifest[kAverageFormat] = 1;
    for (const char* name : {kConfig, kModel}) names.push_back(std::string(kAverage) + "/" + name);
  }
  for (const std::string& name : names) {
    manifest["files"][name] = {{"bytes", fs::file_size(folder / name)},
                               {"xxh3_128", digestByReading(folder / name)}};
  }
  manifest["digest"] = manifestDigest(manifest);
  writeFileAtomic(folder / kManifest, manifest.dump(2) + "\n");
}

std::map<std::string, torch::Tensor> trainingTensors(const CheckpointContent& content) {
  auto tensors = content.optimizer.save();
  tensors["random.cpu"] = at::detail::getDefaultCPUGenerator().get_state();
  return tensors;
}

CheckpointInfo infoOf(const fs::path& folder, std::int64_t step) {
  CheckpointInfo info;
  info.folder = folder;
  info.step = step;
  info.pinned = fs::exists(folder / "pinned");
  try {
    info.scores = readManifest(folder).scores;
  } catch (const Error& error) {
    info.damage = error.what();
  }
  return info;
}

// Throws for a damaged checkpoint, naming the newest good one before it.
void requireGood(const fs::path& folder) {
  const std::string damage = damageOf(folder);
  if (damage.empty()) return;
  auto others = listCheckpoints(folder.parent_path().parent_path());
  std::reverse(others.begin(), others.end());
  for (const auto& other : others) {
    if (other.folder != folder && damageOf(other.folder).empty()) {
      throw Error("{}; the newest undamaged checkpoint is {}", damage, other.folder.string());
    }
  }
  throw Error("{}; the run has no other undamaged checkpoint", damage);
}

// The scored checkpoints, best first; ties by age, older first.
std::vector<CheckpointInfo> ranked(const fs::path& runFolder, const std::string& metric) {
  auto scored = listCheckpoints(runFolder);
  std::erase_if(scored, [&](const CheckpointInfo& info) { return !info.scores.contains(metric); });
  const double sign = higherIsBetter(metric) ? -1 : 1;
  std::stable_sort(scored.begin(), scored.end(),
                   [&](const CheckpointInfo& a, const CheckpointInfo& b) {
                     return sign * a.scores.at(metric) < sign * b.scores.at(metric);
                   });
  return scored;
}

}  // namespace

std::vector<CheckpointInfo> listCheckpoints(const fs::path& runFolder) {
  std::vector<CheckpointInfo> found;
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(checkpointsOf(runFolder), absent)) {
    const std::int64_t step = stepOf(entry.path().filename().string());
    if (step >= 0 && entry.is_directory()) found.push_back(infoOf(entry.path(), step));
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.step < b.step; });
  return found;
}

std::string damageOf(const fs::path& folder) {
  Manifest manifest;
  try {
    manifest = readManifest(folder);
  } catch (const Error& error) {
    return error.what();
  }
  for (const Manifest::File& file : manifest.files) {
    const fs::path path = folder / file.name;
    if (!fs::is_regular_file(path)) return fmt::format("{} is missing", path.string());
    const auto bytes = fs::file_size(path);
    if (bytes != file.bytes)
      return fmt::format("{} is damaged: {} bytes instead of {}", path.string(), bytes, file.bytes);
    if (digestByReading(path) != file.digest) {
      return fmt::format("{} is damaged: its content does not match the manifest's digest",
                         path.string());
    }
  }
  return "";
}

std::optional<CheckpointInfo> bestCheckpoint(const fs::path& runFolder, const std::string& metric) {
  const auto best = ranked(runFolder, metric);
  if (!best.empty()) return best.front();
  const auto all = listCheckpoints(runFolder);
  return all.empty() ? std::nullopt : std::optional(all.back());
}

CheckpointInfo findCheckpoint(const fs::path& runFolder, const std::string& selector,
                              const std::string& metric) {
  const auto all = listCheckpoints(runFolder);
  if (all.empty()) throw Error("{} has no checkpoint", checkpointsOf(runFolder).string());
  CheckpointInfo chosen = all.back();
  if (selector == "best") {
    const auto best = ranked(runFolder, metric);
    if (best.empty())
      throw Error("No checkpoint of {} has a value of {}; use @last", runFolder.string(), metric);
    chosen = best.front();
  } else if (selector != "last") {
    const std::int64_t step = stepOf("step-" + selector);
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& info) { return info.step == step; });
    if (found == all.end()) {
      throw usageError("{} has no checkpoint '{}'; its newest is {}", runFolder.string(), selector,
                       all.back().step);
    }
    chosen = *found;
  }
  requireGood(chosen.folder);
  return chosen;
}

CheckpointInfo lastGoodCheckpoint(const fs::path& runFolder) {
  auto all = listCheckpoints(runFolder);
  std::reverse(all.begin(), all.end());
  for (const auto& info : all) {
    const std::string damage = damageOf(info.folder);
    if (damage.empty()) return info;
    spdlog::warn("{}; trying the previous checkpoint", damage);
  }
  throw Error("{} has no undamaged checkpoint; start a new run", checkpointsOf(runFolder).string());
}

std::uintmax_t checkpointBytes(const TranslationModel& model) {
  constexpr std::uintmax_t kHeaders = 1 << 20;
  return static_cast<std::uintmax_t>(model.parameterCount()) * 3 * sizeof(float) + kHeaders;
}

CheckpointInfo writeCheckpoint(const fs::path& runFolder, const CheckpointContent& content) {
  const fs::path parent = checkpointsOf(runFolder);
  const std::uintmax_t needed = checkpointBytes(content.model) *
                                (content.average != nullptr ? 4 : 3) / 3,
                       free = freeSpace(runFolder);
  if (free < needed + needed / 10) {
    throw Error(
        "A checkpoint needs {} MiB but only {} MiB are free for {}; free some space or lower "
        "checkpoint.keep_last",
        needed >> 20, free >> 20, parent.string());
  }
  const fs::path final = parent / folderName(content.state.step);
  const fs::path temporary = parent / ("." + folderName(content.state.step) + ".new");
  const fs::path replaced = parent / ("." + folderName(content.state.step) + ".old");
  fs::remove_all(temporary);
  fs::remove_all(replaced);
  fs::create_directories(temporary);
  saveModel(content.model, temporary);
  if (content.average != nullptr) {
    const MovingAverage::InPlace averaged(*content.average);
    saveModel(content.model, temporary / kAverage);
  }
  writeTensors(temporary / kTraining, trainingTensors(content),
               {{"state", toJson(content.state).dump()}});
  writeManifest(temporary, content.state);
  for (const char* name : {kConfig, kModel, kTraining, kManifest}) syncToDisk(temporary / name);
  if (content.average != nullptr) {
    for (const char* name : {kConfig, kModel}) syncToDisk(temporary / kAverage / name);
    syncToDisk(temporary / kAverage);
  }
  syncToDisk(temporary);
  if (fs::exists(final)) fs::rename(final, replaced);
  fs::rename(temporary, final);
  syncToDisk(parent);
  fs::remove_all(replaced);
  return infoOf(final, content.state.step);
}

bool averageIsInvalid(const fs::path& folder) {
  return fs::exists(folder / kAverage) && !readManifest(folder).averageFollows;
}

fs::path averageFolder(const fs::path& folder) {
  if (!fs::exists(folder / kAverage))
    throw usageError("{} has no moving average: its run was trained without training.ema",
                     folder.string());
  if (averageIsInvalid(folder)) {
    throw Error(
        "The moving average of {} is invalid: the version that wrote it stored the weights "
        "instead; use the weights (without +ema), average checkpoints (strata-run average), or "
        "resume the run, whose average then restarts",
        folder.string());
  }
  return folder / kAverage;
}

TrainingState readTrainingState(const fs::path& folder) {
  requireGood(folder);
  const SafetensorsFile file(folder / kTraining);
  const auto state = file.metadata().find("state");
  if (state == file.metadata().end())
    throw Error("{} has no training state", (folder / kTraining).string());
  const std::string where = (folder / kTraining).string();
  try {
    return trainingStateFrom(parseJson(state->second, where));
  } catch (const nlohmann::json::exception& error) {
    throw Error("{} has a training state that is unknown to this program: {}", where, error.what());
  }
}

TrainingState readCheckpoint(const fs::path& folder, TranslationModel& model,
                             Optimizer& optimizer) {
  const torch::NoGradGuard noGrad;
  TrainingState state = readTrainingState(folder);
  readParameters(folder, model);
  const SafetensorsFile file(folder / kTraining);
  std::map<std::string, torch::Tensor> moments;
  for (const auto& [name, view] : file.tensors()) {
    if (name.starts_with("optimizer.")) moments[name] = tensorOf(view);
  }
  optimizer.restore(moments);
  auto generator = at::detail::getDefaultCPUGenerator();
  generator.set_state(tensorOf(file.at("random.cpu")));
  return state;
}

void readParameters(const fs::path& modelFolder, TranslationModel& model) {
  const torch::NoGradGuard noGrad;
  const fs::path path = modelFolder / kModel;
  const SafetensorsFile file(path);
  std::size_t taken = 0;
  for (const auto& [name, value] : namedParametersOf(model)) {
    if (!file.contains(name))
      throw Error("{} has no parameter '{}', which this model needs", path.string(), name);
    const TensorView& view = file.at(name);
    if (view.shape != value.sizes().vec()) {
      throw Error("Parameter '{}' of {} is [{}] but this model needs [{}]", name, path.string(),
                  shapeText(view.shape), shapeText(value.sizes().vec()));
    }
    torch::Tensor(value).copy_(tensorOf(view));
    ++taken;
  }
  if (taken != file.tensors().size()) {
    throw Error("{} has {} parameters but this model has {}", path.string(), file.tensors().size(),
                taken);
  }
}

void removeOldCheckpoints(const fs::path& runFolder, const Retention& retention) {
  const auto all = listCheckpoints(runFolder);
  const auto best = ranked(runFolder, retention.metric);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool recent =
        retention.keepLast == 0 || all.size() - i <= static_cast<std::size_t>(retention.keepLast);
    const auto end = best.begin() + std::min<std::ptrdiff_t>(retention.keepBest, std::ssize(best));
    const bool good = std::any_of(
        best.begin(), end, [&](const CheckpointInfo& info) { return info.step == all[i].step; });
    if (!recent && !good && !all[i].pinned) fs::remove_all(all[i].folder);
  }
}

bool wouldBeBest(const fs::path& runFolder, const std::map<std::string, double>& scores,
                 const Retention& retention) {
  const auto value = scores.find(retention.metric);
  if (retention.keepBest <= 0 || value == scores.end() || !std::isfinite(value->second))
    return false;
  const auto best = ranked(runFolder, retention.metric);
  if (std::ssize(best) < retention.keepBest) return true;
  const double sign = higherIsBetter(retention.metric) ? -1 : 1;
  const double worstKept =
      best[static_cast<std::size_t>(retention.keepBest - 1)].scores.at(retention.metric);
  return sign * value->second < sign * worstKept;
}

}  // namespace strata
