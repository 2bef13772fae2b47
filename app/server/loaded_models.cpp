#include "app/server/loaded_models.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/log.h"
#include "core/store/imported.h"
#include "core/store/runs.h"
#include "core/train/checkpoint.h"
#include "core/train/device.h"
#include "models/catalogue.h"

namespace strata {

namespace {

constexpr std::string_view kAveraged = "+ema";

// The state of a run's checkpoints without reading tensors: while it is unchanged, a selector means
// the same checkpoint, which need not be checked for damage again.
std::string stateOf(const std::vector<CheckpointInfo>& checkpoints) {
  std::string state;
  for (const auto& info : checkpoints) {
    state += fmt::format("|{} {}", info.step, info.damage);
    for (const char* name : {"manifest.json", "model.safetensors"}) {
      std::error_code absent;
      const auto time = fs::last_write_time(info.folder / name, absent);
      state += fmt::format(" {}", time.time_since_epoch().count());
    }
  }
  return state;
}

std::string keyOf(const FoundModel& place) {
  const fs::path tensors = place.folder / "model.safetensors";
  if (!fs::exists(tensors)) throw Error("{} has no model.safetensors", place.folder.string());
  return fmt::format("{}|{}|{}|{}", fs::canonical(place.folder).string(), place.textFolder.string(),
                     fs::file_size(tensors),
                     fs::last_write_time(tensors).time_since_epoch().count());
}

std::string defaultSelector(const std::vector<CheckpointInfo>& checkpoints,
                            const std::string& metric) {
  const bool scored = std::ranges::any_of(
      checkpoints, [&](const CheckpointInfo& info) { return info.scores.contains(metric); });
  return scored ? "best" : "last";
}

// The model's own text pipeline, or that of the run it is a checkpoint of.
fs::path textOf(const fs::path& folder) {
  if (fs::exists(folder / "text")) return folder / "text";
  const fs::path absolute = fs::canonical(folder);
  const fs::path above = absolute.parent_path();
  if (above.filename() == "checkpoints" && fs::exists(above.parent_path() / "text"))
    return above.parent_path() / "text";
  return {};
}

// Checks a checkpoint given by its folder, or by the folder of its moving average, against its
// manifest. A run's was checked when it was found.
void requireGood(const FoundModel& place) {
  if (place.step) return;
  const fs::path whole = fs::canonical(place.folder), above = whole.parent_path();
  const bool alone = fs::exists(whole / "manifest.json");
  if (!alone && !(whole.filename() == "ema" && fs::exists(above / "manifest.json"))) return;
  if (const std::string damage = damageOf(alone ? whole : above); !damage.empty())
    throw Error("{}", damage);
  if (!alone) averageFolder(above);
}

// The vocabulary size must match the rows of the model's embeddings.
void requireSameSizes(const ServedModel& served) {
  if (!served.text) return;
  for (const Side side : {Side::kSource, Side::kTarget}) {
    const bool source = side == Side::kSource;
    const auto rows =
        served.model->config().at(source ? "src_vocab" : "tgt_vocab").get<std::int64_t>();
    const std::int64_t words = served.text->vocabulary(side).size();
    if (rows == words) continue;
    throw Error("{} has {} {} words but its text pipeline {} has {}: they do not belong together",
                served.folder.string(), rows, source ? "source" : "target",
                served.textFolder.string(), words);
  }
}

}  // namespace

LoadedModels::LoadedModels(LoadedModelOptions options) : options_(std::move(options)) {}

FoundModel LoadedModels::placeInRun(const std::string& name, const std::string& selector) {
  Workspace workspace(options_.workspace, {.access = Access::kRead, .networkFileSystem = {}});
  const RunSummary run = findRun(workspace, name);
  requireModel(run);
  const ExperimentSpec spec = parseExperiment(runConfig(run));
  const auto checkpoints = listCheckpoints(run.folder);
  if (checkpoints.empty()) {
    throw Error(
        "Run {} has saved no checkpoint yet; wait for its first validation or request a "
        "checkpoint",
        run.name);
  }
  const std::string& metric = spec.checkpoint.metric;
  const bool averaged = selector.ends_with(kAveraged);
  const std::string named =
      averaged ? selector.substr(0, selector.size() - kAveraged.size()) : selector;
  const std::string wanted = named.empty() ? defaultSelector(checkpoints, metric) : named;
  const std::string asked =
      fmt::format("{}|{}|{}|{}", run.folder.string(), wanted, metric, stateOf(checkpoints));
  auto found = chosen_.find(asked);
  if (found == chosen_.end()) {
    if (chosen_.size() > 64) chosen_.clear();
    found = chosen_.emplace(asked, findCheckpoint(run.folder, wanted, metric).folder).first;
  }
  const auto info = std::ranges::find(checkpoints, found->second, &CheckpointInfo::folder);
  return {.folder = averaged ? averageFolder(found->second) : found->second,
          .textFolder = fs::exists(run.folder / "text") ? run.folder / "text" : fs::path(),
          .step = info != checkpoints.end() ? std::optional(info->step) : std::nullopt,
          .decoding = spec.decoding};
}

FoundModel LoadedModels::placeOf(const ModelChoice& choice) {
  if (choice.run.empty() == choice.model.empty())
    throw usageError("Give either a run or a model's folder");
  if (!choice.model.empty()) {
    if (!choice.checkpoint.empty())
      throw usageError("A model's folder has no checkpoints to select from");
    const fs::path folder = choice.model;
    if (!fs::is_directory(folder)) throw usageError("{} is not a folder", choice.model);
    return {.folder = folder, .textFolder = textOf(folder), .step = {}, .decoding = {}};
  }
  const std::size_t at = choice.run.rfind('@');
  if (at == std::string::npos) return placeInRun(choice.run, choice.checkpoint);
  const std::string selector = choice.run.substr(at + 1);
  if (!choice.checkpoint.empty() && choice.checkpoint != selector)
    throw usageError("The run names the checkpoint '{}' and the request '{}'", selector,
                     choice.checkpoint);
  return placeInRun(choice.run.substr(0, at), selector);
}

FoundModel LoadedModels::find(const ModelChoice& choice) {
  FoundModel place = placeOf(choice);
  requireGood(place);
  return place;
}

std::shared_ptr<ServedModel> LoadedModels::load(const FoundModel& place) {
  requireGood(place);
  registerModels();
  if (!device_) {
    setThreads(options_.threads);
    device_ = selectDevice(options_.device);
  }
  auto served = std::make_shared<ServedModel>(
      ServedModel{place, loadModel(place.folder, {.device = *device_}), nullptr});
  served->model->eval();
  if (!place.textFolder.empty())
    served->text = std::make_shared<TextPipeline>(TextPipeline::load(place.textFolder));
  requireSameSizes(*served);
  spdlog::info("loaded={} parameters={}", place.folder.string(), served->model->parameterCount());
  return served;
}

std::shared_ptr<ServedModel> LoadedModels::get(const ModelChoice& choice) {
  const FoundModel place = placeOf(choice);
  const std::string key = keyOf(place);
  const auto found = std::ranges::find(kept_, key, &Kept::key);
  if (found != kept_.end()) {
    kept_.splice(kept_.begin(), kept_, found);
    return kept_.front().model;
  }
  // Evict first, so that the maximum is never exceeded.
  while (kept_.size() >= options_.maximum) kept_.pop_back();
  kept_.push_front({key, load(place)});
  return kept_.front().model;
}

}  // namespace strata
