// Where a merged run came from: merged.json in its folder.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>

namespace strata {

struct MergeOrigin {
  std::string source = {};    // absolute path
  std::string identity = {};  // of the source's run; empty: merged by an earlier version
  std::uint64_t bytes = 0;    // length of the part of its log that has been merged
  std::string digest = {};    // of this part; empty: merged by an earlier version
  std::uint64_t said = 0;     // bytes of its program's log that have been merged
  std::uint64_t here = 0;     // length of the log here after that; later bytes were written here
  // What a merge has copied here, by part of the folder ("checkpoints"): all that a merge may
  // remove. Empty if merged by an earlier version.
  std::map<std::string, std::set<std::string>> brought = {};
};

MergeOrigin readOrigin(const std::filesystem::path& runFolder);
void writeOrigin(const std::filesystem::path& runFolder, const MergeOrigin& origin);

// Says which run a log belongs to, wherever it is copied to: "identity" of its first record, which
// has newIdentity(); of a run that was made by an earlier version, a digest of that record. Empty:
// no record.
std::string identityOf(const std::filesystem::path& log);
std::string newIdentity();  // 32 random hexadecimal digits

}  // namespace strata
