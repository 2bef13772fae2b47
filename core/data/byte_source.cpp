#include "core/data/byte_source.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/open_file.h"
#include "core/data/archive_names.h"
#include "core/data/foreign_formats.h"
#include "core/data/gzip_source.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kBlock = 1 << 18;

class FileSource : public ByteSource {
 public:
  explicit FileSource(const fs::path& path) : file_(path, O_RDONLY), name_(path.string()) {
    if (!file_.isOpen()) throw file_.failure("open");
    struct stat info {};
    if (::fstat(file_.fd(), &info) == 0 && S_ISDIR(info.st_mode))
      throw Error("cannot read {}: it is a folder", name_);
  }

  std::size_t read(char* buffer, std::size_t size) override {
    ssize_t count;
    do {
      count = ::read(file_.fd(), buffer, size);
    } while (count < 0 && errno == EINTR);
    if (count < 0) throw file_.failure("read");
    return static_cast<std::size_t>(count);
  }
  const std::string& name() const override { return name_; }

 private:
  OpenFile file_;
  std::string name_;
};

// Returns bytes that were read to recognise the format.
class PeekedSource : public ByteSource {
 public:
  explicit PeekedSource(std::unique_ptr<ByteSource> inner) : inner_(std::move(inner)) {
    while (size_ < head_.size()) {
      const std::size_t count = inner_->read(head_.data() + size_, head_.size() - size_);
      if (count == 0) break;
      size_ += count;
    }
  }
  std::string_view head() const { return {head_.data(), size_}; }

  std::size_t read(char* buffer, std::size_t size) override {
    if (at_ == size_) return inner_->read(buffer, size);
    const std::size_t count = std::min(size, size_ - at_);
    std::memcpy(buffer, head_.data() + at_, count);
    at_ += count;
    return count;
  }
  const std::string& name() const override { return inner_->name(); }

 private:
  std::unique_ptr<ByteSource> inner_;
  std::array<char, 8> head_{};
  std::size_t size_ = 0, at_ = 0;
};

// A libarchive reader over a ByteSource, or over a seekable file (zip). Errors of the underlying
// source pass through unchanged.
class ArchiveReader {
 public:
  enum class Kind { kCompressed, kTar, kZip };

  ArchiveReader(std::unique_ptr<ByteSource> source, Kind kind)
      : name_(source->name()), source_(std::move(source)), block_(kBlock) {
    if (kind == Kind::kCompressed) {
      archive_read_support_filter_bzip2(archive_.get());
      archive_read_support_filter_xz(archive_.get());
      archive_read_support_format_raw(archive_.get());
    } else if (kind == Kind::kTar) {
      archive_read_support_format_tar(archive_.get());
    } else {
      archive_read_support_format_zip(archive_.get());
    }
    const int result =
        kind == Kind::kZip
            ? archive_read_open_filename(archive_.get(), name_.c_str(), kBlock)
            : archive_read_open(archive_.get(), this, nullptr, &ArchiveReader::feed, nullptr);
    if (result != ARCHIVE_OK) fail();
  }
  ArchiveReader(const ArchiveReader&) = delete;
  ArchiveReader& operator=(const ArchiveReader&) = delete;

  struct Member {
    std::string name;    // of this file alone: a second one of a name is "NAME (2)"
    std::string stored;  // in the archive
  };
  // Moves to the next regular file; none at the end.
  std::optional<Member> nextFile() {
    const Utf8Locale names;
    for (;;) {
      archive_entry* entry = nullptr;
      const int result = archive_read_next_header(archive_.get(), &entry);
      atEnd_ = result == ARCHIVE_EOF;
      if (atEnd_) return std::nullopt;
      if (result != ARCHIVE_OK && result != ARCHIVE_WARN) fail();
      const bool link = archive_entry_hardlink(entry) != nullptr;
      if (archive_entry_filetype(entry) == AE_IFREG && !link)
        return memberOf(memberName(entry, ++files_));
    }
  }

  // Bytes of that file; 0 at its end, or if there was none.
  std::size_t read(char* buffer, std::size_t size) {
    if (atEnd_) return 0;
    const la_ssize_t count = archive_read_data(archive_.get(), buffer, size);
    if (count < 0) fail();
    atEnd_ = count == 0;
    return static_cast<std::size_t>(count);
  }

