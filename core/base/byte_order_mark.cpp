#include "core/base/byte_order_mark.h"

#include <spdlog/spdlog.h>

#include "core/base/error.h"
#include "core/base/files.h"

namespace strata {

void dropByteOrderMark(std::string& text, std::string_view name) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    throw Error("{}: looks like UTF-16 (it starts with a UTF-16 mark); convert it to UTF-8 first",
                name);
  }
  if (!text.starts_with(kByteOrderMark)) return;
  text.erase(0, kByteOrderMark.size());
  spdlog::warn("{}: dropped the byte order mark at the start", name);
}

std::string readTextFile(const std::filesystem::path& path) {
  std::string text = readFile(path);
  dropByteOrderMark(text, path.string());
  return text;
}

}  // namespace strata
