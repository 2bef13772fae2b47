// The words of a sentence and the document that shows them.
#include "ui/widgets/translation_diff.h"

#include <QComboBox>
#include <QLabel>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextEdit>
#include <QTextTable>
#include <algorithm>
#include <array>
#include <utility>

#include "core/metrics/ngram_differences.h"
#include "core/report/comparison_page_parts.h"
#include "core/text/casing.h"
#include "ui/data/text.h"
#include "ui/style/theme.h"

namespace strata::ui {
namespace {

constexpr int kMaximumNameWidth = 190;  // px
constexpr int kTextPadding = 16;        // px; separates the words from the numbers
constexpr int kMaximumOrder = 4;
// Words of one line times words of another: up to here, comparing ten systems takes a few ms.
constexpr std::size_t kMaximumCells = std::size_t{1} << 19;
// Over all rows; about 0.03 ms each to lay out. Words beyond them are only counted, but copied.
constexpr std::size_t kMaximumWords = 3000;
enum Column { kName, kScore, kDifference, kText, kColumns };

QColor mixed(const QColor& a, const QColor& b, double share) {
  const auto part = [share](int x, int y) { return int(x + share * (y - x) + 0.5); };
  return QColor(part(a.red(), b.red()), part(a.green(), b.green()), part(a.blue(), b.blue()));
}

// The shade of n-grams up to this order, stronger for longer ones.
QColor orderColour(int order) {
  static constexpr std::array<double, kMaximumOrder + 1> kShares{0, 0.10, 0.20, 0.31, 0.44};
  const Theme& t = theme();
  return mixed(t.surface, t.accent, kShares[std::size_t(std::clamp(order, 0, kMaximumOrder))]);
}

// Text without the characters that QTextDocument treats as the end of a line or frame.
QString shownText(std::string_view text) {
  QString shown = qs(text);
  for (QChar& c : shown) {
    const char16_t code = c.unicode();
    if (code == u'\n' || code == u'\r' || code == 0 || (code >= 0x2028 && code <= 0x2029) ||
        (code >= 0xFDD0 && code <= 0xFDEF) || code == 0xFFFC)
      c = QChar(0xFFFD);
  }
  return shown;
}

QTextCharFormat plainFormat() {
  QTextCharFormat format;
  format.setForeground(theme().text);
  return format;
}

QTextCharFormat missingFormat() {
  QTextCharFormat format;
  format.setForeground(theme().muted);
  format.setProperty(TranslationDiff::kMissingProperty, true);
  return format;
}

}  // namespace

std::vector<TranslationDiff::Word> TranslationDiff::wordsOf(std::string_view line,
                                                            std::string_view tokenized) const {
  const std::string joined = withJoints(line, tokenized).value_or(std::string(tokenized));
  std::vector<Word> words;
  QString gap;
  for (std::string_view rest = joined; !rest.empty();) {
    if (rest.front() == ' ') {
      gap += QLatin1Char(' ');
      rest.remove_prefix(1);
    } else if (rest.front() == kJoint) {
      rest.remove_prefix(1);
    } else {
      const std::string_view word = rest.substr(0, std::min(rest.find(' '), rest.find(kJoint)));
      words.push_back({std::exchange(gap, {}), shownText(word),
                       comparison_->lowercase ? lowercased(word) : std::string(word)});
      rest.remove_prefix(word.size());
    }
  }
  return words;
}

void TranslationDiff::readRows() {
  rows_.clear();
  if (!position_) return;
  const std::size_t at = *position_;
  const Comparison& c = *comparison_;
  if (!c.source.empty()) rows_.push_back({Side::kSource, 0, wordsOf(c.source[at], c.source[at])});
  for (std::size_t r = 0; r < c.references.size(); ++r)
    rows_.push_back(
        {Side::kReference, r, wordsOf(c.references[r][at], c.tokenizedReferences[r][at])});
  for (std::size_t s = 0; s < c.systems.size(); ++s)
    rows_.push_back({Side::kSystem, s, wordsOf(c.systems[s].lines[at], c.tokenizedSystems[s][at])});
}

std::size_t TranslationDiff::rowOf(std::size_t system) const {
  return rows_.size() - comparison_->systems.size() + system;
}

const TranslationDiff::Row* TranslationDiff::base(const Row& row) const {
  if (row.side != Side::kSystem || against() == Against::kNothing) return nullptr;
  if (against() == Against::kBaseline)
    return row.index == comparison_->baseline ? nullptr : &rows_[rowOf(comparison_->baseline)];
  return &*std::ranges::find(rows_, Side::kReference, &Row::side);
}

bool TranslationDiff::fitsComparing() const {
  std::size_t longest = 0, longestOfTargets = 0;
  for (const Row& row : rows_) {
    if (row.side == Side::kSource) continue;
    std::size_t& most = row.side == Side::kSystem ? longest : longestOfTargets;
    most = std::max(most, row.words.size());
  }
  return longest * std::max(longest, longestOfTargets) <= kMaximumCells;
}

void TranslationDiff::rebuild() {
  marks_.clear();
  highlighted_ = -1;
  table_ = nullptr;
  text_->setExtraSelections({});
  // Filled before it is shown: every change of a visible document triggers a layout.
  auto* document = new QTextDocument(text_);  // the next one deletes it
  document->setUndoRedoEnabled(false);
  document->setDefaultFont(text_->font());
  if (position_) {
    QTextCursor whole(document);
    whole.beginEditBlock();
    table_ = whole.insertTable(int(rows_.size()), kColumns, tableFormat());
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      fillHead(row);
      fillText(row);
    }
    paintCurrentRow(true);
    whole.endEditBlock();
  }
  text_->setDocument(document);
  QString title = comparison_ ? tr("No sentence selected") : QString();
  if (position_) {
    title = tr("Line %1").arg(countText(qint64(comparison_->sentences[*position_]) + 1));
    if (!fitsComparing()) title += tr(" · too long to compare word by word");
  }
  title_->setText(title);
}