  std::int64_t consumed() const { return archive_filter_bytes(archive_.get(), -1); }

 private:
  Member memberOf(const std::string& stored) {
    std::string name = stored;
    for (int number = 2; !names_.insert(name).second; ++number)
      name = fmt::format("{} ({})", stored, number);
    return {.name = std::move(name), .stored = stored};
  }

  static la_ssize_t feed(archive* archive, void* self, const void** block) {
    auto& reader = *static_cast<ArchiveReader*>(self);
    try {
      *block = reader.block_.data();
      return static_cast<la_ssize_t>(reader.source_->read(reader.block_.data(), kBlock));
    } catch (...) {  // exceptions must not pass through C
      reader.pending_ = std::current_exception();
      archive_set_error(archive, EIO, "cannot be read");
      return -1;
    }
  }

  [[noreturn]] void fail() {
    if (pending_) std::rethrow_exception(pending_);
    const char* why = archive_error_string(archive_.get());
    throw Error("{}: damaged or incomplete ({}); fetch the file again. Nothing of it was used",
                name_, why != nullptr ? why : "it cannot be read");
  }

  std::string name_;
  std::unique_ptr<ByteSource> source_;
  std::vector<char> block_;
  // Owned from the start: no destructor runs for a constructor that throws.
  std::unique_ptr<archive, int (*)(archive*)> archive_{archive_read_new(), &archive_read_free};
  std::exception_ptr pending_;
  std::int64_t files_ = 0;       // so far
  std::set<std::string> names_;  // of these
  bool atEnd_ = false;
};

// The content of a reader's current file: a member of an archive, or a decompressed stream.
class ContentSource : public ByteSource {
 public:
  ContentSource(std::unique_ptr<ArchiveReader> reader, std::string name)
      : reader_(std::move(reader)), name_(std::move(name)) {}
  std::size_t read(char* buffer, std::size_t size) override {
    const std::size_t count = reader_->read(buffer, size);
    produced_ += static_cast<std::int64_t>(count);
    refuseBomb(produced_, reader_->consumed(), name_);
    return count;
  }
  const std::string& name() const override { return name_; }

 private:
  std::unique_ptr<ArchiveReader> reader_;
  std::string name_;
  std::int64_t produced_ = 0;
};

std::string_view formatOf(std::string_view head) {
  if (head.starts_with("\x1f\x8b")) return "gzip";
  if (head.starts_with("BZh")) return "bzip2";
  if (head.starts_with(std::string_view("\xfd"
                                        "7zXZ\0",
                                        6)))
    return "xz";
  if (head.starts_with("PK\x03\x04")) return "zip";
  return "";
}

// The format that a name implies; empty: none.
std::string_view promisedFormat(std::string_view name) {
  if (name.ends_with(".gz") || name.ends_with(".tgz")) return "gzip";
  if (name.ends_with(".bz2") || name.ends_with(".tbz2")) return "bzip2";
  if (name.ends_with(".xz") || name.ends_with(".txz")) return "xz";
  return "";
}

[[noreturn]] void refuseAsText(const std::string& name, std::string_view format) {
  throw usageError(
      "{}: is {}, which is not read; make text of it first: lines, TSV or JSON lines "
      "(docs/other-tools.md)",
      name, format);
}

// Whoever reads text is told what else the file is; documents and tables of offices are zip files.
void checkIsText(const std::string& name, std::string_view head, bool isZip) {
  if (const auto known = foreignFormatByBytes(head); !known.empty()) refuseAsText(name, known);
  if (!isZip) return;
  if (const auto known = foreignFormatByName(name); !known.empty()) refuseAsText(name, known);
  throw Error("{}: is a zip archive; name the member to read as {}:MEMBER", name, name);
}

