#include "ui/widgets/diff_document.h"

#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextTable>
#include <algorithm>
#include <utility>

#include "ui/data/text.h"
#include "ui/style/theme.h"
#include "ui/widgets/translation_diff.h"

namespace strata::ui {
namespace {

constexpr int kMaximumNameWidth = 190;  // px
constexpr int kTextPadding = 16;        // px; separates the words from the numbers
// Over all rows; about 0.03 ms each to lay out. Words beyond them are only counted, but copied.
constexpr std::size_t kMaximumWords = 3000;
enum Column { kName, kScore, kDifference, kText, kColumns };

}  // namespace

DiffDocument::DiffDocument(QTextDocument* document, const SentenceRows& rows,
                           SentenceRows::Against against)
    : document_(document), sentence_(rows) {
  QTextCursor whole(document_);
  whole.beginEditBlock();
  table_ = whole.insertTable(int(sentence_.rows().size()), kColumns, tableFormat());
  for (std::size_t row = 0; row < sentence_.rows().size(); ++row) {
    fillHead(row);
    fillText(row, against);
  }
  whole.endEditBlock();
}

const DiffDocument::Mark* DiffDocument::markAt(int position) const {
  auto found = std::ranges::upper_bound(marks_, position, {}, &Mark::begin);
  if (found == marks_.begin()) return nullptr;
  --found;
  return position < found->end ? &*found : nullptr;
}

const DiffDocument::Mark* DiffDocument::markOf(std::size_t row, int word) const {
  for (const Mark& mark : marks_) {
    if (mark.row == row && mark.word == word) return &mark;
  }
  return nullptr;
}

QString DiffDocument::nameAt(int position) const {
  const QTextTableCell cell = table_->cellAt(position);
  if (!cell.isValid() || cell.column() != kName) return {};
  return nameOf(sentence_.rows()[std::size_t(cell.row())]);
}

QTextTableFormat DiffDocument::tableFormat() const {
  QTextTableFormat format;
  format.setBorder(0);
  format.setCellPadding(4);
  format.setCellSpacing(0);
  format.setWidth(QTextLength(QTextLength::PercentageLength, 100));
  const QFontMetrics metrics(document_->defaultFont());
  int name = 0;
  for (const SentenceRows::Row& row : sentence_.rows())
    name = std::max(name, metrics.horizontalAdvance(nameOf(row)));
  const auto fixed = [](int width) { return QTextLength(QTextLength::FixedLength, width); };
  const int figure = metrics.horizontalAdvance(QStringLiteral("100.00")) + 10;
  format.setColumnWidthConstraints(
      {fixed(std::min(name, kMaximumNameWidth) + 16), fixed(figure),
       fixed(figure + metrics.horizontalAdvance(QStringLiteral("▲ +"))),
       QTextLength(QTextLength::VariableLength, 0)});
  return format;
}

QString DiffDocument::nameOf(const SentenceRows::Row& row) const {
  if (row.side == SentenceRows::Side::kSource) return TranslationDiff::tr("source");
  if (row.side == SentenceRows::Side::kSystem)
    return qs(sentence_.comparison().systems[row.index].name);
  return sentence_.comparison().references.size() > 1
             ? TranslationDiff::tr("reference %1").arg(row.index + 1)
             : TranslationDiff::tr("reference");
}

void DiffDocument::fillHead(std::size_t at) const {
  const SentenceRows::Row& row = sentence_.rows()[at];
  const QFontMetrics metrics(document_->defaultFont());
  QTextCharFormat format;
  format.setForeground(row.side == SentenceRows::Side::kSystem ? theme().text : theme().muted);
  const auto insert = [&](int column, const QString& text, Qt::Alignment alignment) {
    QTextCursor cursor = table_->cellAt(int(at), column).firstCursorPosition();
    QTextBlockFormat block;
    block.setAlignment(alignment);
    block.setLayoutDirection(Qt::LeftToRight);
    cursor.setBlockFormat(block);
    cursor.insertText(text, format);
  };
  insert(kName, metrics.elidedText(nameOf(row), Qt::ElideMiddle, kMaximumNameWidth + 4),
         Qt::AlignLeft);
  if (row.side != SentenceRows::Side::kSystem) return;
  insert(kScore,
         scoreText(sentence_.comparison().first(),
                   sentence_.comparison().sentenceScores[row.index][sentence_.position()]),
         Qt::AlignRight);
  const double difference =
      sentence_.comparison().sentenceDifference(row.index, sentence_.position());
  format.setForeground(differenceColour(sentence_.comparison().first(), difference));
  const bool baseline = row.index == sentence_.comparison().baseline;
  if (baseline) format.setForeground(theme().muted);
  insert(kDifference,
         baseline ? TranslationDiff::tr("baseline")
                  : differenceText(sentence_.comparison().first(), difference),
         Qt::AlignRight);
}

void DiffDocument::fillText(std::size_t at, SentenceRows::Against against) {
  QTextTableCell cell = table_->cellAt(int(at), kText);
  QTextTableCellFormat padded;
  padded.setLeftPadding(kTextPadding);
  cell.setFormat(padded);
  QTextCursor cursor = cell.firstCursorPosition();
  const SentenceRows::Differences found = sentence_.differencesOf(at, against);
  const SentenceRows::Row& row = sentence_.rows()[at];
  const std::size_t most = kMaximumWords / sentence_.rows().size();
  for (Mark& mark : insertWords(cursor, {row, found, at, most})) marks_.push_back(std::move(mark));
}

bool DiffDocument::isRightToLeft(std::size_t row) const {
  const QTextCursor start = table_->cellAt(int(row), kText).firstCursorPosition();
  return start.block().textDirection() == Qt::RightToLeft;
}

void DiffDocument::paintCurrentRow(std::size_t row, bool on) {
  const Theme& t = theme();
  for (int column = 0; column < kColumns; ++column) {
    QTextTableCell cell = table_->cellAt(int(row), column);
    QTextTableCellFormat format = cell.format().toTableCellFormat();
    if (on) {
      format.setBackground(column == kText ? t.surface : mixedColour(t.surface, t.text, 0.08));
    } else {
      format.clearBackground();
    }
    cell.setFormat(format);
  }
}

}  // namespace strata::ui
