#include "core/store/removals.h"

#include <optional>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/store/database.h"
#include "core/store/index.h"
#include "core/store/maintenance.h"

namespace strata {
namespace {
constexpr std::string_view kSuffix = ".removed";
}

fs::path removalOf(const fs::path& folder) {
  return folder.parent_path() / ("." + folder.filename().string() + std::string(kSuffix));
}

fs::path beginRemoval(const fs::path& folder) {
  const fs::path removal = removalOf(folder);
  std::error_code failed;
  fs::remove_all(removal, failed);  // of an earlier folder of that name
  fs::rename(folder, removal, failed);
  if (failed) throw Error("cannot remove {}: {}", folder.string(), failed.message());
  syncToDisk(folder.parent_path());
  return removal;
}

void endRemoval(const fs::path& removal) {
  std::error_code failed;
  fs::remove_all(removal, failed);
  if (failed && failed != std::errc::no_such_file_or_directory && fs::exists(removal))
    throw Error("cannot remove {}: {}", removal.string(), failed.message());
}

std::vector<fs::path> unfinishedRemovals(const fs::path& parent) {
  std::vector<fs::path> found;
  for (const auto& name : namesIn(parent)) {
    if (name.starts_with('.') && name.ends_with(kSuffix) && fs::is_directory(parent / name))
      found.push_back(parent / name);
  }
  return found;
}

int forgetRemovedRuns(Workspace& workspace) {
  int forgotten = 0;
  for (const auto& removal : unfinishedRemovals(workspace.trashFolder())) {
    const std::string hidden = removal.filename().string();
    const std::string name = hidden.substr(1, hidden.size() - 1 - kSuffix.size());
    const auto id = runIdOf(name);
    if (!id) continue;
    workspace.database().write([&] {
      Query row(workspace.database(), "SELECT folder FROM runs WHERE id = ?", *id);
      // Where the index could not be written, it may not even know that the run was in the trash.
      const bool known =
          row.next() && (row.text(0) == "trash/" + name || row.text(0) == "runs/" + name);
      if (!known || fs::exists(workspace.trashFolder() / name) ||
          fs::exists(workspace.runsFolder() / name))
        return;
      forgetRun(workspace, *id);
      ++forgotten;
    });
  }
  return forgotten;
}

}  // namespace strata
