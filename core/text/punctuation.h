#pragma once
#include <string>
#include <string_view>

namespace strata {

struct PunctuationOptions {
  std::string language = "en";  // cs, cz, de, en, es and fr have specific rules
  bool penn = false;            // keeps ` and '' unchanged
};

// Normalizes punctuation, byte for byte like Moses's normalize-punctuation.perl. A const object may
// be used by many threads.
class PunctuationNormalizer {
 public:
  explicit PunctuationNormalizer(const PunctuationOptions& options);

  // Replaces the content of `out`. `line` may end in \n: as in the reference, a full stop and quote
  // at the end of a line are treated differently without it.
  void normalize(std::string_view line, std::string& out) const;

 private:
  enum class Quotes { kEnglish, kAsTheyAre, kContinental };

  bool penn_;
  Quotes quotes_;
  char thousands_;  // replaces a no-break space between digits
};

}  // namespace strata
