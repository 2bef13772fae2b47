#include "core/base/text_limits.h"

#include <fstream>

#include "core/base/files.h"

namespace strata {

std::string readBounded(const std::filesystem::path& path, std::size_t bytes) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) return readFile(path);  // reports the problem
  std::string text;
  std::string part(std::size_t{1} << 16, '\0');
  while (file.read(part.data(), std::ssize(part)) || file.gcount() > 0) {
    text.append(part, 0, static_cast<std::size_t>(file.gcount()));
    if (text.size() > bytes)
      throw LimitError("{}: is larger than the limit of {} bytes", path.string(), bytes);
  }
  if (file.bad()) throw Error("cannot read {}", path.string());
  return text;
}

}  // namespace strata
