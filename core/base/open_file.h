#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "core/base/error.h"

namespace strata {

// An open file, closed (and thereby unlocked) in the destructor. Failures throw an Error that names
// the file, except for opening: check isOpen() (errno says why not).
class OpenFile {
 public:
  // `flags` are those of open(2); a new file is readable by all and writable by its owner.
  OpenFile(const std::filesystem::path& path, int flags);
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  bool isOpen() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  const std::filesystem::path& path() const { return path_; }
  // "cannot WHAT FILE: ..." with the text of errno.
  Error failure(std::string_view what) const;

  std::uint64_t size() const;
  // Fewer bytes than requested only at the end of the file.
  std::size_t readAt(std::uint64_t offset, char* out, std::size_t bytes) const;
  // Writes at the current position.
  void write(std::string_view bytes) const;
  // Truncates to `size` bytes.
  void cut(std::uint64_t size) const;
  void sync() const;
  // flock(2) with `operation`. False: another process holds a conflicting lock.
  bool lock(int operation) const;
  void close();

 private:
  std::filesystem::path path_;
  int fd_;
};

}  // namespace strata
