// How the log of a merged run goes on with that of its source.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "core/base/digest.h"
#include "core/store/merge_origin.h"

namespace strata {

// Digests of the beginnings of logs that grow while they are merged again and again: what has been
// read once is not read again.
class LogDigests {
 public:
  // Of the first `end` bytes. The log has at least so many.
  std::string of(const std::filesystem::path& log, std::uint64_t end);

 private:
  struct Read {
    std::uint64_t file = 0, bytes = 0;  // its inode; how much has been read
    std::unique_ptr<Digest> digest;
  };
  std::map<std::filesystem::path, Read> read_;
};

// A run as it was merged before, and its source.
struct MergedLogs {
  const std::filesystem::path &source, &here;  // logs
  const std::string& name;                     // of the run here
  MergeOrigin& origin;
};

// Throws an Error that says why, unless the source's log still begins with what was merged of it
// and is the same run's. One that has not grown since is not read to its end.
void requireContinuation(const MergedLogs& logs, LogDigests& digests);

// What a merge that was killed has appended without recording it in merged.json counts as merged.
// Records before byte `end` of the source are complete.
void adoptAppended(const MergedLogs& logs, std::uint64_t end);

std::string bytesBetween(const std::filesystem::path& file, std::uint64_t begin, std::uint64_t end);

}  // namespace strata
