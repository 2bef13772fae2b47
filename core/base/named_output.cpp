#include "core/base/named_output.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#include <system_error>

#include "core/base/error.h"
#include "core/base/open_file.h"

namespace strata {
namespace {

constexpr int kMostLinks = 40;  // as the system's

// The links of /proc/PID/fd name what is open, which has its own position, and may have no name.
bool isLinkOfProcess(const fs::path& link) {
  const fs::path folder = link.has_parent_path() ? link.parent_path() : fs::path(".");
  struct statfs info {};
  return ::statfs(folder.c_str(), &info) == 0 && info.f_type == PROC_SUPER_MAGIC;
}

}  // namespace

int OutputPlace::flags() {
  return O_WRONLY | O_APPEND | O_NOCTTY;
}

OutputPlace outputPlaceOf(const fs::path& named) {
  fs::path file = named;
  std::error_code failed;
  for (int links = 0; fs::is_symlink(fs::symlink_status(file, failed)); ++links) {
    if (isLinkOfProcess(file)) return {file, false};
    if (links == kMostLinks)
      throw Error("cannot write {}: too many links lead to one another", named.string());
    const fs::path target = fs::read_symlink(file, failed);
    if (failed) throw Error("cannot read the link {}: {}", file.string(), failed.message());
    file = target.is_absolute() ? target : file.parent_path() / target;
  }
  const fs::file_type type = fs::status(file, failed).type();
  const bool node = type == fs::file_type::character || type == fs::file_type::block ||
                    type == fs::file_type::fifo || type == fs::file_type::socket;
  return {file, !node};
}

void writeNamedOutput(const fs::path& named, std::string_view content) {
  const OutputPlace place = outputPlaceOf(named);
  if (place.replaced) return writeFileAtomic(place.file, content);
  const OpenFile file(place.file, OutputPlace::flags());
  if (!file.isOpen()) throw file.failure("write");
  file.write(content);
}

}  // namespace strata
