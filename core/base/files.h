#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

namespace fs = std::filesystem;

// The contents of a file. Throws an Error that names the file if it cannot be read.
std::string readFile(const fs::path& path);

// Passes a file's bytes to `use`, from the first to the last, in blocks of at most 64 KiB.
void readBlocks(const fs::path& path, const std::function<void(std::string_view)>& use);

// Replaces `path` atomically: a temporary file next to it is written, synced and renamed over it,
// and the folder is synced. Afterwards it has either the old or the new content, never a part.
// Creates parent folders.
void writeFileAtomic(const fs::path& path, std::string_view content);

// Makes written data durable: fsync of a file or of a folder's entries.
void syncToDisk(const fs::path& path);

// Renames what is durable itself, durably: what is written afterwards may count on it. `to` must
// not exist, or be a file or an empty folder. Throws an Error that names both.
void moveDurably(const fs::path& from, const fs::path& to);

// Creates a hard link if the file system allows it, else a copy. Throws if `to` exists.
void linkOrCopy(const fs::path& from, const fs::path& to);

// The size of a file; 0 if unknown.
std::uintmax_t fileBytes(const fs::path& path);

// Free space in bytes on the file system that holds `path` (or its nearest existing parent).
std::uintmax_t freeSpace(const fs::path& path);

// The names of a folder's entries, sorted; none if it cannot be read.
std::vector<std::string> namesIn(const fs::path& folder);

// The path below `root` that `relative` names. Throws if it is absolute or leaves `root` through
// "..".
fs::path pathInside(const fs::path& root, const fs::path& relative);

// A memory-mapped file for reading. Movable; the view is valid as long as the object. An empty file
// has an empty view.
class MappedFile {
 public:
  explicit MappedFile(const fs::path& path);

  std::string_view view() const { return {data_.get(), data_ ? data_.get_deleter().bytes : 0}; }
  const fs::path& path() const { return path_; }

 private:
  struct Unmap {
    std::size_t bytes;
    void operator()(char* data) const;
  };

  fs::path path_;
  std::unique_ptr<char, Unmap> data_;
};

// A temporary folder below the system's, removed with all its contents in the destructor.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }
  fs::path operator/(const fs::path& name) const { return path_ / name; }

 private:
  fs::path path_;
};

}  // namespace strata
