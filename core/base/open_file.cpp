#include "core/base/open_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace strata {

OpenFile::OpenFile(const std::filesystem::path& path, int flags)
    : path_(path), fd_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {}

OpenFile::~OpenFile() {
  if (fd_ >= 0) ::close(fd_);
}

Error OpenFile::failure(std::string_view what) const {
  return Error("cannot {} {}: {}", what, path_.string(), std::strerror(errno));
}

std::uint64_t OpenFile::size() const {
  struct stat info {};
  if (::fstat(fd_, &info) != 0) throw failure("read");
  return static_cast<std::uint64_t>(info.st_size);
}

std::size_t OpenFile::readAt(std::uint64_t offset, char* out, std::size_t bytes) const {
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t got = ::pread(fd_, out + done, bytes - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw failure("read");
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

void OpenFile::write(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw failure("write");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void OpenFile::cut(std::uint64_t size) const {
  if (::ftruncate(fd_, static_cast<off_t>(size)) != 0) throw failure("cut");
}

void OpenFile::sync() const {
  // Some file systems cannot sync a folder and return EINVAL; nothing more can be done.
  if (::fsync(fd_) != 0 && errno != EINVAL) throw failure("sync");
}

bool OpenFile::lock(int operation) const {
  while (::flock(fd_, operation) != 0) {
    if (errno == EWOULDBLOCK) return false;
    if (errno != EINTR) throw failure("lock");
  }
  return true;
}

void OpenFile::close() {
  if (fd_ >= 0 && ::close(std::exchange(fd_, -1)) != 0) throw failure("close");
}

}  // namespace strata
