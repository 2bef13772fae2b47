#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace strata {

class Database;

enum class Access {
  kWrite,  // makes folder and index where absent, brings an older index up to date
  kRead    // changes nothing: a reader beside the process's writer, on a thread of its own
};

struct WorkspaceOptions {
  Access access = Access::kWrite;
  int busyMilliseconds = 20000;                // how long to wait for another process's transaction
  std::optional<bool> networkFileSystem = {};  // empty: found out; else taken as given (tests)
  std::string index = {};                      // file that is the index instead; made empty
};

// A folder of datasets and runs with the index workspace.db. The folders are the truth; the index
// is rebuilt from them by repairWorkspace. Any number of processes may hold a workspace. One object
// is one connection: calls from several threads take turns, so give a thread that must not wait its
// own object. Everything below throws Error.
class Workspace {
 public:
  explicit Workspace(const std::filesystem::path& root, const WorkspaceOptions& options = {});
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;

  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path datasetsFolder() const { return root_ / "datasets"; }
  std::filesystem::path runsFolder() const { return root_ / "runs"; }
  std::filesystem::path trashFolder() const { return root_ / "trash"; }
  std::filesystem::path uiFolder() const { return root_ / "ui"; }
  std::filesystem::path reportsFolder() const { return root_ / "reports"; }

  // Changes whenever another process or object committed something; cheap enough to poll 20 times a
  // second. Own writes do not change it.
  std::int64_t dataVersion();

  Database& database() const { return *database_; }

 private:
  std::filesystem::path root_;
  std::unique_ptr<Database> database_;
};

// Brings the index up to what the folders say: runs whose logs grew without it, and folders that it
// does not know. Claims of workers that died are queued again. Cheap: a look at each run's folder.
// Returns how many runs changed, those whose process was found dead among them.
int refreshWorkspace(Workspace& workspace);

}  // namespace strata