QTextTableFormat TranslationDiff::tableFormat() const {
  QTextTableFormat format;
  format.setBorder(0);
  format.setCellPadding(4);
  format.setCellSpacing(0);
  format.setWidth(QTextLength(QTextLength::PercentageLength, 100));
  const QFontMetrics metrics(text_->font());
  int name = 0;
  for (const Row& row : rows_) name = std::max(name, metrics.horizontalAdvance(nameOf(row)));
  const auto fixed = [](int width) { return QTextLength(QTextLength::FixedLength, width); };
  const int figure = metrics.horizontalAdvance(QStringLiteral("100.00")) + 10;
  format.setColumnWidthConstraints(
      {fixed(std::min(name, kMaximumNameWidth) + 16), fixed(figure),
       fixed(figure + metrics.horizontalAdvance(QStringLiteral("▲ +"))),
       QTextLength(QTextLength::VariableLength, 0)});
  return format;
}

QString TranslationDiff::nameOf(const Row& row) const {
  if (row.side == Side::kSource) return tr("source");
  if (row.side == Side::kSystem) return qs(comparison_->systems[row.index].name);
  return comparison_->references.size() > 1 ? tr("reference %1").arg(row.index + 1)
                                            : tr("reference");
}

void TranslationDiff::fillHead(std::size_t at) const {
  const Row& row = rows_[at];
  const QFontMetrics metrics(text_->font());
  QTextCharFormat format;
  format.setForeground(row.side == Side::kSystem ? theme().text : theme().muted);
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
  if (row.side != Side::kSystem) return;
  insert(kScore, scoreText(comparison_->sentenceScores[row.index][*position_]), Qt::AlignRight);
  const double difference = comparison_->sentenceDifference(row.index, *position_);
  format.setForeground(differenceColour(comparison_->first(), difference));
  const bool baseline = row.index == comparison_->baseline;
  if (baseline) format.setForeground(theme().muted);
  insert(kDifference, baseline ? tr("baseline") : differenceText(comparison_->first(), difference),
         Qt::AlignRight);
}

void TranslationDiff::fillText(std::size_t at) {
  const Row& row = rows_[at];
  QTextTableCell cell = table_->cellAt(int(at), kText);
  QTextTableCellFormat padded;
  padded.setLeftPadding(kTextPadding);
  cell.setFormat(padded);
  QTextCursor cursor = cell.firstCursorPosition();
  const auto keys = [](const Row& of) {
    std::vector<std::string> list;
    for (const Word& word : of.words) list.push_back(word.key);
    return list;
  };
  std::vector<int> orders(row.words.size(), 0);
  const bool compared = row.side == Side::kSystem && fitsComparing();
  if (compared) {
    std::vector<std::string> references;
    for (const std::vector<std::string>& lines : comparison_->tokenizedReferences)
      references.push_back(lines[*position_]);
    orders = confirmedTokens(comparison_->tokenizedSystems[row.index][*position_], references,
                             {.highest = kMaximumOrder, .lowercase = comparison_->lowercase});
  }
  const Row* left = compared ? base(row) : nullptr;
  std::vector<DiffRun> runs{{DiffKind::kSame, 0, 0, 0, row.words.size()}};
  if (left) runs = wordDiff(keys(*left), keys(row));
  insertRuns(cursor, at, {.runs = runs, .left = left, .orders = orders});
}

