#pragma once
#include <QColor>
#include <QString>
#include <cstddef>
#include <string>
#include <vector>

#include "ui/widgets/sentence_rows.h"

class QTextCursor;
class QTextDocument;
class QTextTable;
class QTextTableFormat;

namespace strata::ui {

// The table of a TranslationDiff's document: name, score, difference and words of each row of a
// sentence, in the current theme's colours, and the places of the words.
class DiffDocument {
 public:
  // Character format property that marks missing words, which are not part of the translation.
  static constexpr int kMissingProperty = 0x100001;

  // The position of a word in the document.
  struct Mark {
    int begin = 0, end = 0;
    std::size_t row = 0;
    int word = 0;  // -1: the row lacks it
    int order = 0;
    bool inserted = false;
    std::string key = {};
  };

  // Writes the rows into an empty document that is not shown yet: every change of a visible one
  // triggers a layout. Document and rows outlive this.
  DiffDocument(QTextDocument* document, const SentenceRows& rows, SentenceRows::Against against);

  const std::vector<Mark>& marks() const { return marks_; }  // sorted by begin
  const Mark* markAt(int position) const;  // of the word at a position in the document; or null
  const Mark* markOf(std::size_t row, int word) const;  // null: it is not shown
  QString nameAt(int position) const;  // of the row whose name is there; empty: no name is there
  bool isRightToLeft(std::size_t row) const;
  void paintCurrentRow(std::size_t row, bool on);

  // The shade of n-grams up to this order, stronger for longer ones.
  static QColor orderColour(int order);

 private:
  QTextTableFormat tableFormat() const;
  QString nameOf(const SentenceRows::Row& row) const;
  void fillHead(std::size_t row) const;
  void fillText(std::size_t row, SentenceRows::Against against);
  void insertWord(QTextCursor& cursor, const SentenceRows::Word& word, Mark mark);

  QTextDocument* document_;
  const SentenceRows& sentence_;
  QTextTable* table_;  // owned by the document
  std::vector<Mark> marks_;
};

}  // namespace strata::ui