// Decompresses if necessary. `asText`: a zip file here is the caller's mistake.
std::unique_ptr<ByteSource> decompressed(std::unique_ptr<ByteSource> source, bool asText) {
  auto peeked = std::make_unique<PeekedSource>(std::move(source));
  const std::string_view format = formatOf(peeked->head());
  const std::string_view promised = promisedFormat(peeked->name());
  if (!promised.empty() && format != promised) {
    throw Error("{}: {}, although its name says that it is {}; rename it or fetch it again",
                peeked->name(),
                peeked->head().empty() ? "is empty" : "is not " + std::string(promised), promised);
  }
  if (format == "gzip") return openGzip(std::move(peeked));
  if (format == "bzip2" || format == "xz") {
    const std::string name = peeked->name();
    auto reader =
        std::make_unique<ArchiveReader>(std::move(peeked), ArchiveReader::Kind::kCompressed);
    reader->nextFile();
    return std::make_unique<ContentSource>(std::move(reader), name);
  }
  if (asText) checkIsText(peeked->name(), peeked->head(), format == "zip");
  return peeked;
}

bool isZip(const fs::path& path) {
  return path.string().ends_with(".zip");
}

std::unique_ptr<ArchiveReader> openArchive(const fs::path& path) {
  auto file = std::make_unique<FileSource>(path);
  if (isZip(path))
    return std::make_unique<ArchiveReader>(std::move(file), ArchiveReader::Kind::kZip);
  return std::make_unique<ArchiveReader>(decompressed(std::move(file), false),
                                         ArchiveReader::Kind::kTar);
}

// A zip archive has a list of its files, so that this takes no time.
void warnOfRepeated(const fs::path& archive, const std::string& wanted) {
  const auto reader = openArchive(archive);
  int count = 0;
  while (const auto member = reader->nextFile()) count += member->stored == wanted ? 1 : 0;
  if (count < 2) return;
  spdlog::warn("{}: has {} files of the name {}: this is the first, the second is '{} (2)'",
               archive.string(), count, wanted, wanted);
}

// Position of the colon of "ARCHIVE:MEMBER"; npos if the location is a plain path.
std::size_t memberColon(const std::string& location) {
  std::error_code ignored;
  if (fs::exists(location, ignored)) return std::string::npos;
  for (std::size_t at = location.find(':'); at != std::string::npos;
       at = location.find(':', at + 1)) {
    const fs::path archive = location.substr(0, at);
    if (isArchiveName(archive) && fs::is_regular_file(archive, ignored)) return at;
  }
  return std::string::npos;
}

}  // namespace

bool isArchiveName(const fs::path& path) {
  const std::string name = path.string();
  for (const char* end :
       {".tar", ".tgz", ".tar.gz", ".tbz2", ".tar.bz2", ".txz", ".tar.xz", ".zip"}) {
    if (name.ends_with(end)) return true;
  }
  return false;
}

std::vector<std::string> archiveMembers(const fs::path& archive) {
  const auto reader = openArchive(archive);
  std::vector<std::string> names;
  while (auto member = reader->nextFile()) names.push_back(std::move(member->name));
  return names;
}

std::unique_ptr<ByteSource> openBytes(const std::string& location) {
  const std::size_t colon = memberColon(location);
  if (colon == std::string::npos) {
    if (isArchiveName(location)) {
      throw Error("{}: is an archive; name the member to read as {}:MEMBER", location, location);
    }
    return decompressed(std::make_unique<FileSource>(location), true);
  }
  const std::string archive = location.substr(0, colon), wanted = location.substr(colon + 1);
  if (isZip(archive)) warnOfRepeated(archive, wanted);
  auto reader = openArchive(archive);
  while (const auto member = reader->nextFile()) {
    if (member->name != wanted) continue;
    return decompressed(std::make_unique<ContentSource>(std::move(reader), location), true);
  }
  throw Error("{}: contains no file {}", archive, wanted);
}

std::string readAllBytes(const std::string& location) {
  const auto source = openBytes(location);
  std::string bytes;
  std::vector<char> block(kBlock);
  while (const std::size_t count = source->read(block.data(), block.size()))
    bytes.append(block.data(), count);
  return bytes;
}

std::string streamedDigest(const fs::path& path, const std::function<void(std::int64_t)>& advance) {
  FileSource file(path);
  Digest digest;
  std::vector<char> block(kBlock);
  while (const std::size_t count = file.read(block.data(), block.size())) {
    digest.add({block.data(), count});
    if (advance) advance(static_cast<std::int64_t>(count));
  }
  return digest.hex();
}

fs::path fileOfLocation(const std::string& location) {
  return location.substr(0, memberColon(location));
}

}  // namespace strata
