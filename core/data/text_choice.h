#pragma once
#include <string>
#include <string_view>

namespace strata {

// What a text is within a file or a test set.
enum class TextRole { kSource, kReference, kOutput };

// Which text of a file with several is meant.
struct TextChoice {
  TextRole role = TextRole::kSource;
  std::string language = {};       // of these sentences; of JSON lines also a key; empty: not said
  std::string otherLanguage = {};  // of the other side: what lacks one of both belongs to neither
  std::string version = {};        // the translator of a reference or the system of an output
  std::string likely = {};         // the version that is meant if there are several and one is it
  bool bothSides = false;          // the other side is read from the same file
};

// "source", "reference", "output".
std::string_view nameOf(TextRole role);

// Whether two language codes name the same language: de, DE, de-DE, de_AT. Case does not matter;
// a region or a script counts only if both have one.
bool isSameLanguage(std::string_view a, std::string_view b);
// Whether this may be the code of a language, not a word or "any", as old files have.
bool isLanguageCode(std::string_view text);
// Whether they are the same code, but for case and the separator.
bool isSameCode(std::string_view a, std::string_view b);

}  // namespace strata
