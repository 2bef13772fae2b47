#include "core/store/event_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>

#include "core/base/digest.h"
#include "core/base/error.h"

namespace strata {
namespace {

static_assert(std::endian::native == std::endian::little, "logs are little-endian");

constexpr std::string_view kMagic{"STRATALG", 8};
constexpr std::uint32_t kVersion = 1;
constexpr std::uint64_t kHeaderBytes = 16;
constexpr std::uint32_t kMaxPayload = 64u << 20;

struct RecordHeader {
  std::uint32_t length = 0;
  std::uint32_t kind = 0;
  std::uint64_t checksum = 0;
};
static_assert(sizeof(RecordHeader) == 16);

// An open file that closes itself and with it gives up its lock.
class LogFile {
 public:
  LogFile(const std::filesystem::path& path, int flags)
      : path_(path), fd_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {}
  ~LogFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  bool isOpen() const { return fd_ >= 0; }
  int fd() const { return fd_; }

  Error failure(std::string_view what) const {
    return Error("cannot {} {}: {}", what, path_.string(), std::strerror(errno));
  }

  std::uint64_t size() const {
    struct stat info {};
    if (::fstat(fd_, &info) != 0) throw failure("read");
    return static_cast<std::uint64_t>(info.st_size);
  }

  // Fewer bytes than asked for only at the file's end.
  std::size_t readAt(std::uint64_t offset, char* out, std::size_t bytes) const {
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

  void writeAll(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) throw failure("write");
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }

 private:
  std::filesystem::path path_;
  int fd_;
};

std::string fileHeader() {
  std::string header(kMagic);
  header.append(reinterpret_cast<const char*>(&kVersion), sizeof kVersion);
  header.append(kHeaderBytes - header.size(), '\0');
  return header;
}

std::uint64_t checksumOf(std::uint32_t kind, std::string_view payload) {
  return checksum64(payload) ^ (0x9E3779B97F4A7C15ull * (kind + 1));
}

// Reads a log front to back in large blocks.
class Scanner {
 public:
  Scanner(const LogFile& file, const std::filesystem::path& path, std::uint64_t size)
      : file_(file), path_(path), size_(size) {}

  LogScan scan(std::uint64_t from, const std::function<void(RecordKind, std::string_view)>& visit) {
    LogScan result{.end = 0, .fileBytes = size_, .damage = {}};
    if (!headerIsWhole(result)) return result;
    if (from > size_) from = 0;  // the log is not the one that was read before
    result.end = std::max(from, kHeaderBytes);
    std::uint64_t at = result.end;
    std::vector<std::string> passed;  // damage that counts only when good records follow
    while (at < size_) {
      const Fit fit = recordAt(at);
      if (fit == Fit::kCut) break;
      if (fit == Fit::kGood) {
        visit(static_cast<RecordKind>(header_.kind), payload_);
        at += sizeof(RecordHeader) + header_.length;
        result.end = at;
        result.damage.insert(result.damage.end(), passed.begin(), passed.end());
        passed.clear();
        continue;
      }
      passed.push_back(
          fmt::format("{}: the record at byte {} does not match its checksum", path_.string(), at));
      at += sizeof(RecordHeader) + header_.length;
    }
    if (result.torn()) {
      result.damage.push_back(
          fmt::format("{}: the last {} bytes (from byte {}) are an unfinished "
                      "or damaged record",
                      path_.string(), size_ - result.end, result.end));
    }
    return result;
  }

 private:
  enum class Fit { kGood, kDamaged, kCut };

  bool headerIsWhole(LogScan& result) {
    if (size_ == 0) return false;
    const auto bytes = take(0, std::min(size_, kHeaderBytes));
    const std::string expected = fileHeader();
    if (bytes != std::string_view(expected).substr(0, bytes.size())) {
      if (bytes.substr(0, kMagic.size()) != kMagic) {
        throw Error(
            "{} is no event log of this program: move it away and run `strata-run "
            "workspace check`",
            path_.string());
      }
      throw Error("{} was written by a newer version of this program: use that version",
                  path_.string());
    }
    if (bytes.size() == kHeaderBytes) return true;
    result.damage.push_back(fmt::format("{}: ends within its header", path_.string()));
    return false;
  }

  Fit recordAt(std::uint64_t at) {
    const auto head = take(at, sizeof(RecordHeader));
    if (head.size() < sizeof(RecordHeader)) return Fit::kCut;
    std::memcpy(&header_, head.data(), sizeof header_);
    if (header_.length == 0 || header_.length > kMaxPayload) return Fit::kCut;
    payload_ = take(at + sizeof(RecordHeader), header_.length);
    if (payload_.size() < header_.length) return Fit::kCut;
    return header_.checksum == checksumOf(header_.kind, payload_) ? Fit::kGood : Fit::kDamaged;
  }

  std::string_view take(std::uint64_t at, std::size_t bytes) {
    if (at < start_ || at + bytes > start_ + filled_) {
      buffer_.resize(std::max<std::size_t>(bytes, kBlock));
      start_ = at;
      filled_ = file_.readAt(at, buffer_.data(), buffer_.size());
    }
    const std::size_t offset = at - start_;
    return std::string_view(buffer_.data(), filled_).substr(offset, bytes);
  }

