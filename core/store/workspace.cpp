#include "core/store/workspace.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/file.h>

#include <optional>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/lock_wait.h"
#include "core/base/open_file.h"
#include "core/store/database.h"
#include "core/store/index.h"
#include "core/store/maintenance.h"
#include "core/store/reaper.h"
#include "core/store/removals.h"
#include "core/store/workspace_checks.h"

namespace strata {
namespace {

void makeFolder(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) {
    throw Error("cannot create {}: {}. Choose another folder with --workspace", folder.string(),
                failed.message());
  }
}

fs::path folderAt(const fs::path& root) {
  const fs::path folder = fs::absolute(root).lexically_normal();
  return folder.filename().empty() ? folder.parent_path() : folder;
}

}  // namespace

Workspace::Workspace(const fs::path& root, std::unique_ptr<Database> index)
    : root_(folderAt(root)), readOnly_(true), database_(std::move(index)) {}

Workspace::Workspace(const fs::path& root, const WorkspaceOptions& options)
    : root_(folderAt(root)), readOnly_(options.inMemory || options.access == Access::kRead) {
  if (options.inMemory) {
    readFolders();
    return;
  }
  const bool reads = readOnly_;
  const fs::path file = root_ / (options.index.empty() ? "workspace.db" : options.index);
  if (reads && !fs::exists(file)) throw Error("there is no workspace in {}", root_.string());
  // A newer index throws before any folder in it is created: the database checks its header first.
  if (!reads) makeFolder(root_);
  const bool network = options.networkFileSystem.value_or(isNetworkFileSystem(root_));
  if (network && !reads) {
    spdlog::warn(
        "{} is on a network file system: the index uses exclusive locks and a rollback journal, "
        "which is slower",
        root_.string());
  }
  const DatabaseOptions how{
      .readOnly = reads, .network = network, .busyMilliseconds = options.busyMilliseconds};
  // Serialises processes that create the same workspace at once, where the file system has locks.
  std::optional<OpenFile> opening(std::in_place, root_ / ".opening", O_RDWR | O_CREAT);
  if (opening->isOpen()) waitForLock(*opening, LOCK_EX, {.limit = {}});
  const bool isNew = !fs::exists(file);
  try {
    database_ = std::make_unique<Database>(file, how);
  } catch (const IndexIsOlder&) {
    opening.reset();  // renewing opens the workspace, too, and has a lock of its own
    try {
      renewIndex(root_);
      database_ = std::make_unique<Database>(file, how);
    } catch (const Error& error) {
      if (!reads) throw;
      spdlog::warn("{}: the runs' logs are read instead", error.what());
      readFolders();
    }
  }
  if (reads) return;
  for (const char* name : {"datasets", "runs", "ui", "reports"}) makeFolder(root_ / name);
  // An index that was lost, or never created here, is rebuilt from the folders.
  if (isNew && options.index.empty()) refreshWorkspace(*this);
}

void Workspace::readFolders() {
  database_ = std::make_unique<Database>(kInMemory, DatabaseOptions{});
  for (const auto& [id, folder] : runFoldersOnDisk(root_)) {
    try {
      indexRun(*database_, root_, {id, folder});
    } catch (const Error& error) {
      spdlog::warn("run {} is left out: {}", id, error.what());
    }
  }
  indexLooks(*database_, root_);
  database_->execute("PRAGMA query_only = 1");
}

Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

std::int64_t Workspace::dataVersion() {
  return database_->dataVersion();
}

int refreshWorkspace(Workspace& workspace) {
  const auto known = knownRuns(workspace.database());
  int changed = 0;
  for (const auto& [id, folder] : runFoldersOnDisk(workspace.root())) {
    const auto found = known.find(id);
    std::error_code failed;
    const auto bytes = fs::file_size(eventLogOf(workspace.root() / folder), failed);
    const bool same = found != known.end() && found->second.folder == folder && !failed &&
                      static_cast<std::int64_t>(bytes) == found->second.logBytes;
    if (same || (failed && found != known.end())) continue;
    if (found == known.end() && !fs::exists(configFileOf(workspace.root() / folder))) continue;
    try {
      const LogScan scan = indexRun(workspace, {id, folder});
      if (found == known.end() || found->second.folder != folder ||
          static_cast<std::int64_t>(scan.end) != found->second.logBytes) {
        ++changed;
      }
    } catch (const Error& error) {
      spdlog::warn("run {} is left out: {}", id, error.what());
    }
  }
  removeUnfinished(workspace);
  indexLooks(workspace);
  changed += forgetRemovedRuns(workspace);
  return changed + noticeDeadProcesses(workspace);
}

namespace {

// What the index has of the runs: all, all but the ends of some logs, or not all where they are.
enum class Indexed { kAll, kShorterLogs, kOtherFolders };
Indexed indexedOf(Workspace& workspace) {
  const auto known = knownRuns(workspace.database());
  const auto folders = runFoldersOnDisk(workspace.root());
  auto indexed = known.size() == folders.size() ? Indexed::kAll : Indexed::kOtherFolders;
  for (const auto& [id, folder] : folders) {
    const auto found = known.find(id);
    if (found == known.end() || found->second.folder != folder) return Indexed::kOtherFolders;
    if (static_cast<std::int64_t>(fileBytes(eventLogOf(workspace.root() / folder))) !=
            found->second.logBytes &&
        indexed == Indexed::kAll)
      indexed = Indexed::kShorterLogs;
  }
  return indexed;
}

// Without an index that can be written: as it is, unless it missed what became of folders.
Workspace openForReading(const fs::path& root, const std::string& why) {
  Workspace workspace(root, {.access = Access::kRead});
  const Indexed indexed = indexedOf(workspace);
  if (indexed == Indexed::kShorterLogs)
    spdlog::warn("{}: what is read may be older than the runs' folders", why);
  if (indexed != Indexed::kOtherFolders) return workspace;
  spdlog::warn("{}: the runs' logs are read instead", why);
  return Workspace(root, {.inMemory = true});
}

}  // namespace

Workspace openFresh(const fs::path& root) {
  try {
    Workspace workspace(root);
    refreshWorkspace(workspace);
    return workspace;
  } catch (const IndexDamaged&) {
    throw;
  } catch (const IndexIsForeign&) {
    throw;
  } catch (const IndexIsNewer&) {
    throw;
  } catch (const Error& error) {
    if (!fs::exists(root / "workspace.db") && !fs::exists(root / "runs")) throw;
    return openForReading(root, error.what());
  }
}

}  // namespace strata
