#include "core/store/disk_use.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/files.h"
#include "core/store/database.h"
#include "core/store/index.h"

namespace strata {
namespace {

// Sums the sizes of files: one look at each folder and one at each file, relative to its folder.
class FileSizes {
 public:
  // Calls use(name, bytes) for each entry directly in the folder.
  template <typename Use>
  void eachIn(const fs::path& folder, const Use& use) {
    walk(::openat(AT_FDCWD, folder.c_str(), kFlags), use);
  }

  std::uint64_t below(const fs::path& folder) {
    std::uint64_t sum = 0;
    eachIn(folder, [&](std::string_view, std::uint64_t bytes) { sum += bytes; });
    return sum;
  }

 private:
  static constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

  template <typename Use>
  void walk(int fd, const Use& use) {
    if (fd < 0) return;
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(::fdopendir(fd), ::closedir);
    if (!folder) {
      ::close(fd);
      return;
    }
    while (const dirent* entry = ::readdir(folder.get())) {
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") use(name, bytesOf(fd, *entry));
    }
  }

  std::uint64_t bytesOf(int folder, const dirent& entry) {
    struct stat info {};
    if (entry.d_type != DT_DIR) {
      if (::fstatat(folder, entry.d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) return 0;
      if (S_ISREG(info.st_mode)) return isNew(info) ? static_cast<std::uint64_t>(info.st_size) : 0;
      if (!S_ISDIR(info.st_mode)) return 0;
    }
    std::uint64_t sum = 0;
    walk(::openat(folder, entry.d_name, kFlags),
         [&](std::string_view, std::uint64_t bytes) { sum += bytes; });
    return sum;
  }

  bool isNew(const struct stat& info) {
    return info.st_nlink < 2 || seen_.emplace(info.st_dev, info.st_ino).second;
  }

  std::set<std::pair<dev_t, ino_t>> seen_;  // files with several names
};

// The part of a run that a name directly in its folder belongs to.
std::uint64_t DiskUse::*partOf(std::string_view name) {
  static constexpr std::pair<std::string_view, std::uint64_t DiskUse::*> kParts[] = {
      {"checkpoints", &DiskUse::checkpoints}, {"averages", &DiskUse::averages},
      {"recordings", &DiskUse::recordings},   {"outputs", &DiskUse::outputs},
      {"log.jsonl", &DiskUse::events},        {"stderr.log", &DiskUse::events},
      {"effects", &DiskUse::analyses},        {"readers", &DiskUse::analyses},
      {"layers", &DiskUse::analyses},         {"means", &DiskUse::analyses},
      {"tuning", &DiskUse::analyses},         {"text", &DiskUse::text}};
  if (name.starts_with("events.log")) return &DiskUse::events;
  const auto* found = std::ranges::find(
      kParts, name, &std::pair<std::string_view, std::uint64_t DiskUse::*>::first);
  return found == std::end(kParts) ? &DiskUse::rest : found->second;
}

DiskUse useOf(FileSizes& sizes, const fs::path& runFolder) {
  DiskUse use;
  sizes.eachIn(runFolder,
               [&](std::string_view name, std::uint64_t bytes) { use.*partOf(name) += bytes; });
  return use;
}

void addRuns(Workspace& workspace, FileSizes& sizes, WorkspaceUse& use) {
  Query rows(workspace.database(), "SELECT id, name, folder FROM runs ORDER BY id");
  while (rows.next()) {
    const std::string folder = rows.text(2);
    RunUse run{rows.integer(0), rows.text(1), folder.starts_with("trash/"),
               useOf(sizes, workspace.root() / folder)};
    (run.trashed ? use.trash : use.all) += run.use;
    use.runs.push_back(std::move(run));
  }
  std::ranges::stable_sort(use.runs, std::ranges::greater(),
                           [](const RunUse& run) { return run.use.all(); });
}

}  // namespace

DiskUse& DiskUse::operator+=(const DiskUse& other) {
  for (const auto part :
       {&DiskUse::checkpoints, &DiskUse::averages, &DiskUse::recordings, &DiskUse::outputs,
        &DiskUse::events, &DiskUse::analyses, &DiskUse::text, &DiskUse::rest})
    this->*part += other.*part;
  return *this;
}

DiskUse diskUseOf(const fs::path& runFolder) {
  FileSizes sizes;
  return useOf(sizes, runFolder);
}

std::uint64_t bytesBelow(const fs::path& folder) {
  return FileSizes().below(folder);
}

WorkspaceUse workspaceUse(Workspace& workspace) {
  WorkspaceUse use;
  FileSizes sizes;
  use.datasets = sizes.below(workspace.datasetsFolder());  // first: shared text is theirs
  addRuns(workspace, sizes, use);
  for (const auto& parent : {workspace.runsFolder(), workspace.trashFolder()}) {
    for (const auto& name : namesIn(parent))
      if (!runIdOf(name)) use.rest += sizes.below(parent / name);  // what a crash left
  }
  for (const auto& name : namesIn(workspace.root())) {
    const fs::path place = workspace.root() / name;
    if (name == "datasets" || name == "runs" || name == "trash") continue;
    const std::uint64_t bytes = fs::is_directory(place) ? sizes.below(place) : fileBytes(place);
    (name == "systems" || name == "testsets" ? use.systems
     : name == "cache"                       ? use.cache
     : name.starts_with("workspace.db")      ? use.index
                                             : use.rest) += bytes;
  }
  return use;
}

}  // namespace strata
