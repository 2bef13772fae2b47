#include "core/data/growing_folder.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/log.h"
#include "core/data/dataset.h"

namespace strata {
namespace {

constexpr std::string_view kHiddenPrefix = ".preparing-";

// Removes folders of killed processes.
void removeDead(const fs::path& datasets) {
  for (const auto& entry : fs::directory_iterator(datasets)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kHiddenPrefix)) continue;
    const long process = std::atol(name.substr(name.rfind('-') + 1).c_str());
    if (process > 0 && ::kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH) {
      std::error_code ignored;
      fs::remove_all(entry.path(), ignored);
    }
  }
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

GrowingFolder::GrowingFolder(const fs::path& datasets, const std::string& name) {
  fs::create_directories(datasets);
  removeDead(datasets);
  path_ = datasets / fmt::format("{}{}-{}", kHiddenPrefix, name, ::getpid());
  fs::remove_all(path_);
  fs::create_directory(path_);
}

GrowingFolder::~GrowingFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

FolderLock::FolderLock(const fs::path& datasets) : file_(datasets / ".lock", O_CREAT | O_RDWR) {
  if (!file_.isOpen() || ::flock(file_.fd(), LOCK_EX) != 0)
    throw Error("cannot lock {}", datasets.string());
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
  fs::rename(grown, place);
  syncToDisk(datasets);
}

}  // namespace strata
