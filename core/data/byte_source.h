#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace strata {

// A stream of bytes: a file, the content of a compressed file, or a member of an archive. Nothing
// is ever extracted to disk, so no name or link inside an archive can lead anywhere.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Reads at most `size` bytes into `buffer`; returns 0 at the end. Damage of any kind is an Error
  // that names the file.
  virtual std::size_t read(char* buffer, std::size_t size) = 0;
  virtual const std::string& name() const = 0;  // the name in errors: a path, or "archive:member"
};

// Opens a file (or pipe) as text bytes: gzip, bzip2 and xz are recognised by their first bytes and
// decompressed while reading, checksums included. `location` is a path or "ARCHIVE:MEMBER" (.tar,
// .tar.gz, .tgz, .tar.bz2, .tar.xz, .zip), MEMBER as archiveMembers() names it. A name that ends in
// .gz, .bz2 or .xz with other content is an Error, as is content that expands more than 500-fold
// beyond 256 MiB.
std::unique_ptr<ByteSource> openBytes(const std::string& location);

// All of what openBytes() opens, in memory.
std::string readAllBytes(const std::string& location);

// Like digestOfFile, but read in pieces: memory does not grow with the file, nor is it mapped.
// `advance` (may be empty) receives the size of every piece.
std::string streamedDigest(const std::filesystem::path& path,
                           const std::function<void(std::int64_t)>& advance = {});

// The file part of a location: the archive of "ARCHIVE:MEMBER", else the path itself.
std::filesystem::path fileOfLocation(const std::string& location);

// Whether the name is that of an archive with members (.tar, .tgz, .zip, ...).
bool isArchiveName(const std::filesystem::path& path);

// The regular files in an archive, in its order, by names in UTF-8 in every locale
// (core/data/archive_names.h). Links, devices and folders are omitted. A second file of one name is
// "NAME (2)".
std::vector<std::string> archiveMembers(const std::filesystem::path& archive);

}  // namespace strata
