#pragma once
#include <string_view>

#include "core/base/files.h"

namespace strata {

// Where output goes that a user has named, as other programs treat such names: a link leads to the
// file that it names, which may be absent; a regular file is replaced as a whole; anything else (a
// device, a pipe, an open descriptor such as /dev/stdout) is written into and stays what it is.
// Files of a workspace are written by writeFileAtomic, which replaces a link: what lies in a
// workspace must not lead out of it.
struct OutputPlace {
  fs::path file;         // at the end of the links
  bool replaced = true;  // false: written into

  // How to open it, if it is written into.
  static int flags();
};
// Throws an Error for links without end.
OutputPlace outputPlaceOf(const fs::path& named);

// Writes all of the output. Throws an Error that names the file; a regular file is then unchanged.
void writeNamedOutput(const fs::path& named, std::string_view content);

}  // namespace strata