  static constexpr std::size_t kBlock = 1 << 20;
  const LogFile& file_;
  const std::filesystem::path& path_;
  std::uint64_t size_;
  std::string buffer_;
  std::uint64_t start_ = 0;
  std::size_t filled_ = 0;
  RecordHeader header_;
  std::string_view payload_;
};

// Leaves the file ending behind its last good record.
void cutTail(const LogFile& file, const std::filesystem::path& path, std::uint64_t knownGood) {
  const std::uint64_t size = file.size();
  if (size == knownGood && size >= kHeaderBytes) return;
  const LogScan found =
      Scanner(file, path, size).scan(knownGood, [](RecordKind, std::string_view) {});
  if (size > 0 && !found.torn()) return;
  // An unfinished record is nothing that anybody was promised; what is more is kept.
  RecordHeader header;
  std::string tail(size - found.end, '\0');
  file.readAt(found.end, tail.data(), tail.size());
  if (tail.size() >= sizeof header) {
    std::memcpy(&header, tail.data(), sizeof header);
    if (header.length <= tail.size() - sizeof header || header.length > kMaxPayload) {
      std::filesystem::path kept = path;
      kept += ".cut";
      LogFile out(kept, O_WRONLY | O_CREAT | O_APPEND);
      if (!out.isOpen()) throw out.failure("write");
      out.writeAll(tail);
    }
  }
  if (::ftruncate(file.fd(), static_cast<off_t>(found.end)) != 0) throw file.failure("cut");
  if (found.end == 0) file.writeAll(fileHeader());
}

}  // namespace

LogRecord eventRecord(const Json& event) {
  return {RecordKind::kEvent,
          event.dump(-1, ' ', false, nlohmann::detail::error_handler_t::replace)};
}

void appendRecords(const std::filesystem::path& path, std::span<const LogRecord> records,
                   std::uint64_t knownGood) {
  LogFile file(path, O_RDWR | O_CREAT | O_APPEND);
  if (!file.isOpen()) throw file.failure("open");
  while (::flock(file.fd(), LOCK_EX) != 0) {
    if (errno != EINTR) throw file.failure("lock");
  }
  cutTail(file, path, knownGood);
  std::string bytes;
  for (const auto& record : records) {
    if (record.payload.size() > kMaxPayload)
      throw Error("{}: a record of {} bytes is too long", path.string(), record.payload.size());
    const auto kind = static_cast<std::uint32_t>(record.kind);
    const RecordHeader header{static_cast<std::uint32_t>(record.payload.size()), kind,
                              checksumOf(kind, record.payload)};
    bytes.append(reinterpret_cast<const char*>(&header), sizeof header);
    bytes += record.payload;
  }
  file.writeAll(bytes);
  if (::fdatasync(file.fd()) != 0) throw file.failure("sync");
}

LogScan scanLog(const std::filesystem::path& path, std::uint64_t from,
                const std::function<void(RecordKind, std::string_view)>& visit) {
  LogFile file(path, O_RDONLY);
  if (!file.isOpen()) {
    if (errno == ENOENT) return {};
    throw file.failure("open");
  }
  return Scanner(file, path, file.size()).scan(from, visit);
}

std::string packScalars(std::span<const ScalarEvent> events) {
  std::map<std::string_view, std::vector<PackedPoint>> byName;
  for (const auto& event : events)
    byName[event.name].push_back({event.step, toMicroseconds(event.wallTime), event.value});
  std::string out;
  const auto put = [&](const auto& value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  for (const auto& [name, points] : byName) {
    const std::string_view kept = name.substr(0, 0xFFFF);
    put(static_cast<std::uint16_t>(kept.size()));
    put(static_cast<std::uint32_t>(points.size()));
    out.append(kept);
    out.append(reinterpret_cast<const char*>(points.data()), points.size() * sizeof(PackedPoint));
  }
  return out;
}

bool unpackScalars(
    std::string_view payload,
    const std::function<void(std::string_view name, std::span<const PackedPoint>)>& visit) {
  std::vector<PackedPoint> points;
  while (!payload.empty()) {
    std::uint16_t nameBytes = 0;
    std::uint32_t count = 0;
    constexpr std::size_t kHead = sizeof nameBytes + sizeof count;
    if (payload.size() < kHead) return false;
    std::memcpy(&nameBytes, payload.data(), sizeof nameBytes);
    std::memcpy(&count, payload.data() + sizeof nameBytes, sizeof count);
    payload.remove_prefix(kHead);
    const std::size_t pointBytes = count * sizeof(PackedPoint);
    if (payload.size() < nameBytes + pointBytes) return false;
    points.resize(count);
    std::memcpy(points.data(), payload.data() + nameBytes, pointBytes);
    visit(payload.substr(0, nameBytes), points);
    payload.remove_prefix(nameBytes + pointBytes);
  }
  return true;
}

double nowSeconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::int64_t toMicroseconds(double seconds) {
  if (!std::isfinite(seconds)) return 0;
  return std::llround(seconds * 1e6);
}

}  // namespace strata
