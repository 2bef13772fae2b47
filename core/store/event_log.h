#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/run/events.h"

namespace strata {

// An append-only log with a checksum for each record: 16 bytes of header (magic and version), then
// records of {length, kind, XXH3-64 of kind and payload, payload}, little-endian. Several processes
// may append to one file; each append is whole or cut off by the next.
enum class RecordKind : std::uint32_t {
  kEvent = 1,   // a JSON object with "type" and "time"
  kScalars = 2  // packScalars
};

struct LogRecord {
  RecordKind kind = RecordKind::kEvent;
  std::string payload;
};
LogRecord eventRecord(const Json& event);

// Adds records and makes them durable. A torn tail that an earlier process left is cut first; bytes
// behind it that are more than an unfinished record are kept in `file`.cut. `knownGood`: a byte up
// to which the log was read before, so that only the rest is checked.
void appendRecords(const std::filesystem::path& file, std::span<const LogRecord> records,
                   std::uint64_t knownGood = 0);

struct LogScan {
  std::uint64_t end = 0;  // behind the last good record: where the next scan starts
  std::uint64_t fileBytes = 0;
  std::vector<std::string> damage = {};  // records that were passed over, and a torn tail
  bool torn() const { return end < fileBytes; }
};
// Calls `visit` for every good record from byte `from` (0: the start) on. A damaged record with
// good ones behind it is passed over and named. A missing file is empty. Throws where the header is
// foreign or newer.
LogScan scanLog(const std::filesystem::path& file, std::uint64_t from,
                const std::function<void(RecordKind, std::string_view)>& visit);

// One point as it lies in a log.
struct PackedPoint {
  std::int64_t step = 0;
  std::int64_t wall = 0;  // microseconds since the Unix epoch
  double value = 0;
};
// Points grouped by series, in their order within each; runId is not kept.
std::string packScalars(std::span<const ScalarEvent> events);
// False: the payload is not what packScalars writes; nothing is visited behind the fault.
bool unpackScalars(
    std::string_view payload,
    const std::function<void(std::string_view name, std::span<const PackedPoint>)>& visit);

// Seconds and microseconds since the Unix epoch.
double nowSeconds();
std::int64_t toMicroseconds(double seconds);

}  // namespace strata
