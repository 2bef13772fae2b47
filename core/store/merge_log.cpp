#include "core/store/merge_log.h"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/store/event_log.h"

namespace strata {
namespace {

std::uint64_t inodeOf(const fs::path& file) {
  struct stat status {};
  return ::stat(file.c_str(), &status) == 0 ? status.st_ino : 0;
}

std::uint64_t recordDigest(RecordKind kind, std::string_view payload) {
  return checksum64(payload) + static_cast<std::uint64_t>(kind);
}

// Of a run that was merged by an earlier version, which kept no digest: whether the records here
// are those that the source's log begins with, in their order, with others in between.
bool hasRecordsOf(const MergedLogs& logs) {
  std::vector<std::uint64_t> here;
  scanLog(logs.here, 0, [&](RecordKind kind, std::string_view payload) {
    here.push_back(recordDigest(kind, payload));
  });
  const std::string merged = bytesBetween(logs.source, kLogHeaderBytes, logs.origin.bytes);
  auto at = here.begin();
  bool all = true;
  const std::uint64_t end = visitRecords(merged, [&](RecordKind kind, std::string_view payload) {
    at = std::find(at, here.end(), recordDigest(kind, payload));
    all = all && at != here.end();
    if (at != here.end()) ++at;
  });
  return all && end == merged.size();
}

}  // namespace

std::string LogDigests::of(const fs::path& log, std::uint64_t end) {
  Read& read = read_[log];
  const std::uint64_t file = inodeOf(log);
  if (!read.digest || read.file != file || read.bytes > end)
    read = {.file = file, .bytes = 0, .digest = std::make_unique<Digest>()};
  constexpr std::uint64_t kBlock = 1 << 20;
  while (read.bytes < end) {
    const std::uint64_t next = std::min(end, read.bytes + kBlock);
    read.digest->add(bytesBetween(log, read.bytes, next));
    read.bytes = next;
  }
  return read.digest->hex();
}

void requireContinuation(const MergedLogs& logs, LogDigests& digests) {
  const MergeOrigin& origin = logs.origin;
  const auto refuse = [&](const std::string& why) {
    throw Error(
        "{}; '{}' stays as it is. To merge what is there now as a run of its own, rename its "
        "folder",
        why, logs.name);
  };
  if (!origin.identity.empty() && identityOf(logs.source) != origin.identity)
    refuse("another run than the one that was merged before is there");
  const std::uint64_t size = fs::file_size(logs.source);
  if (size < origin.bytes)
    refuse(fmt::format("its log has {} bytes, {} were merged", size, origin.bytes));
  if (size == origin.bytes && !origin.identity.empty()) return;
  const bool same = origin.digest.empty() ? hasRecordsOf(logs)
                                          : digests.of(logs.source, origin.bytes) == origin.digest;
  if (!same) refuse("its log does not begin with what was merged before");
}

void adoptAppended(const MergedLogs& logs, std::uint64_t end) {
  MergeOrigin& origin = logs.origin;
  const std::uint64_t size = fs::file_size(logs.here);
  if (size <= origin.here || end <= origin.bytes) return;
  const std::string appended = bytesBetween(logs.here, origin.here, size),
                    fresh = bytesBetween(logs.source, origin.bytes, end);
  const auto [a, b] = std::ranges::mismatch(appended, fresh);
  auto common = static_cast<std::uint64_t>(a - appended.begin());
  // The last record may have been torn, unless something was appended since.
  if (a != appended.end())
    common = visitRecords(std::string_view(appended).substr(0, common),
                          [](RecordKind, std::string_view) {});
  origin.bytes += common;
  origin.here += common;
}

std::string bytesBetween(const fs::path& file, std::uint64_t begin, std::uint64_t end) {
  std::ifstream stream(file, std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(begin));
  std::string bytes(end - begin, '\0');
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (static_cast<std::uint64_t>(stream.gcount()) != bytes.size())
    throw Error("cannot read {}", file.string());
  return bytes;
}

}  // namespace strata
