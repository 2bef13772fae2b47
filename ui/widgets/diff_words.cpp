#include "ui/widgets/diff_words.h"

#include <QTextCharFormat>
#include <QTextCursor>
#include <algorithm>
#include <array>
#include <utility>

#include "ui/style/theme.h"
#include "ui/widgets/translation_diff.h"

namespace strata::ui {
namespace {

QTextCharFormat plainFormat() {
  QTextCharFormat format;
  format.setForeground(theme().text);
  return format;
}

QTextCharFormat missingFormat() {
  QTextCharFormat format;
  format.setForeground(theme().muted);
  format.setProperty(kMissingWordProperty, true);
  return format;
}

void insertWord(QTextCursor& cursor, const SentenceRows::Word& word, DiffMark& mark) {
  QTextCharFormat format = mark.word < 0 ? missingFormat() : plainFormat();
  if (mark.word < 0) format.setFontStrikeOut(true);
  if (mark.order > 0) format.setBackground(confirmedColour(mark.order));
  if (mark.inserted) {
    format.setUnderlineStyle(QTextCharFormat::SingleUnderline);
    format.setUnderlineColor(theme().warning);
  }
  mark.begin = cursor.position();
  cursor.insertText(word.text, format);
  mark.end = cursor.position();
  mark.key = word.key;
}

}  // namespace

QColor mixedColour(const QColor& a, const QColor& b, double share) {
  const auto part = [share](int x, int y) { return int(x + share * (y - x) + 0.5); };
  return QColor(part(a.red(), b.red()), part(a.green(), b.green()), part(a.blue(), b.blue()));
}

QColor confirmedColour(int order) {
  constexpr int kHighest = SentenceRows::kMaximumOrder;
  static constexpr std::array<double, kHighest + 1> kShares{0, 0.10, 0.20, 0.31, 0.44};
  const Theme& t = theme();
  return mixedColour(t.surface, t.accent, kShares[std::size_t(std::clamp(order, 0, kHighest))]);
}

std::vector<DiffMark> insertWords(QTextCursor& cursor, const DiffedRow& diffed) {
  const auto& words = diffed.words.words;
  const SentenceRows::Differences& found = diffed.differences;
  std::vector<DiffMark> marks;
  bool afterMissing = false;
  for (const DiffRun& run : found.runs) {
    for (std::size_t i = run.leftBegin; run.kind == DiffKind::kLeft && i < run.leftEnd; ++i) {
      const SentenceRows::Word& word = found.left->words[i];
      if (marks.size() >= diffed.most) break;
      if (cursor.positionInBlock() > 0) cursor.insertText(word.gap, missingFormat());
      insertWord(cursor, word, marks.emplace_back(DiffMark{.row = diffed.row, .word = -1}));
      afterMissing = true;
    }
    for (std::size_t i = run.rightBegin; i < run.rightEnd; ++i) {
      const SentenceRows::Word& word = words[i];
      if (marks.size() >= diffed.most) {
        cursor.insertText(TranslationDiff::tr(" … and %1 more words").arg(words.size() - i),
                          missingFormat());
        return marks;
      }
      // Separates a replacement from the word before.
      if (std::exchange(afterMissing, false) && word.gap.isEmpty() &&
          (run.kind == DiffKind::kRight || i == 0))
        cursor.insertText(QStringLiteral(" "), missingFormat());
      cursor.insertText(word.gap, plainFormat());
      insertWord(cursor, word,
                 marks.emplace_back(DiffMark{.row = diffed.row,
                                             .word = int(i),
                                             .order = found.orders[i],
                                             .inserted = run.kind == DiffKind::kRight}));
    }
  }
  return marks;
}

}  // namespace strata::ui
