#include "core/data/segmentation_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text/character_classes.h"
#include "core/text/language.h"
#include "core/text/segmentation.h"
#include "core/text/words.h"

namespace strata {
namespace {

// The lines looked at: the first ones, then one in so many.
constexpr std::int64_t kFirstLines = 1000, kEvery = 50;

// From this share of the letters on, the text is one of a script without spaces; a few names in
// another text are not.
constexpr double kLeastShare = 0.25;

// ICU finds 1.15 words in a Chinese word of another segmenter (jieba), 7 between the marks that
// Moses's tokenizer splits off, and 11 between spaces (24,000 captions of pictures).
constexpr double kLeastWords = 2;

}  // namespace

SegmentationCheck::SegmentationCheck(const PipelineSide& source, const PipelineSide& target)
    : languages_{source.language, target.language},
      tokenizers_{source.tokenizer, target.tokenizer} {}

bool SegmentationCheck::Counts::isUnsegmented() const {
  return words > 0 && static_cast<double>(unspaced) >= kLeastShare * static_cast<double>(letters) &&
         static_cast<double>(found) >= kLeastWords * static_cast<double>(words);
}

void SegmentationCheck::add(const std::string& split, int side, std::string_view tokens) {
  const auto at = static_cast<std::size_t>(side);
  if (tokenizers_[at] == "icu") return;
  Counts& counts = sides_[at][split];
  if (++counts.lines > kFirstLines && counts.lines % kEvery != 0) return;
  const CharacterClasses classes;
  forEachWord(tokens, [&](std::string_view word) {
    std::int64_t unspaced = 0;
    forEachCharacter(word, [&](char32_t c, std::string_view) {
      counts.letters += classes.is(c, kAlphabetic) ? 1 : 0;
      unspaced += c >= 0x80 && isUnspacedLetter(c) ? 1 : 0;
    });
    counts.unspaced += unspaced;
    if (unspaced == 0) return;
    ++counts.words;
    counts.found += unspacedWords(word);
  });
}

std::string SegmentationCheck::warning(int side) const {
  const auto at = static_cast<std::size_t>(side);
  std::vector<std::string> splits;
  Counts all;
  for (const auto& [split, counts] : sides_[at]) {
    if (!counts.isUnsegmented()) continue;
    splits.push_back(split);
    all.words += counts.words;
    all.found += counts.found;
  }
  if (splits.empty()) return {};
  const char* name = side == 0 ? "source" : "target";
  const std::string code =
      isWrittenWithoutSpaces(languages_[at])
          ? ""
          : fmt::format(" and give the language's code (--{} zh, ja, th, ...)", name);
  return fmt::format(
      "{} ({}) of {}: text of a script without spaces that is not split into words (ICU finds "
      "{:.1f} "
      "words in each); use --tokenizer icu{}, or split it with another tool first",
      name, languages_[at], fmt::join(splits, ", "),
      static_cast<double>(all.found) / static_cast<double>(all.words), code);
}

std::vector<std::string> SegmentationCheck::warnings() const {
  std::vector<std::string> all;
  for (const int side : {0, 1}) {
    if (std::string text = warning(side); !text.empty()) all.push_back(std::move(text));
  }
  return all;
}

}  // namespace strata