void TranslationDiff::insertRuns(QTextCursor& cursor, std::size_t at, const Differences& found) {
  const Row& row = rows_[at];
  const std::size_t most = kMaximumWords / rows_.size(), before = marks_.size();
  bool afterMissing = false;
  for (const DiffRun& run : found.runs) {
    for (std::size_t i = run.leftBegin; run.kind == DiffKind::kLeft && i < run.leftEnd; ++i) {
      const Word& word = found.left->words[i];
      if (marks_.size() - before >= most) break;
      if (cursor.positionInBlock() > 0) cursor.insertText(word.gap, missingFormat());
      insertWord(cursor, word, {.row = at, .word = -1});
      afterMissing = true;
    }
    for (std::size_t i = run.rightBegin; i < run.rightEnd; ++i) {
      const Word& word = row.words[i];
      if (marks_.size() - before >= most) {
        cursor.insertText(tr(" … and %1 more words").arg(row.words.size() - i), missingFormat());
        return;
      }
      // Separates a replacement from the word before.
      if (std::exchange(afterMissing, false) && word.gap.isEmpty() &&
          (run.kind == DiffKind::kRight || i == 0))
        cursor.insertText(QStringLiteral(" "), missingFormat());
      cursor.insertText(word.gap, plainFormat());
      insertWord(cursor, word,
                 {.row = at,
                  .word = int(i),
                  .order = found.orders[i],
                  .inserted = run.kind == DiffKind::kRight});
    }
  }
}

void TranslationDiff::insertWord(QTextCursor& cursor, const Word& word, Mark mark) {
  QTextCharFormat format = mark.word < 0 ? missingFormat() : plainFormat();
  if (mark.word < 0) format.setFontStrikeOut(true);
  if (mark.order > 0) format.setBackground(orderColour(mark.order));
  if (mark.inserted) {
    format.setUnderlineStyle(QTextCharFormat::SingleUnderline);
    format.setUnderlineColor(theme().warning);
  }
  mark.begin = cursor.position();
  cursor.insertText(word.text, format);
  mark.end = cursor.position();
  mark.key = word.key;
  marks_.push_back(std::move(mark));
}

void TranslationDiff::refreshLegend() {
  const Theme& t = theme();
  QString shades;
  for (int order = 1; order <= kMaximumOrder; ++order) {
    shades += QStringLiteral("<span style='background:%1;color:%2'>&nbsp;%3&nbsp;</span>")
                  .arg(orderColour(order).name(), t.text.name())
                  .arg(order);
  }
  legend_->setText(QStringLiteral("<span style='color:%1'>%2 %3 &nbsp;·&nbsp; <u>%4</u> "
                                  "&nbsp;·&nbsp; <s>%5</s></span>")
                       .arg(t.muted.name(), tr("n-gram confirmed:").toHtmlEscaped(), shades,
                            tr("only here").toHtmlEscaped(), tr("missing here").toHtmlEscaped()));
}

void TranslationDiff::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange && event->type() != QEvent::FontChange) return;
  refreshLegend();
  rebuild();
}

bool TranslationDiff::isRightToLeft(std::size_t system) const {
  const QTextCursor start = table_->cellAt(int(rowOf(system)), kText).firstCursorPosition();
  return start.block().textDirection() == Qt::RightToLeft;
}

void TranslationDiff::paintCurrentRow(bool on) {
  if (!table_) return;
  const Theme& t = theme();
  for (int column = 0; column < kColumns; ++column) {
    QTextTableCell cell = table_->cellAt(int(rowOf(currentSystem_)), column);
    QTextTableCellFormat format = cell.format().toTableCellFormat();
    if (on) {
      format.setBackground(column == kText ? t.surface : mixed(t.surface, t.text, 0.08));
    } else {
      format.clearBackground();
    }
    cell.setFormat(format);
  }
}

}  // namespace strata::ui
