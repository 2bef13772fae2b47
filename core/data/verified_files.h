#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/base/progress.h"

namespace strata {

// The expected state of a file, as written.
struct ExpectedFile {
  std::string name;  // below the folder
  std::string digest;
  std::int64_t bytes = 0;
};

// Verifies the digests of a folder's files, and records in the folder's .verified.json which
// matched, so that the next call skips those whose size, times and inode are unchanged (with
// `recheckAll`: none). Nothing is recorded in a folder that cannot be written. Throws an Error that
// names the first mismatch. The progress of long work is shown as `what`.
struct VerifyOptions {
  std::string_view what;
  bool recheckAll = false;
};
void verifyFiles(const std::filesystem::path& folder, const std::vector<ExpectedFile>& files,
                 const VerifyOptions& options, Progress& progress = noProgress());

}  // namespace strata
