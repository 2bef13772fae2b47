#include "core/text/segmentation.h"

#include <fmt/format.h>
#include <unicode/brkiter.h>
#include <unicode/localpointer.h>
#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/utext.h>
#include <unicode/uversion.h>

#include <array>
#include <memory>

#include "core/base/error.h"
#include "core/text/character_classes.h"
#include "core/text/words.h"

namespace strata {
namespace {

constexpr std::string_view kZeroWidthSpace = "\u200B";  // separates words in Khmer and Thai text

void check(UErrorCode status) {
  if (U_FAILURE(status) != 0)
    throw Error("ICU cannot split text into words: {}", u_errorName(status));
}

// The root's rules: a language's own would depend on which languages ICU was built with.
std::unique_ptr<icu::BreakIterator> newIterator() {
  UErrorCode status = U_ZERO_ERROR;
  std::unique_ptr<icu::BreakIterator> iterator(
      icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), status));
  check(status);
  return iterator;
}

// Passes the parts between word boundaries to `use`, spaces and marks included.
template <typename Use>
void forEachSegment(std::string_view text, Use use) {
  thread_local const std::unique_ptr<icu::BreakIterator> iterator = newIterator();
  UErrorCode status = U_ZERO_ERROR;
  const icu::LocalUTextPointer read(
      utext_openUTF8(nullptr, text.data(), static_cast<std::int64_t>(text.size()), &status));
  iterator->setText(read.getAlias(), status);
  check(status);
  for (auto begin = iterator->first(), end = iterator->next(); end != icu::BreakIterator::DONE;
       begin = end, end = iterator->next()) {
    use(text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
  }
}

}  // namespace

std::string segmenterVersion() {
  UVersionInfo version;
  u_getVersion(version);
  return fmt::format("ICU {}.{}", version[0], version[1]);
}

void segment(std::string_view line, std::string& out) {
  thread_local std::string clean;
  collapseWhiteSpace(line, clean, [](char32_t c) { return c < 0x20; });
  out.clear();
  forEachSegment(clean, [&](std::string_view part) {
    // A combining mark after a space makes one part with it.
    forEachWord(part, [&](std::string_view word) {
      if (word == kZeroWidthSpace) return;
      if (!out.empty()) out.push_back(' ');
      out += word;
    });
  });
}

bool isUnspacedLetter(char32_t character) {
  UErrorCode status = U_ZERO_ERROR;
  const UScriptCode script = uscript_getScript(static_cast<UChar32>(character), &status);
  return U_SUCCESS(status) != 0 && uscript_breaksBetweenLetters(script) != 0 &&
         u_isUAlphabetic(static_cast<UChar32>(character)) != 0;
}

std::int64_t unspacedWords(std::string_view text) {
  std::int64_t words = 0;
  forEachSegment(text, [&](std::string_view part) {
    bool found = false;
    forEachCharacter(part, [&](char32_t c, std::string_view) { found |= isUnspacedLetter(c); });
    words += found ? 1 : 0;
  });
  return words;
}

}  // namespace strata
