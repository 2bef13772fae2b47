#pragma once
#include <QString>
#include <cstddef>
#include <vector>

#include "ui/widgets/diff_words.h"
#include "ui/widgets/sentence_rows.h"

class QTextDocument;
class QTextTable;
class QTextTableFormat;

namespace strata::ui {

// The table of a TranslationDiff's document: name, score, difference and words of each row of a
// sentence, in the current theme's colours, and the places of the words.
class DiffDocument {
 public:
  using Mark = DiffMark;

  // Writes the rows into an empty document that is not shown yet: every change of a visible one
  // triggers a layout. Document and rows outlive this.
  DiffDocument(QTextDocument* document, const SentenceRows& rows, SentenceRows::Against against);

  const std::vector<Mark>& marks() const { return marks_; }  // sorted by begin
  const Mark* markAt(int position) const;  // of the word at a position in the document; or null
  const Mark* markOf(std::size_t row, int word) const;  // null: it is not shown
  QString nameAt(int position) const;  // of the row whose name is there; empty: no name is there
  bool isRightToLeft(std::size_t row) const;
  void paintCurrentRow(std::size_t row, bool on);

 private:
  QTextTableFormat tableFormat() const;
  QString nameOf(const SentenceRows::Row& row) const;
  void fillHead(std::size_t row) const;
  void fillText(std::size_t row, SentenceRows::Against against);

  QTextDocument* document_;
  const SentenceRows& sentence_;
  QTextTable* table_;  // owned by the document
  std::vector<Mark> marks_;
};

}  // namespace strata::ui
