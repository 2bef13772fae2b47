#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace strata {

class Database;

enum class Access {
  kWrite,  // creates folder and index if absent, updates an older index
  kRead    // changes nothing: a reader besides the process's writer, on a separate thread
};

struct WorkspaceOptions {
  Access access = Access::kWrite;
  int busyMilliseconds = 20000;                // how long to wait for another process's transaction
  std::optional<bool> networkFileSystem = {};  // empty: detected; else used as given (tests)
  std::string index = {};                      // file to use as the index instead; created empty
  // The index is made in memory, of what the runs' folders have: neither read nor written.
  bool inMemory = false;
};

// A folder of datasets and runs with the index workspace.db. The folders are authoritative;
// repairWorkspace rebuilds the index from them. Any number of processes may open a workspace. One
// object is one connection: threads are serialised, so give a thread that must not wait its own
// object. Everything below throws Error.
class Workspace {
 public:
  explicit Workspace(const std::filesystem::path& root, const WorkspaceOptions& options = {});
  // Of an index that is open for reading.
  Workspace(const std::filesystem::path& root, std::unique_ptr<Database> index);
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;

  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path datasetsFolder() const { return root_ / "datasets"; }
  std::filesystem::path runsFolder() const { return root_ / "runs"; }
  std::filesystem::path trashFolder() const { return root_ / "trash"; }
  std::filesystem::path reportsFolder() const { return root_ / "reports"; }

  // Changes whenever another process or object commits something; cheap enough to poll 20 times per
  // second. This object's own writes do not change it.
  std::int64_t dataVersion();

  Database& database() const { return *database_; }
  // Opened for reading: the index cannot follow what changes in the folders.
  bool readOnly() const { return readOnly_; }

 private:
  void readFolders();  // into an index in memory

  std::filesystem::path root_;
  bool readOnly_;
  std::unique_ptr<Database> database_;
};

// Updates the index from the folders: runs whose logs grew without it, and folders that it does not
// know. Jobs claimed by dead workers are queued again. Cheap: checks each run's folder. Returns the
// number of changed runs, including those whose process was found dead.
int refreshWorkspace(Workspace& workspace);

// A workspace, brought up to date. Where nothing can be written (no space is left, a folder or file
// system is read-only) it is opened for reading, as the index knows it, and a warning says so.
Workspace openFresh(const std::filesystem::path& root);

}  // namespace strata
