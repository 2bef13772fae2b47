#include "core/store/disk_use.h"

#include <string>
#include <system_error>

namespace strata {
namespace fs = std::filesystem;

DiskUse diskUseOf(const fs::path& runFolder) {
  DiskUse use;
  std::error_code failed;
  for (fs::recursive_directory_iterator entry(runFolder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    std::error_code gone;
    if (!entry->is_regular_file(gone) || entry->is_symlink(gone)) continue;
    const std::uint64_t bytes = entry->file_size(gone);
    if (gone) continue;
    const std::string part = entry->path().lexically_relative(runFolder).begin()->string();
    (part == "checkpoints"  ? use.checkpoints
     : part == "recordings" ? use.recordings
     : part == "outputs"    ? use.outputs
                            : use.rest) += bytes;
  }
  return use;
}

}  // namespace strata
