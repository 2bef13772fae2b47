#include "core/base/copy_tree.h"

#include "core/base/error.h"

namespace strata {

void copyTree(const fs::path& from, const fs::path& to) {
  std::error_code failed;
  const fs::file_status kind = fs::symlink_status(from, failed);
  if (fs::is_regular_file(kind)) {
    if (!fs::copy_file(from, to, failed) || failed)
      throw Error("cannot copy {} to {}: {}", from.string(), to.string(), failed.message());
  } else if (fs::is_directory(kind)) {
    fs::create_directories(to, failed);
    if (failed) throw Error("cannot create {}: {}", to.string(), failed.message());
    for (const std::string& name : namesIn(from)) copyTree(from / name, to / name);
  } else {
    return;
  }
  syncToDisk(to);
}

}  // namespace strata
