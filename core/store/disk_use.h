#pragma once
#include <cstdint>
#include <filesystem>

namespace strata {

// Bytes of the files in a run's folder.
struct DiskUse {
  std::uint64_t checkpoints = 0, recordings = 0, outputs = 0, rest = 0;

  std::uint64_t all() const { return checkpoints + recordings + outputs + rest; }
};
// Files that disappear meanwhile count nothing; links are not followed.
DiskUse diskUseOf(const std::filesystem::path& runFolder);

}  // namespace strata
