#pragma once
#include <string>
#include <string_view>

#include "core/text/character_classes.h"

namespace strata {

// A token without the escapes of Moses's tokenizer: "&apos;s" is "'s".
std::string withoutEntities(std::string_view token);

struct DetokenizerOptions {
  std::string language = "en";  // cs, en, fi, fr, it and ko have specific rules
};

// Joins tokens to text, byte for byte like Moses's detokenizer.perl. A const object may be used by
// many threads.
class Detokenizer {
 public:
  explicit Detokenizer(const DetokenizerOptions& options);

  // Detokenises `line` (valid UTF-8, no \n); replaces the content of `out`.
  void detokenize(std::string_view line, std::string& out) const;

  // Whether `line` is returned unchanged because it is blank or one XML tag (<...>).
  bool passesThrough(std::string_view line) const;

 private:
  // In the order of their codes.
  enum class Language { kCzech, kEnglish, kFinnish, kFrench, kItalian, kKorean, kOther };
  struct Joiner;

  Language language_;
  CharacterClasses classes_;
};

}  // namespace strata
