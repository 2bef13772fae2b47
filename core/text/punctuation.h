#pragma once
#include <string>
#include <string_view>

namespace strata {

struct PunctuationOptions {
  std::string language = "en";  // cs, cz, de, en, es and fr have rules of their own
  bool penn = false;            // leaves ` and '' as they are
};

// Normalizes punctuation, byte for byte as Moses's normalize-punctuation.perl. A const object may
// be used by many threads.
class PunctuationNormalizer {
 public:
  explicit PunctuationNormalizer(PunctuationOptions options);

  // Replaces the content of `out`. `line` may end in \n: a full stop and quote at the end of a line
  // are treated differently without one, as the reference does.
  void normalize(std::string_view line, std::string& out) const;

  const PunctuationOptions& options() const { return options_; }

 private:
  enum class Quotes { kEnglish, kAsTheyAre, kContinental };

  PunctuationOptions options_;
  Quotes quotes_;
  char thousands_;  // what stands for a no-break space between digits
};

}  // namespace strata
