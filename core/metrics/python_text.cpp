#include "core/metrics/python_text.h"

#include <unicode/bytestream.h>
#include <unicode/casemap.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/utf8.h"
#include "core/metrics/marks.h"
#include "core/text/replace.h"

namespace strata {

std::string_view withoutStartSpace(std::string_view line) {
  while (!line.empty()) {
    std::size_t end = 0;
    if (!isPythonSpace(decodeUtf8(line, end))) break;
    line = line.substr(end);
  }
  return line;
}

std::string_view withoutEndSpace(std::string_view line) {
  while (!line.empty()) {
    std::size_t start = line.size();
    if (!isPythonSpace(decodeUtf8Before(line, start))) break;
    line = line.substr(0, start);
  }
  return line;
}

void pythonLower(std::string_view text, std::string& out) {
  const bool ascii = std::all_of(text.begin(), text.end(),
                                 [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (ascii) {
    out.assign(text);
    return lowercaseAscii(out);
  }
  out.clear();
  icu::StringByteSink<std::string> sink(&out);
  UErrorCode status = U_ZERO_ERROR;
  icu::CaseMap::utf8ToLower("", 0,
                            icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())),
                            sink, nullptr, status);
  if (U_FAILURE(status) != 0) throw Error("cannot lower-case a line: {}", u_errorName(status));
}

void decodeEntities(std::string& text) {
  replaceAll(text, "&quot;", "\"");
  replaceAll(text, "&amp;", "&");
  replaceAll(text, "&lt;", "<");
  replaceAll(text, "&gt;", ">");
}

}  // namespace strata
