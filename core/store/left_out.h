// Parts of a merged run that were removed here while the source still has them.
#pragma once
#include <filesystem>
#include <set>
#include <string>

namespace strata {

inline constexpr const char* kMergeOrigin = "merged.json";  // in a merged run's folder

// Records that a folder of a run (RUN/checkpoints/STEP) is removed, so that the next merge does not
// bring it back. Does nothing if the run was not merged.
void leaveOut(const std::filesystem::path& folder);

// The names in a part of a run ("checkpoints") that are left out.
std::set<std::string> leftOut(const std::filesystem::path& runFolder, const std::string& part);

// Forgets those that `source` does not have any more: what it makes anew is merged.
void forgetLeftOut(const std::filesystem::path& runFolder, const std::filesystem::path& source);

}  // namespace strata
