#include "core/data/verified_files.h"

#include <sys/stat.h>

#include <chrono>
#include <optional>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/log.h"
#include "core/data/byte_source.h"

namespace strata {
namespace {

constexpr const char* kNote = ".verified.json";
constexpr int kFormat = 1;
constexpr std::int64_t kLong = std::int64_t{64} << 20;  // bytes that deserve a progress bar
constexpr std::int64_t kMegabyte = 1 << 20;
// A file that changed less than this before it was read may change again at the same time of a
// coarse clock: it is not recorded as verified.
constexpr std::int64_t kClockMargin = 2'000'000'000;  // ns

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

std::int64_t nowNanoseconds() {
  using namespace std::chrono;
  return duration_cast<std::chrono::nanoseconds>(system_clock::now().time_since_epoch()).count();
}

// Changes whenever a file's content does. Unlike the modification time, the inode's change time
// cannot be set back.
struct Stamp {
  std::int64_t bytes = 0, written = 0, changed = 0;  // times in ns
  std::uint64_t inode = 0;

  Json json(const std::string& digest) const {
    return {{"bytes", bytes},
            {"mtime_ns", written},
            {"ctime_ns", changed},
            {"inode", inode},
            {"digest", digest}};
  }
};

Stamp stampOf(const fs::path& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0) throw Error("{}: is missing", file.string());
  return {.bytes = info.st_size,
          .written = nanoseconds(info.st_mtim),
          .changed = nanoseconds(info.st_ctim),
          .inode = info.st_ino};
}

// The recorded entries by file; a damaged record counts as none.
Json readNote(const fs::path& path) {
  std::error_code failed;
  if (!fs::exists(path, failed) || failed) return Json::object();
  try {
    const Json note = parseJson(readFile(path), path.string());
    const Json format = note.is_object() ? note.value("format", Json()) : Json();
    if (format == kFormat && note.contains("files") && note["files"].is_object())
      return note["files"];
  } catch (const Error& error) {
    spdlog::debug("{}; all files are verified", error.what());
  }
  return Json::object();
}

void writeNote(const fs::path& path, const Json& entries) {
  try {
    writeFileAtomic(path, Json{{"format", kFormat}, {"files", entries}}.dump(1) + "\n");
  } catch (const Error& error) {
    spdlog::debug("{}; all files will be verified again next time", error.what());
  }
}

}  // namespace

void verifyFiles(const fs::path& folder, const std::vector<ExpectedFile>& files,
                 const VerifyOptions& options, Progress& progress) {
  Json entries = readNote(folder / kNote);
  const Json before = entries;
  std::vector<std::pair<const ExpectedFile*, Stamp>> unknown;
  std::int64_t total = 0, done = 0;
  for (const ExpectedFile& file : files) {
    const Stamp stamp = stampOf(folder / file.name);
    const auto known = entries.find(file.name);
    if (!options.recheckAll && known != entries.end() && *known == stamp.json(file.digest))
      continue;
    unknown.emplace_back(&file, stamp);
    total += stamp.bytes;
  }
  const bool isLong = total >= kLong;
  if (isLong) progress.begin(options.what, total / kMegabyte, "MiB");
  for (const auto& [file, stamp] : unknown) {
    const std::string digest = streamedDigest(folder / file->name, [&](std::int64_t bytes) {
      if (isLong) progress.advance((done += bytes) / kMegabyte);
    });
    if (stamp.bytes != file->bytes || digest != file->digest) {
      throw Error(
          "{}: is damaged or was changed by hand: it is not what was prepared (its digest is {}, "
          "not {}); prepare the dataset again",
          (folder / file->name).string(), digest, file->digest);
    }
    entries.erase(file->name);
    if (nowNanoseconds() - stamp.changed >= kClockMargin)
      entries[file->name] = stamp.json(file->digest);
  }
  if (isLong) progress.end();
  if (entries != before) writeNote(folder / kNote, entries);
}

}  // namespace strata
