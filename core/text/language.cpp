#include "core/text/language.h"

#include <fmt/ranges.h>
#include <unicode/locid.h>
#include <unicode/uscript.h>

#include <algorithm>

#include "core/base/error.h"

namespace strata {
namespace {

// The languages that ICU's case mappings know by name and for which they differ.
constexpr std::array<const char*, 5> kOwnCasing{"az", "el", "lt", "nl", "tr"};

// The code in its usual form: zho, zh-TW and cmn are zh; empty if it is no code.
icu::Locale localeOf(const std::string& language) {
  UErrorCode status = U_ZERO_ERROR;
  icu::Locale locale = icu::Locale::createCanonical(language.c_str());
  locale.canonicalize(status);
  return U_FAILURE(status) != 0 || locale.isBogus() ? icu::Locale::getRoot() : locale;
}

}  // namespace

void checkTokenizer(const std::string& name) {
  if (std::ranges::find(kTokenizers, name) != kTokenizers.end()) return;
  throw usageError("unknown tokenizer '{}'; expected one of {}", name,
                   fmt::join(kTokenizers, ", "));
}

bool isWrittenWithoutSpaces(const std::string& language) {
  const icu::Locale locale = localeOf(language);
  if (*locale.getLanguage() == '\0') return false;
  std::array<UScriptCode, 8> scripts{};
  UErrorCode status = U_ZERO_ERROR;
  const auto count = uscript_getCode(locale.getName(), scripts.data(),
                                     static_cast<std::int32_t>(scripts.size()), &status);
  if (U_FAILURE(status) != 0 || count <= 0) return false;
  // Korean has Chinese characters too, but spaces between its words.
  return std::all_of(scripts.begin(), scripts.begin() + count,
                     [](UScriptCode script) { return uscript_breaksBetweenLetters(script) != 0; });
}

std::string tokenizerFor(const std::string& chosen, const std::string& language) {
  return chosen == "icu" && !isWrittenWithoutSpaces(language) ? "moses" : chosen;
}

std::string casingOf(const std::string& language) {
  const std::string code = localeOf(language).getLanguage();
  return std::ranges::find(kOwnCasing, code) != kOwnCasing.end() ? code : std::string();
}

}  // namespace strata
