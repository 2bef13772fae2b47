#include "core/base/files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include "core/base/error.h"

namespace strata {
namespace {

// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags, mode_t mode = 0644)
      : fd_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  bool close() {
    if (fd_ < 0) return true;
    return ::close(std::exchange(fd_, -1)) == 0;
  }

 private:
  int fd_;
};

Error systemError(std::string_view what, const fs::path& path) {
  return Error("{} {}: {}", what, path.string(), std::strerror(errno));
}

void writeAll(int fd, std::string_view content, const fs::path& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw systemError("cannot write", path);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

std::string readFile(const fs::path& path) {
  Descriptor file(path, O_RDONLY);
  if (file.get() < 0) throw systemError("cannot open", path);
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) throw systemError("cannot read", path);
  if (S_ISDIR(info.st_mode)) throw Error("cannot read {}: it is a folder", path.string());
  std::string content;
  content.reserve(static_cast<std::size_t>(info.st_size));
  char buffer[1 << 16];
  for (;;) {
    const ssize_t got = ::read(file.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw systemError("cannot read", path);
    if (got == 0) return content;
    content.append(buffer, static_cast<std::size_t>(got));
  }
}

void writeFileAtomic(const fs::path& path, std::string_view content) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw Error("cannot make {}: {}", folder.string(), failed.message());
  fs::path temporary = path;
  temporary += ".partial-" + std::to_string(::getpid());
  try {
    Descriptor file(temporary, O_WRONLY | O_CREAT | O_TRUNC);
    if (file.get() < 0) throw systemError("cannot write", temporary);
    writeAll(file.get(), content, temporary);
    if (::fsync(file.get()) != 0) throw systemError("cannot sync", temporary);
    if (!file.close()) throw systemError("cannot close", temporary);
    if (::rename(temporary.c_str(), path.c_str()) != 0) throw systemError("cannot replace", path);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  syncToDisk(folder);
}

void syncToDisk(const fs::path& path) {
  Descriptor file(path, O_RDONLY);
  if (file.get() < 0) throw systemError("cannot open", path);
  // Some file systems cannot sync a folder and say EINVAL; nothing more can be done there.
  if (::fsync(file.get()) != 0 && errno != EINVAL) throw systemError("cannot sync", path);
}

void linkOrCopy(const fs::path& from, const fs::path& to) {
  std::error_code failed;
  fs::create_hard_link(from, to, failed);
  if (!failed) return;
  if (!fs::copy_file(from, to, failed) || failed) {
    throw Error("cannot copy {} to {}: {}", from.string(), to.string(), failed.message());
  }
}

std::uintmax_t fileBytes(const fs::path& path) {
  std::error_code failed;
  const auto bytes = fs::file_size(path, failed);
  return failed ? 0 : bytes;
}

std::uintmax_t freeSpace(const fs::path& path) {
  fs::path existing = fs::absolute(path);
  while (!fs::exists(existing) && existing.has_relative_path()) existing = existing.parent_path();
  return fs::space(existing).available;
}

fs::path pathInside(const fs::path& root, const fs::path& relative) {
  const fs::path normal = relative.lexically_normal();
  if (relative.is_absolute() || (!normal.empty() && *normal.begin() == "..")) {
    throw Error("{} leaves {}: only paths inside it are accepted", relative.string(),
                root.string());
  }
  return root / normal;
}

MappedFile::MappedFile(const fs::path& path) : path_(path) {
  Descriptor file(path, O_RDONLY);
  if (file.get() < 0) throw systemError("cannot open", path);
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) throw systemError("cannot read", path);
  if (!S_ISREG(info.st_mode)) throw Error("cannot map {}: it is not a file", path.string());
  size_ = static_cast<std::size_t>(info.st_size);
  if (size_ == 0) return;
  data_ = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, file.get(), 0);
  if (data_ == MAP_FAILED) {
    data_ = nullptr;
    throw systemError("cannot map", path);
  }
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "strata-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw systemError("cannot make", pattern);
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace strata
