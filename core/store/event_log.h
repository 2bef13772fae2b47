#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/run/events.h"

namespace strata {

// An append-only log with a checksum for each record: 16 bytes of header (magic and version), then
// records of {length, kind, XXH3-64 of kind and payload, payload}, little-endian. Several processes
// may append to one file. After damage a reader resumes at the next byte with a matching length and
// checksum, so that only the affected records are lost.
enum class RecordKind : std::uint32_t {
  kEvent = 1,      // a JSON object with "type" and "time"
  kScalars = 2,    // packScalars
  kHistograms = 3  // packHistograms
};

struct LogRecord {
  RecordKind kind = RecordKind::kEvent;
  std::string payload;
};
LogRecord eventRecord(const Json& event);

struct AppendOptions {
  std::uint64_t knownGood = 0;       // the log was read up to here before: only the rest is checked
  std::function<void()> fence = {};  // called while the log is locked; may throw to abort
};
// Appends records and makes them durable, all or none, once it has the log's lock (waitForLock);
// returns the new end of the log. A torn tail left by an earlier process is first moved to a file
// next to the log (keepNextTo), which a warning names.
std::uint64_t appendRecords(const std::filesystem::path& file,
                            const std::vector<LogRecord>& records,
                            const AppendOptions& options = {});

struct ByteRange {
  std::uint64_t begin = 0, end = 0;
};
inline constexpr auto kToTheEndOfLog = std::numeric_limits<std::uint64_t>::max();

struct LogScan {
  std::uint64_t end = 0;  // after the last good record: where the next scan starts
  std::uint64_t fileBytes = 0;
  std::vector<ByteRange> skipped = {};  // damage between good records
  bool torn() const { return end < fileBytes; }
  // Ranges without a good record: `skipped`, then the torn tail.
  std::vector<ByteRange> damaged() const;
};
using RecordVisitor = std::function<void(RecordKind, std::string_view payload)>;

// Calls `visit` for every good record from byte `from` (0: the start) on, and continues after
// damage. A tail that is currently being written does not count as torn. A missing file is empty.
// Throws if nothing is a record, or the header is a newer program's.
LogScan scanLog(
    const std::filesystem::path& file, std::uint64_t from,
    const RecordVisitor& visit = [](RecordKind, std::string_view) {});
// The same up to the end of `part`, where a record ends; the rest counts as not there.
LogScan scanLog(const std::filesystem::path& file, ByteRange part, const RecordVisitor& visit);

// The first good record. None: there is none yet.
std::optional<LogRecord> firstRecord(const std::filesystem::path& file);

// Calls `visit` for the complete records that `bytes` begin with; returns their length. `bytes`
// begin where a record does: behind the log's header, or at the end of a scan.
std::uint64_t visitRecords(std::string_view bytes, const RecordVisitor& visit);
inline constexpr std::uint64_t kLogHeaderBytes = 16;

// One sentence per damaged range.
std::vector<std::string> describeDamage(const std::filesystem::path& file, const LogScan& scan);
// Copies bytes of a log to a file next to it, `file`.kept-BEGIN, and returns its path. Identical
// bytes are kept once; different ones from the same position get a number.
std::filesystem::path keepNextTo(const std::filesystem::path& file, const ByteRange& range);

// One point as stored in a log.
struct PackedPoint {
  std::int64_t step = 0;
  std::int64_t wall = 0;  // microseconds since the Unix epoch
  double value = 0;
};
// Points grouped by series, in their order within each; runId is not stored.
std::string packScalars(std::span<const ScalarEvent> events);
// False: the payload is not valid output of packScalars; nothing is visited after the fault.
bool unpackScalars(
    std::string_view payload,
    const std::function<void(std::string_view name, std::span<const PackedPoint>)>& visit);

// Microseconds since the Unix epoch.
std::int64_t toMicroseconds(double seconds);

}  // namespace strata
