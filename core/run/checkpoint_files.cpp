#include "core/run/checkpoint_files.h"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <utility>

#include "core/base/clock.h"
#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/log.h"
#include "core/base/text_limits.h"
#include "core/run/experiment.h"

namespace strata {
namespace {

constexpr const char* kAverageFormat = "average_format";  // absent: the averages are invalid
constexpr int kManifestFormat = 1;
constexpr const char* kPinnedFile = "pinned";

// The number in "step-00012000", or -1 if there is none.
std::int64_t stepOf(const std::string& name) {
  if (!name.starts_with("step-") || name.size() < 6) return -1;
  const auto digits = name.substr(5);
  if (!std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return -1;
  return digits.size() > 15 ? -1 : std::stoll(digits);
}

// digestOfFile would map the file, and a mapping counts towards the process's peak memory.
std::string digestByReading(const fs::path& path) {
  Digest digest;
  readBlocks(path, [&](std::string_view block) { digest.add(block); });
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
  for (const char* needed : {kConfigFile, kModelFile, kTrainingFile}) json.at("files").at(needed);
  for (const auto& [name, file] : files)
    manifest.files.push_back({name, file.at("bytes"), file.at("xxh3_128")});
  manifest.averageFollows = json.contains(kAverageFormat);
  return manifest;
}

Manifest readManifest(const fs::path& folder) {
  const fs::path path = folder / kManifestFile;
  const std::string where = path.string();
  const Json json = readJson(path);
  if (!json.is_object() || json.value("digest", Json()) != manifestDigest(json))
    throw Error("{} is damaged: it does not match its own digest", where);
  if (json.value("format", Json()) != kManifestFormat)
    throw Error("{} has a format that this version cannot read", where);
  try {
    return manifestFrom(json);
  } catch (const nlohmann::json::exception& error) {
    throw Error("{} is damaged: its content is not a valid manifest ({})", where, error.what());
  }
}

}  // namespace

fs::path checkpointsFolder(const fs::path& runFolder) {
  return runFolder / "checkpoints";
}

std::string checkpointName(std::int64_t step) {
  return fmt::format("step-{:08}", step);
}

CheckpointInfo readCheckpointInfo(const fs::path& folder) {
  CheckpointInfo info;
  info.folder = folder;
  info.step = stepOf(folder.filename().string());
  info.pinned = isPinned(folder);
  try {
    info.scores = readManifest(folder).scores;
  } catch (const Error& error) {
    info.damage = error.what();
  }
  return info;
}

std::vector<CheckpointInfo> listCheckpoints(const fs::path& runFolder) {
  std::vector<CheckpointInfo> found;
  const fs::path folder = checkpointsFolder(runFolder);
  for (const auto& name : namesIn(folder)) {
    if (stepOf(name) >= 0 && fs::is_directory(folder / name))
      found.push_back(readCheckpointInfo(folder / name));
  }
  std::ranges::sort(found, {}, &CheckpointInfo::step);
  return found;
}

std::vector<CheckpointInfo> rankedCheckpoints(std::vector<CheckpointInfo> scored,
                                              const std::string& metric) {
  std::erase_if(scored, [&](const CheckpointInfo& info) { return !info.scores.contains(metric); });
  const double sign = higherIsBetter(metric) ? -1 : 1;
  std::ranges::sort(scored, {}, [&](const CheckpointInfo& info) {
    return std::pair(sign * info.scores.at(metric), -info.step);
  });
  return scored;
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

void warnOfDamaged(const std::vector<CheckpointInfo>& checkpoints) {
  for (const CheckpointInfo& info : checkpoints) {
    if (!info.damage.empty())
      spdlog::warn("{}: nobody knows whether step {} is the best", info.damage, info.step);
  }
}

std::optional<CheckpointInfo> bestCheckpoint(const fs::path& runFolder, const std::string& metric) {
  const auto all = listCheckpoints(runFolder);
  warnOfDamaged(all);
  const auto best = rankedCheckpoints(all, metric);
  if (!best.empty()) return best.front();
  return all.empty() ? std::nullopt : std::optional(all.back());
}

CheckpointInfo findCheckpoint(const fs::path& runFolder, const std::string& selector,
                              const std::string& metric) {
  const auto all = listCheckpoints(runFolder);
  if (all.empty()) throw Error("{} has no checkpoint", checkpointsFolder(runFolder).string());
  CheckpointInfo chosen = all.back();
  if (selector == "best") {
    warnOfDamaged(all);
    const auto best = rankedCheckpoints(all, metric);
    if (best.empty())
      throw Error("no checkpoint of {} has a value of {}; use @last", runFolder.string(), metric);
    chosen = best.front();
  } else if (selector != "last") {
    const std::int64_t step = stepOf("step-" + selector);
    const auto found = std::ranges::find(all, step, &CheckpointInfo::step);
    if (found == all.end()) {
      throw usageError("{} has no checkpoint '{}'; its newest is {}", runFolder.string(), selector,
                       all.back().step);
    }
    chosen = *found;
  }
  requireGoodCheckpoint(chosen.folder);
  return chosen;
}

CheckpointInfo lastGoodCheckpoint(const fs::path& runFolder) {
  const auto all = listCheckpoints(runFolder);
  for (const auto& info : std::views::reverse(all)) {
    const std::string damage = damageOf(info.folder);
    if (damage.empty()) return info;
    spdlog::warn("{}; trying the previous checkpoint", damage);
  }
  throw Error("{} has no undamaged checkpoint; start a new run",
              checkpointsFolder(runFolder).string());
}

void requireGoodCheckpoint(const fs::path& folder) {
  const std::string damage = damageOf(folder);
  if (damage.empty()) return;
  const auto others = listCheckpoints(folder.parent_path().parent_path());
  for (const auto& other : std::views::reverse(others)) {
    if (other.folder != folder && damageOf(other.folder).empty())
      throw Error("{}; the newest undamaged checkpoint is {}", damage, other.folder.string());
  }
  throw Error("{}; the run has no other undamaged checkpoint", damage);
}

void writeCheckpointManifest(const fs::path& folder, const CheckpointProgress& progress) {
  Json manifest{{"format", kManifestFormat},
                {"step", progress.step},
                {"epoch", progress.epoch},
                {"created", std::floor(nowSeconds())}};
  manifest["scores"] = Json::object();
  for (const auto& [name, value] : progress.scores) {
    if (std::isfinite(value)) manifest["scores"][name] = value;
  }
  manifest["files"] = Json::object();
  std::vector<std::string> names{kConfigFile, kModelFile, kTrainingFile};
  if (fs::exists(folder / kAverageFolder)) {
    manifest[kAverageFormat] = 1;
    for (const char* name : {kConfigFile, kModelFile})
      names.push_back(std::string(kAverageFolder) + "/" + name);
  }
  for (const std::string& name : names) {
    manifest["files"][name] = {{"bytes", fs::file_size(folder / name)},
                               {"xxh3_128", digestByReading(folder / name)}};
  }
  manifest["digest"] = manifestDigest(manifest);
  writeFileAtomic(folder / kManifestFile, manifest.dump(2) + "\n");
}

bool averageIsInvalid(const fs::path& folder) {
  return fs::exists(folder / kAverageFolder) && !readManifest(folder).averageFollows;
}

fs::path averageFolder(const fs::path& folder) {
  if (!fs::exists(folder / kAverageFolder))
    throw usageError("{} has no moving average: its run was trained without training.ema",
                     folder.string());
  if (averageIsInvalid(folder)) {
    throw Error(
        "The moving average of {} is invalid: the version that wrote it stored the weights "
        "instead; use the weights (without +ema), average checkpoints (strata-run average), or "
        "resume the run, whose average then restarts",
        folder.string());
  }
  return folder / kAverageFolder;
}

void removeOldCheckpoints(const fs::path& runFolder, const Retention& retention) {
  const auto all = listCheckpoints(runFolder);
  auto best = rankedCheckpoints(all, retention.metric);
  best.resize(std::min(best.size(), static_cast<std::size_t>(retention.keepBest)));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool recent =
        retention.keepLast == 0 || all.size() - i <= static_cast<std::size_t>(retention.keepLast);
    const bool good = std::ranges::find(best, all[i].step, &CheckpointInfo::step) != best.end();
    if (!recent && !good && !all[i].pinned) fs::remove_all(all[i].folder);
  }
}

bool isPinned(const fs::path& folder) {
  return fs::exists(folder / kPinnedFile);
}

void pinCheckpoint(const fs::path& folder, bool pinned) {
  if (!fs::is_directory(folder)) throw usageError("there is no checkpoint {}", folder.string());
  if (pinned)
    writeFileAtomic(folder / kPinnedFile, "");
  else
    fs::remove(folder / kPinnedFile);
}

void removeCheckpoint(const fs::path& folder) {
  if (!fs::is_directory(folder)) throw usageError("there is no checkpoint {}", folder.string());
  // Under another name first: half a checkpoint would count as a damaged one.
  const fs::path going = folder.parent_path() / ("." + folder.filename().string() + ".removed");
  fs::remove_all(going);
  fs::rename(folder, going);
  fs::remove_all(going);
}

bool wouldBeBest(const fs::path& runFolder, const std::map<std::string, double>& scores,
                 const Retention& retention) {
  const auto value = scores.find(retention.metric);
  if (retention.keepBest <= 0 || value == scores.end() || !std::isfinite(value->second))
    return false;
  const auto best = rankedCheckpoints(listCheckpoints(runFolder), retention.metric);
  if (std::ssize(best) < retention.keepBest) return true;
  const double sign = higherIsBetter(retention.metric) ? -1 : 1;
  const double worstKept =
      best[static_cast<std::size_t>(retention.keepBest - 1)].scores.at(retention.metric);
  return sign * value->second <= sign * worstKept;  // of equal ones it is the later
}

}  // namespace strata
