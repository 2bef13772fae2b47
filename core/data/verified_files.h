#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/base/progress.h"

namespace strata {

// A file as whoever wrote it left it.
struct ExpectedFile {
  std::string name;  // below the folder
  std::string digest;
  std::int64_t bytes = 0;
};

// Compares files of a folder with their digests, and notes in the folder's .verified.json which
// agreed, so that the next call passes over those whose size, times and inode are still the same
// (`anew`: over none). A folder that cannot be written keeps no note. Throws an Error that names
// the first file that differs. Long work is shown as `what`.
struct VerifyOptions {
  std::string_view what;
  bool anew = false;
};
void verifyFiles(const std::filesystem::path& folder, const std::vector<ExpectedFile>& files,
                 const VerifyOptions& options, Progress& progress = noProgress());

}  // namespace strata
