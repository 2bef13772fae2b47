#pragma once
#include <memory>
#include <string_view>

#include "core/base/files.h"
#include "core/base/open_file.h"

namespace strata {

// A new content that grows beside the file that it is to replace. Its name is always the same, so
// that nothing of killed processes adds up, and a lock keeps others away; where that is held, or
// cannot be had, the name is one of this process's own. What is not committed is removed.
// Failures throw an Error that names the file.
class ReplacingFile {
 public:
  // Creates parent folders.
  explicit ReplacingFile(const fs::path& path);
  // With another name than `path` and ".partial", in the same folder.
  ReplacingFile(const fs::path& path, const fs::path& partial);
  ~ReplacingFile();
  ReplacingFile(const ReplacingFile&) = delete;
  ReplacingFile& operator=(const ReplacingFile&) = delete;

  int fd() const { return file_->fd(); }
  void write(std::string_view bytes) const { file_->write(bytes); }
  // Makes the content durable and puts it into place: afterwards `path` has either the old or the
  // new content, never a part.
  void commit();
  // Puts it into place only, for what can be computed again: after a power cut `path` may have a
  // part of it.
  void replace();

 private:
  fs::path path_;
  std::unique_ptr<OpenFile> file_;
  bool committed_ = false;
};

}  // namespace strata
