// Imported systems in the workspace's trash: folders systems-NAME, systems-NAME-2, ...
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <ranges>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/data/dataset.h"
#include "core/data/growing_folder.h"
#include "core/systems/stored_files.h"
#include "core/systems/stored_parts.h"

namespace strata {
namespace {

constexpr std::string_view kTrashedSystem = "systems-";

// When a folder was moved, in nanoseconds.
std::int64_t movedAt(const fs::path& folder) {
  struct stat info {};
  if (::stat(folder.c_str(), &info) != 0) return 0;
  return std::int64_t{info.st_ctim.tv_sec} * 1'000'000'000 + info.st_ctim.tv_nsec;
}

}  // namespace

std::string trashSystem(Workspace& workspace, const StoredSystem& system) {
  if (system.run != 0) {
    throw usageError(
        "{} is an output of the run {}: only imported systems can be moved to the trash",
        system.name, system.run);
  }
  checkDatasetName(system.id, "system");
  const fs::path from = pathInside(systemsFolder(workspace), system.id);
  std::error_code failed;
  fs::create_directories(workspace.trashFolder(), failed);
  const FolderLock lock(systemsFolder(workspace));
  const std::string name = std::string(kTrashedSystem) + system.id;
  fs::path to = workspace.trashFolder() / name;
  for (int number = 2; fs::exists(to, failed); ++number)
    to = workspace.trashFolder() / fmt::format("{}-{}", name, number);
  moveDurably(from, to);
  return to.filename().string();
}

std::vector<TrashedSystem> trashedSystems(const Workspace& workspace) {
  std::vector<std::pair<std::int64_t, TrashedSystem>> found;
  for (const fs::path& folder : storedFolders(workspace.trashFolder())) {
    const std::string id = folder.filename().string();
    if (!id.starts_with(kTrashedSystem)) continue;
    try {
      const Json manifest = readManifest(folder / kSystemManifest, kSystemFormat);
      found.emplace_back(movedAt(folder),
                         TrashedSystem{id, manifest.at("name"), manifest.at("test_set")});
    } catch (const std::exception&) {
      continue;  // damaged: it could not be opened after a restore
    }
  }
  std::ranges::stable_sort(found, {}, &std::pair<std::int64_t, TrashedSystem>::first);
  std::vector<TrashedSystem> systems;
  for (auto& [time, system] : found) systems.push_back(std::move(system));
  return systems;
}

std::string restoreSystem(Workspace& workspace, const std::string& wanted) {
  const std::vector<TrashedSystem> all = trashedSystems(workspace);
  const auto newest = all | std::views::reverse;
  auto found = std::ranges::find(newest, wanted, &TrashedSystem::id);
  if (found == newest.end()) found = std::ranges::find(newest, wanted, &TrashedSystem::name);
  if (found == newest.end()) {
    throw usageError(
        "there is no system '{}' in the trash; there are: {}", wanted,
        all.empty() ? std::string("none")
                    : fmt::format("{}", fmt::join(all | std::views::transform(&TrashedSystem::name),
                                                  ", ")));
  }
  checkDatasetName(found->name, "system");
  const fs::path from = pathInside(workspace.trashFolder(), found->id);
  std::error_code failed;
  fs::create_directories(systemsFolder(workspace), failed);
  const FolderLock lock(systemsFolder(workspace));
  checkFree({.parent = systemsFolder(workspace),
             .name = found->name,
             .what = "system",
             .manifest = kSystemManifest});
  const fs::path to = pathInside(systemsFolder(workspace), found->name);
  moveDurably(from, to);
  return found->name;
}

}  // namespace strata
