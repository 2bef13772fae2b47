#include "core/base/replacing_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "core/base/error.h"

namespace strata {
namespace {

fs::path folderOf(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

std::unique_ptr<OpenFile> openPartial(const fs::path& shared) {
  for (int attempt = 0; attempt < 3; ++attempt) {
    auto file = std::make_unique<OpenFile>(shared, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK);
    struct stat opened {
    }, named{};
    if (!file->isOpen() || ::fstat(file->fd(), &opened) != 0 || !S_ISREG(opened.st_mode) ||
        opened.st_nlink > 1) {
      // Nothing of ours: it must not be followed or written into.
      if (::unlink(shared.c_str()) != 0) break;
      continue;
    }
    if (::flock(file->fd(), LOCK_EX | LOCK_NB) != 0) break;
    // Whoever held the lock may have renamed it in between.
    if (::lstat(shared.c_str(), &named) != 0 || named.st_ino != opened.st_ino) continue;
    file->cut(0);
    return file;
  }
  static std::atomic<unsigned> written{0};  // several threads may write the same file
  auto file =
      std::make_unique<OpenFile>(fmt::format("{}-{}-{}", shared.string(), ::getpid(), ++written),
                                 O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW);
  if (!file->isOpen()) throw file->failure("write");
  return file;
}

}  // namespace

ReplacingFile::ReplacingFile(const fs::path& path)
    : ReplacingFile(path, path.string() + ".partial") {}

ReplacingFile::ReplacingFile(const fs::path& path, const fs::path& partial) : path_(path) {
  std::error_code failed;
  fs::create_directories(folderOf(path), failed);
  if (failed) throw Error("cannot create {}: {}", folderOf(path).string(), failed.message());
  file_ = openPartial(partial);
}

ReplacingFile::~ReplacingFile() {
  if (!committed_) ::unlink(file_->path().c_str());
}

void ReplacingFile::commit() {
  file_->sync();
  replace();
  syncToDisk(folderOf(path_));
}

void ReplacingFile::replace() {
  if (::rename(file_->path().c_str(), path_.c_str()) != 0)
    throw Error("cannot replace {}: {}", path_.string(), std::strerror(errno));
  committed_ = true;
  file_->close();
}

}  // namespace strata
