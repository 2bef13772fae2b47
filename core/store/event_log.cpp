#include "core/store/event_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <optional>

#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/lock_wait.h"
#include "core/base/open_file.h"

namespace strata {
namespace {

static_assert(std::endian::native == std::endian::little, "logs are little-endian");

constexpr std::string_view kMagic{"STRATALG", 8};
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kMaxPayload = 64u << 20;

struct RecordHeader {
  std::uint32_t length = 0;
  std::uint32_t kind = 0;
  std::uint64_t checksum = 0;
};
static_assert(sizeof(RecordHeader) == 16);

std::string fileHeader() {
  std::string header(kMagic);
  header.append(reinterpret_cast<const char*>(&kVersion), sizeof kVersion);
  header.append(kLogHeaderBytes - header.size(), '\0');
  return header;
}

std::uint64_t checksumOf(std::uint32_t kind, std::string_view payload) {
  return checksum64(payload) ^ (0x9E3779B97F4A7C15ull * (kind + 1));
}

// Reads a log front to back in large blocks.
class Scanner {
 public:
  explicit Scanner(const OpenFile& file, std::uint64_t until = kToTheEndOfLog)
      : file_(file), size_(std::min(file.size(), until)) {}

  LogScan scan(std::uint64_t from, const RecordVisitor& visit) {
    LogScan result{.end = 0, .fileBytes = size_};
    if (from > size_) from = 0;  // not the same log as before
    if (!readHeader(from, result)) return result;
    std::uint64_t at = std::max(from, kLogHeaderBytes);
    result.end = at;
    while (at < size_) {
      if (!readRecord(at)) {
        const auto next = nextRecord(at + 1);
        if (!next) break;
        result.skipped.push_back({at, *next});
        at = *next;
        readRecord(at);
      }
      visit(static_cast<RecordKind>(header_.kind), payload_);
      at += sizeof(RecordHeader) + header_.length;
      result.end = at;
    }
    return result;
  }

  std::optional<LogRecord> first() {
    LogScan unused;
    if (!readHeader(0, unused) || !nextRecord(kLogHeaderBytes)) return {};
    return LogRecord{static_cast<RecordKind>(header_.kind), std::string(payload_)};
  }

 private:
  // False: the file ends before its header does. A damaged header is skipped if records follow.
  bool readHeader(std::uint64_t from, LogScan& result) {
    const std::string found(take(0, kLogHeaderBytes));
    if (fileHeader() == found) return true;
    if (fileHeader().starts_with(found)) return false;
    std::uint32_t version = 0;
    if (found.starts_with(kMagic) && found.size() == kLogHeaderBytes)
      std::memcpy(&version, found.data() + kMagic.size(), sizeof version);
    if (version > kVersion && version <= kLargestTag) {
      throw Error("{} was written by a newer version of this program: use that version",
                  file_.path().string());
    }
    if (!nextRecord(kLogHeaderBytes)) {
      throw Error(
          "{} is not an event log of this program: move it away and run `strata-run "
          "workspace check`",
          file_.path().string());
    }
    if (from == 0) result.skipped.push_back({0, kLogHeaderBytes});
    return true;
  }

  // The first byte from `at` on where a record begins, and the record.
  std::optional<std::uint64_t> nextRecord(std::uint64_t at) {
    for (; at + sizeof(RecordHeader) < size_; ++at) {
      if (readRecord(at)) return at;
    }
    return {};
  }

