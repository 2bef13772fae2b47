#include "core/store/runs.h"

#include <unistd.h>

#include <algorithm>
#include <unordered_set>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/key_path.h"
#include "core/base/utf8.h"
#include "core/run/checkpoint_files.h"
#include "core/run/configuration_group.h"
#include "core/store/database.h"
#include "core/store/index.h"
#include "core/store/jobs.h"
#include "core/store/kept_config.h"
#include "core/store/left_out.h"
#include "core/store/merge_origin.h"
#include "core/store/run_creation.h"
#include "core/store/run_lock.h"

namespace strata {
namespace {

constexpr std::size_t kMaxName = 200;

bool isPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
}

bool nameIsTaken(Database& database, const std::string& name) {
  return Query(database, "SELECT 1 FROM runs WHERE name = ?", name).next();
}

std::string settingOf(const NewRun& run, const std::string& path) {
  const Json* value = findAt(run.config, path);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

std::string presetOf(const NewRun& run) {
  return run.preset.empty() ? settingOf(run, "preset") : run.preset;
}

// The folder has a name outside the runs' naming scheme until it is complete.
void makeRunFolder(Workspace& workspace, const fs::path& folder, const NewRun& run,
                   const FillRunFolder& fill) {
  const fs::path partial = workspace.runsFolder() / (".new-" + std::to_string(::getpid()) + "-" +
                                                     folder.filename().string());
  std::error_code ignored;
  fs::remove_all(partial, ignored);
  try {
    for (const char* part : {"checkpoints", "recordings", "text"})
      fs::create_directories(partial / part);
    const std::string config = toYaml(run.config);
    Json created = createdEvent(run);
    created["identity"] = newIdentity();
    appendRecords(
        eventLogOf(partial),
        {eventRecord(created), eventRecord(configEvent(run.config, config, ConfigFile::kIsThere))});
    writeFileAtomic(configFileOf(partial), config);
    if (fill) fill(partial);
    syncToDisk(partial);
    moveDurably(partial, folder);
  } catch (const fs::filesystem_error& error) {
    fs::remove_all(partial, ignored);
    throw Error("cannot create {}: {}", folder.string(), error.code().message());
  } catch (...) {
    fs::remove_all(partial, ignored);
    throw;
  }
}

void moveRun(Workspace& workspace, std::int64_t run, const std::string& parent) {
  const auto move = [&] {
    const std::string from = folderOfRun(workspace, run);
    const std::string to = parent + "/" + fs::path(from).filename().string();
    if (from == to) return;
    std::error_code ignored;  // moving reports the problem
    fs::create_directories(workspace.root() / parent, ignored);
    moveDurably(workspace.root() / from, workspace.root() / to);
    // Without space for the index it follows when it is next opened.
    if (!workspace.readOnly()) indexRun(workspace, {run, to});
  };
  if (workspace.readOnly()) return move();
  workspace.database().write(move);
}

// A run in the trash gives up its name and has another from then on.
void claimName(Workspace& workspace, const std::string& name) {
  if (!nameIsTaken(workspace.database(), name)) return;
  const RunSummary holder = findRun(workspace, name);
  if (!holder.trashed)
    throw usageError("the name '{}' is taken by the run in {}: choose another", name,
                     folderOfRun(workspace, holder.id));
  appendToRun(workspace, holder.id,
              {{"type", "renamed"},
               {"time", nowSeconds()},
               {"name", freeRunName(workspace, name + "-trashed")}});
}

}  // namespace

Json createdEvent(const NewRun& run) {
  const Json* seed = findAt(run.config, "seed");
  return {{"type", "created"},
          {"time", nowSeconds()},
          {"name", run.name},
          {"preset", presetOf(run)},
          {"dataset", settingOf(run, "data.dataset")},
          {"family", settingOf(run, "model.family")},
          {"seed", seed != nullptr && seed->is_number_integer() ? *seed : Json(0)},
          {"metric", settingOf(run, "checkpoint.metric")},
          {"config_group", configurationGroup(run.config)}};
}

void checkRunName(std::string_view name) {
  const auto refuse = [&](std::string_view why) {
    throw usageError("'{}' cannot be the name of a run: {}", name, why);
  };
  if (name.empty()) refuse("it is empty");
  if (name.size() > kMaxName) refuse("it is longer than 200 bytes");
  if (name == "." || name == "..") refuse("a folder has this name");
  if (name.front() == '-') refuse("it would be taken for an option");
  if (name.front() == ' ' || name.back() == ' ') refuse("it begins or ends with a blank");
  if (!isValidUtf8(name)) throw usageError("the name of a run must be valid UTF-8");
  if (name.find_first_of("/@") != std::string_view::npos) refuse("'/' and '@' are not allowed");
  const auto isControl = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  if (std::ranges::any_of(name, isControl)) refuse("it contains a control character");
  if (std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; }))
    refuse("a name of only digits would be taken for a run's number");
}

std::string slugOf(std::string_view name) {
  std::string slug;
  for (const char c : name) {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if ((static_cast<unsigned char>(c) & 0xC0) == 0x80)
      continue;  // one '-' per character, not per byte
    slug += isPlain(lower) ? lower : '-';
  }
  return slug;
}

