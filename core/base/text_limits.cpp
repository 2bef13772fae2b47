#include "core/base/text_limits.h"

#include "core/base/files.h"

namespace strata {

std::string readBounded(const std::filesystem::path& path, std::size_t bytes) {
  std::string text;
  readBlocks(path, [&](std::string_view block) {
    text += block;
    if (text.size() > bytes)
      throw LimitError("{}: is larger than the limit of {} bytes", path.string(), bytes);
  });
  return text;
}

}  // namespace strata
