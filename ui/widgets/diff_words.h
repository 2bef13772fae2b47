#pragma once
#include <QColor>
#include <cstddef>
#include <string>
#include <vector>

#include "ui/widgets/sentence_rows.h"

class QTextCursor;

namespace strata::ui {

// The position of a word in a document.
struct DiffMark {
  int begin = 0, end = 0;
  std::size_t row = 0;
  int word = 0;  // -1: the row lacks it
  int order = 0;
  bool inserted = false;
  std::string key = {};
};

// Character format property that marks missing words, which are not part of the translation.
inline constexpr int kMissingWordProperty = 0x100001;

// Writes a row's words at the cursor, in the current theme's colours: words only in this row are
// underlined, words missing from it struck through, words of a confirmed n-gram shaded. Words
// beyond `most` are only counted. `row` is entered in the marks.
struct DiffedRow {
  const SentenceRows::Row& words;
  const SentenceRows::Differences& differences;
  std::size_t row = 0, most = 0;
};
std::vector<DiffMark> insertWords(QTextCursor& cursor, const DiffedRow& diffed);

// The shade of n-grams up to this order, stronger for longer ones.
QColor confirmedColour(int order);
// `share` of b, the rest of a.
QColor mixedColour(const QColor& a, const QColor& b, double share);

}  // namespace strata::ui
