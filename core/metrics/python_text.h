#pragma once
#include <string>
#include <string_view>

namespace strata {

// Operations of Python's strings, since the reference tools are written in Python.

// White space for str.split and str.strip.
inline bool isPythonSpace(char32_t code) {
  if (code <= 0x20)
    return code == 0x20 || (code >= 0x09 && code <= 0x0D) || (code >= 0x1C && code <= 0x1F);
  if (code < 0x1680) return code == 0x85 || code == 0xA0;
  return code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 ||
         code == 0x202F || code == 0x205F || code == 0x3000;
}

// str.lstrip and str.rstrip of valid UTF-8.
std::string_view withoutStartSpace(std::string_view line);
std::string_view withoutEndSpace(std::string_view line);

// str.lower of valid UTF-8: full case mapping with the rule for the final sigma. Replaces `out`,
// which must not contain `text`.
void pythonLower(std::string_view text, std::string& out);

// XML's &quot;, &amp;, &lt; and &gt; as characters, decoded in this order, as in sacreBLEU.
void decodeEntities(std::string& text);

}  // namespace strata
