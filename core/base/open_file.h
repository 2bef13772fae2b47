#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "core/base/error.h"

namespace strata {

// An open file of the system, closed, and with it unlocked, at the end. What fails throws an Error
// that names the file, but for opening: who opens asks isOpen() (errno says why not).
class OpenFile {
 public:
  // `flags` are open(2)'s; a file that is made may be read by all and written by its owner.
  OpenFile(const std::filesystem::path& path, int flags);
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  bool isOpen() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  const std::filesystem::path& path() const { return path_; }
  // "cannot WHAT FILE: ..." with what errno says.
  Error failure(std::string_view what) const;

  std::uint64_t size() const;
  // Fewer bytes than asked for only at the file's end.
  std::size_t readAt(std::uint64_t offset, char* out, std::size_t bytes) const;
  // At the file's position.
  void write(std::string_view bytes) const;
  // Without its last bytes, from `size` on.
  void cut(std::uint64_t size) const;
  void sync() const;
  // flock(2) with `operation`. False: somebody holds a lock that excludes this one.
  bool lock(int operation) const;
  void close();

 private:
  std::filesystem::path path_;
  int fd_;
};

}  // namespace strata
