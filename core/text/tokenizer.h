#pragma once
#include <string>
#include <string_view>

#include "core/text/character_classes.h"
#include "core/text/nonbreaking_prefixes.h"

namespace strata {

struct TokenizerOptions {
  std::string language =
      "en";  // two- or three-letter code; an unknown one gets English prefixes and general rules
  bool aggressive = false;  // splits hyphens between letters or digits: a-b becomes a @-@ b
  bool escape = true;       // writes & | < > ' " [ ] as entities
};

// Splits text into tokens, byte for byte like Moses's tokenizer.perl 1.1. A const object may be
// used by many threads.
class Tokenizer {
 public:
  explicit Tokenizer(TokenizerOptions options);

  // Tokens of `line` (valid UTF-8, no \n) separated by one space; replaces the content of `out`. A
  // blank line is passed through unchanged.
  void tokenize(std::string_view line, std::string& out) const;

 private:
  enum class Apostrophe { kEnglish, kLeft, kGlottal, kAlone };

  void separateSpecials(std::string_view text, std::string& out) const;
  void splitHyphens(std::string& text, std::string& scratch) const;
  void splitCommas(std::string& text, std::string& scratch) const;
  void splitApostrophes(std::string& text, std::string& scratch) const;
  void splitFullStops(std::string_view text, std::string& out) const;
  bool keepsFullStop(std::string_view word, std::string_view next) const;

  TokenizerOptions options_;
  Apostrophe apostrophe_;
  bool colonInWords_ = false;      // Finnish, Swedish
  bool middleDotInWords_ = false;  // Catalan
  bool glottalInWords_ = false;    // Tetun
  CharacterClasses classes_;
  NonbreakingPrefixes prefixes_;
};

}  // namespace strata
