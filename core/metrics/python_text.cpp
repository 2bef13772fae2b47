#include "core/metrics/python_text.h"

#include <unicode/bytestream.h>
#include <unicode/casemap.h>

#include <algorithm>

#include "core/base/error.h"

namespace strata {

bool isPythonSpace(char32_t code) {
  if (code <= 0x20)
    return code == 0x20 || (code >= 0x09 && code <= 0x0D) || (code >= 0x1C && code <= 0x1F);
  if (code < 0x1680) return code == 0x85 || code == 0xA0;
  return code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 ||
         code == 0x202F || code == 0x205F || code == 0x3000;
}

void pythonLower(std::string_view text, std::string& out) {
  const bool ascii = std::all_of(text.begin(), text.end(),
                                 [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (ascii) {
    out.assign(text);
    for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    return;
  }
  out.clear();
  icu::StringByteSink<std::string> sink(&out);
  UErrorCode status = U_ZERO_ERROR;
  icu::CaseMap::utf8ToLower("", 0,
                            icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())),
                            sink, nullptr, status);
  if (U_FAILURE(status) != 0) throw Error("cannot lower-case a line: {}", u_errorName(status));
}

}  // namespace strata
