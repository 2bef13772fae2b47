#include "core/data/growing_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/lock_wait.h"
#include "core/base/log.h"
#include "core/data/dataset.h"

namespace strata {
namespace {

constexpr std::string_view kHiddenPrefix = ".preparing-";

fs::path lockFileOf(const fs::path& folder) {
  return folder.string() + ".lock";
}

std::int64_t newestVersion(const fs::path& datasets, const std::string& name) {
  std::int64_t newest = 0;
  for (const auto& entry : fs::directory_iterator(datasets)) {
    const std::string folder = entry.path().filename().string();
    if (folder.starts_with(name + "@"))
      newest = std::max<std::int64_t>(newest, std::atoll(folder.c_str() + name.size() + 1));
  }
  return newest;
}

}  // namespace

// Nobody holds the locks of killed processes.
void removeDeadFolders(const fs::path& parent) {
  std::set<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(parent)) {
    fs::path path = entry.path();
    if (!path.filename().string().starts_with(kHiddenPrefix)) continue;
    folders.insert(path.extension() == ".lock" ? path.replace_extension() : path);
  }
  for (const fs::path& folder : folders) {
    const OpenFile lock(lockFileOf(folder), O_CREAT | O_RDWR);
    if (!lock.isOpen() || !lock.lock(LOCK_EX | LOCK_NB)) continue;
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    fs::remove(lock.path(), ignored);
  }
}

GrowingFolder::GrowingFolder(const fs::path& parent, const std::string& name) {
  fs::create_directories(parent);
  removeDeadFolders(parent);
  // Another computer's process may have the same number, and another process may just be removing
  // the lock file.
  for (int number = 0; !lock_; ++number) {
    path_ = parent / fmt::format("{}{}-{}-{}", kHiddenPrefix, name, ::getpid(), number);
    auto lock = std::make_unique<OpenFile>(lockFileOf(path_), O_CREAT | O_RDWR);
    if (!lock->isOpen()) throw lock->failure("open");
    if (lock->lock(LOCK_EX | LOCK_NB) && fs::exists(lock->path())) lock_ = std::move(lock);
  }
  fs::remove_all(path_);
  fs::create_directory(path_);
}

GrowingFolder::~GrowingFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  fs::remove(lock_->path(), ignored);
}

FolderLock::FolderLock(const fs::path& datasets) : file_(datasets / ".lock", O_CREAT | O_RDWR) {
  if (!file_.isOpen()) throw file_.failure("lock");
  waitForLock(file_, LOCK_EX, {.limit = {}});  // what is to be published took long to make
}

void publishDataset(const fs::path& datasets, const fs::path& grown, Json manifest) {
  const auto name = manifest["name"].get<std::string>();
  const fs::path place = datasets / name;
  std::int64_t version = newestVersion(datasets, name);
  fs::path aside;
  if (fs::exists(place)) {
    std::int64_t old = version + 1;
    try {
      old = std::max(old, Dataset(place).version());
    } catch (const Error& error) {
      spdlog::warn("{}", error.what());  // kept as a version, although damaged
    }
    aside = datasets / fmt::format("{}@{}", name, old);
    version = old;
  }
  manifest["version"] = version + 1;
  writeFileAtomic(grown / "manifest.yaml", sealedManifest(std::move(manifest)));
  if (!aside.empty()) fs::rename(place, aside);
  moveDurably(grown, place);
}

}  // namespace strata