std::string freeRunName(Workspace& workspace, const std::string& wanted) {
  Database& database = workspace.database();
  if (!nameIsTaken(database, wanted)) return wanted;
  // All names that begin with "wanted-", by one look at the index of names: '.' follows '-'.
  const std::string begin = wanted + "-", end = wanted + ".";
  std::unordered_set<std::string> taken;
  Query rows(database, "SELECT name FROM runs WHERE name >= ? AND name < ?", begin, end);
  while (rows.next()) taken.insert(rows.text(0));
  for (int number = 2;; ++number) {
    const std::string name = begin + std::to_string(number);
    if (!taken.contains(name)) return name;
  }
}

namespace {

// "mlrf/both-fnn-sa4" gives "both-fnn-sa4".
std::string suggestedName(const NewRun& run) {
  const std::string preset = presetOf(run);
  std::string base = preset.substr(preset.rfind('/') + 1);
  if (base.empty()) base = settingOf(run, "data.dataset");
  std::ranges::replace(base, '@', '-');
  return base.empty() ? "run" : base;
}

}  // namespace

RunSummary createRun(Workspace& workspace, const NewRun& wanted) {
  return createRun(workspace, wanted, {});
}

RunSummary createRun(Workspace& workspace, const NewRun& wanted, const FillRunFolder& fill) {
  fs::path folder;
  try {
    const std::int64_t id = workspace.database().write([&] {
      NewRun run = wanted;
      if (run.name.empty()) run.name = freeRunName(workspace, suggestedName(run));
      checkRunName(run.name);
      claimName(workspace, run.name);
      const std::int64_t next = nextRunId(workspace);
      const std::string relative = "runs/" + std::to_string(next) + "-" + slugOf(run.name);
      makeRunFolder(workspace, workspace.root() / relative, run, fill);
      folder = workspace.root() / relative;
      indexRun(workspace, {next, relative});
      return next;
    });
    return runById(workspace, id);
  } catch (...) {
    std::error_code ignored;
    if (!folder.empty()) fs::remove_all(folder, ignored);
    throw;
  }
}

void renameRun(Workspace& workspace, std::int64_t run, const std::string& name) {
  checkRunName(name);
  workspace.database().write([&] {
    if (runById(workspace, run).name == name) return;
    claimName(workspace, name);
    appendToRun(workspace, run, {{"type", "renamed"}, {"time", nowSeconds()}, {"name", name}});
  });
}

void setTags(Workspace& workspace, std::int64_t run, std::vector<std::string> tags) {
  std::ranges::sort(tags);
  const auto repeated = std::ranges::unique(tags);
  tags.erase(repeated.begin(), repeated.end());
  for (const auto& tag : tags) {
    if (tag.empty() || !isValidUtf8(tag)) throw usageError("a tag must be a word in UTF-8");
  }
  appendToRun(workspace, run, {{"type", "tags"}, {"time", nowSeconds()}, {"tags", tags}});
}

void setNote(Workspace& workspace, std::int64_t run, const std::string& note) {
  if (!isValidUtf8(note)) throw usageError("a note must be valid UTF-8");
  appendToRun(workspace, run, {{"type", "note"}, {"time", nowSeconds()}, {"note", note}});
}

void trashRun(Workspace& workspace, std::int64_t run) {
  const auto trash = [&] {
    const RunSummary summary = runById(workspace, run);
    if (summary.status == RunStatus::kQueued && !workspace.readOnly())
      sendCommand(workspace, run, Command::kStop);
    const RunStatus now = runById(workspace, run).status;
    if (holderOf(summary.folder))
      throw Error("the run '{}' is being trained: stop it before moving it to the trash",
                  summary.name);
    if (now == RunStatus::kRunning || now == RunStatus::kQueued) {
      throw Error("the run '{}' is {}: stop it before moving it to the trash", summary.name,
                  nameOf(now));
    }
    moveRun(workspace, run, "trash");
  };
  if (workspace.readOnly()) return trash();
  workspace.database().write(trash);
}

void restoreRun(Workspace& workspace, std::int64_t run) {
  moveRun(workspace, run, "runs");
}

void removeRunCheckpoint(Workspace& workspace, std::int64_t run, std::int64_t step) {
  const RunSummary summary = runById(workspace, run);
  if (holderOf(summary.folder))
    throw Error("the run '{}' is being trained: stop it before removing its checkpoints",
                summary.name);
  const fs::path checkpoint = checkpointsFolder(summary.folder) / checkpointName(step);
  if (fs::exists(checkpoint)) leaveOut(checkpoint);
  removeCheckpoint(checkpoint);
}

void replaceConfig(Workspace& workspace, std::int64_t run, const Json& config) {
  // First the log: whenever the process ends, the file is one of the two that the log knows.
  const std::string text = toYaml(config);
  appendToRun(workspace, run, configEvent(config, text, ConfigFile::kFollows));
  writeFileAtomic(configFileOf(workspace.root() / folderOfRun(workspace, run)), text);
}

}  // namespace strata