  // Whether length and checksum at `at` match. Most bytes fail before a payload is read.
  bool readRecord(std::uint64_t at) {
    const auto head = take(at, sizeof(RecordHeader));
    if (head.size() < sizeof(RecordHeader)) return false;
    std::memcpy(&header_, head.data(), sizeof header_);
    if (header_.length == 0 || header_.length > kMaxPayload || header_.kind > kLargestTag ||
        header_.length > size_ - at - sizeof(RecordHeader)) {
      return false;
    }
    payload_ = take(at + sizeof(RecordHeader), header_.length);
    return payload_.size() == header_.length &&
           header_.checksum == checksumOf(header_.kind, payload_);
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
  static constexpr std::uint32_t kLargestTag = 255;  // kind or version: more is damage
  const OpenFile& file_;
  std::uint64_t size_;
  std::string buffer_;
  std::uint64_t start_ = 0;
  std::size_t filled_ = 0;
  RecordHeader header_;
  std::string_view payload_;
};

// Truncates the locked file after its last good record, keeping the rest in a file next to it.
// Returns the new end.
std::uint64_t truncateTail(const OpenFile& file, std::uint64_t knownGood) {
  const std::uint64_t size = file.size();
  if (size == knownGood && size >= kLogHeaderBytes) return size;
  const LogScan found = Scanner(file).scan(knownGood, [](RecordKind, std::string_view) {});
  if (found.end == 0) {  // at most a partial header, which has no information
    if (size > 0) file.cut(0);
    file.write(fileHeader());
    return kLogHeaderBytes;
  }
  if (found.torn()) {
    const fs::path kept = keepNextTo(file.path(), {found.end, size});
    spdlog::warn("{}: its last {} bytes are not a complete record and were moved to {}",
                 file.path().string(), size - found.end, kept.string());
    file.cut(found.end);
  }
  return found.end;
}

std::string packRecords(const fs::path& path, const std::vector<LogRecord>& records) {
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
  return bytes;
}

}  // namespace

LogRecord eventRecord(const Json& event) {
  return {RecordKind::kEvent,
          event.dump(-1, ' ', false, nlohmann::detail::error_handler_t::replace)};
}

std::uint64_t appendRecords(const fs::path& path, const std::vector<LogRecord>& records,
                            const AppendOptions& options) {
  const std::string bytes = packRecords(path, records);
  const OpenFile file(path, O_RDWR | O_CREAT | O_APPEND);
  if (!file.isOpen()) throw file.failure("open");
  waitForLock(file, LOCK_EX);
  if (options.fence) options.fence();
  const std::uint64_t end = truncateTail(file, options.knownGood);
  try {
    file.write(bytes);
    file.sync();
  } catch (const Error&) {
    file.cut(end);  // the caller retries with all of them
    throw;
  }
  return end + bytes.size();
}

std::vector<ByteRange> LogScan::damaged() const {
  std::vector<ByteRange> ranges = skipped;
  if (torn()) ranges.push_back({end, fileBytes});
  return ranges;
}

LogScan scanLog(const fs::path& path, std::uint64_t from, const RecordVisitor& visit) {
  return scanLog(path, {from, kToTheEndOfLog}, visit);
}

LogScan scanLog(const fs::path& path, ByteRange part, const RecordVisitor& visit) {
  const OpenFile file(path, O_RDONLY);
  if (!file.isOpen()) {
    if (errno == ENOENT) return {};
    throw file.failure("open");
  }
  LogScan found = Scanner(file, part.end).scan(part.begin, visit);
  if (!found.torn() || part.end != kToTheEndOfLog) return found;
  // Appending requires the log's lock: with the lock held nothing is half written.
  if (!file.lock(LOCK_SH | LOCK_NB)) {
    found.fileBytes = found.end;
    return found;
  }
  LogScan rest = Scanner(file).scan(found.end, visit);
  rest.skipped.insert(rest.skipped.begin(), found.skipped.begin(), found.skipped.end());
  return rest;
}

std::optional<LogRecord> firstRecord(const fs::path& path) {
  const OpenFile file(path, O_RDONLY);
  if (!file.isOpen()) {
    if (errno == ENOENT) return {};
    throw file.failure("open");
  }
  return Scanner(file).first();
}

std::uint64_t visitRecords(std::string_view bytes, const RecordVisitor& visit) {
  std::uint64_t end = 0;
  while (bytes.size() - end > sizeof(RecordHeader)) {
    RecordHeader header;
    std::memcpy(&header, bytes.data() + end, sizeof header);
    const std::string_view payload = bytes.substr(end + sizeof header).substr(0, header.length);
    if (header.length == 0 || payload.size() != header.length ||
        header.checksum != checksumOf(header.kind, payload))
      break;
    visit(static_cast<RecordKind>(header.kind), payload);
    end += sizeof header + header.length;
  }
  return end;
}

std::vector<std::string> describeDamage(const fs::path& path, const LogScan& scan) {
  std::vector<std::string> sentences;
  for (const auto& [begin, end] : scan.skipped)
    sentences.push_back(fmt::format("{}: bytes {} to {} are damaged and contain no complete record",
                                    path.string(), begin, end));
  if (scan.torn()) {
    sentences.push_back(
        fmt::format("{}: the last {} bytes (from byte {}) are an unfinished or damaged record",
                    path.string(), scan.fileBytes - scan.end, scan.end));
  }
  return sentences;
}

fs::path keepNextTo(const fs::path& path, const ByteRange& range) {
  const OpenFile file(path, O_RDONLY);
  if (!file.isOpen()) throw file.failure("open");
  std::string bytes(range.end - range.begin, '\0');
  bytes.resize(file.readAt(range.begin, bytes.data(), bytes.size()));
  const std::string name = fmt::format("{}.kept-{}", path.string(), range.begin);
  fs::path kept = name;
  for (int number = 2; fs::exists(kept); ++number) {
    if (readFile(kept) == bytes) return kept;
    kept = fmt::format("{}-{}", name, number);
  }
  writeFileAtomic(kept, bytes);
  return kept;
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

std::int64_t toMicroseconds(double seconds) {
  if (!std::isfinite(seconds)) return 0;
  return std::llround(seconds * 1e6);
}

}  // namespace strata
