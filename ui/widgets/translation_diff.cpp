#include "ui/widgets/translation_diff.h"

#include <QAbstractTextDocumentLayout>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QScrollBar>
#include <QTextCursor>
#include <QTextEdit>
#include <QTextTable>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/data/text.h"
#include "ui/style/theme.h"

namespace strata::ui {

QString scoreText(double score) {
  return QString::number(score, 'f', 2);
}

QString differenceText(const MetricComparison& metric, double difference) {
  if (difference == 0) return QStringLiteral("0.00");
  return QStringLiteral("%1 %2%3")
      .arg(metric.improves(difference) ? QChar(0x25B2) : QChar(0x25BC))
      .arg(difference > 0 ? QChar(u'+') : QChar(0x2212))
      .arg(scoreText(std::abs(difference)));
}

QColor differenceColour(const MetricComparison& metric, double difference) {
  if (difference == 0) return theme().muted;
  return metric.improves(difference) ? theme().good : theme().bad;
}

TranslationDiff::TranslationDiff(QWidget* parent)
    : QWidget(parent),
      title_(new QLabel(this)),
      legend_(new QLabel(this)),
      against_(new QComboBox(this)),
      text_(new QTextEdit(this)) {
  setObjectName(QStringLiteral("translationDiff"));
  text_->setObjectName(QStringLiteral("diffText"));
  text_->setAccessibleName(tr("Translations side by side"));
  text_->setReadOnly(true);
  text_->setUndoRedoEnabled(false);
  text_->setTabChangesFocus(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  text_->setFocusPolicy(Qt::StrongFocus);
  text_->installEventFilter(this);
  text_->viewport()->installEventFilter(this);
  text_->viewport()->setMouseTracking(true);
  makeHead();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 6, 8, 8);
  layout->setSpacing(6);
  auto* head = new QHBoxLayout;
  head->addWidget(title_);
  head->addStretch();
  head->addWidget(legend_);
  head->addSpacing(10);
  auto* label = new QLabel(tr("Against"), this);
  label->setProperty("muted", true);
  label->setBuddy(against_);
  head->addWidget(label);
  head->addWidget(against_);
  layout->addLayout(head);
  layout->addWidget(text_, 1);
  refreshLegend();
}

void TranslationDiff::makeHead() {
  title_->setObjectName(QStringLiteral("diffTitle"));
  title_->setProperty("heading", true);
  title_->setTextFormat(Qt::PlainText);
  legend_->setObjectName(QStringLiteral("diffLegend"));
  legend_->setTextFormat(Qt::RichText);
  legend_->setToolTip(
      tr("Shaded: words in an n-gram that also occurs in a reference, darker for longer n-grams. "
         "Underlined: words only in this translation. Struck through: words missing from it."));
  against_->setObjectName(QStringLiteral("diffAgainst"));
  against_->setAccessibleName(tr("Compare words with"));
  against_->addItem(tr("the baseline"), int(Against::kBaseline));
  against_->addItem(tr("the reference"), int(Against::kReference));
  against_->addItem(tr("nothing"), int(Against::kNothing));
  connect(against_, &QComboBox::currentIndexChanged, this, &TranslationDiff::rebuild);
}

void TranslationDiff::setComparison(std::shared_ptr<const Comparison> comparison) {
  comparison_ = std::move(comparison);
  currentSystem_ = 0;
  if (comparison_) {
    against_->setItemText(
        1, comparison_->references.size() > 1 ? tr("the first reference") : tr("the reference"));
  }
  clear();
}

void TranslationDiff::clear() {
  position_.reset();
  readRows();
  rebuild();
}

void TranslationDiff::showSentence(std::size_t position) {
  if (!comparison_ || position >= comparison_->sentences.size()) return clear();
  position_ = position;
  readRows();
  rebuild();
  text_->verticalScrollBar()->setValue(0);
}

void TranslationDiff::setAgainst(Against against) {
  against_->setCurrentIndex(against_->findData(int(against)));
}

TranslationDiff::Against TranslationDiff::against() const {
  return Against(against_->currentData().toInt());
}

QString TranslationDiff::systemText(std::size_t system) const {
  QString text;
  if (!position_) return text;
  for (const Word& word : rows_[rowOf(system)].words) text += word.gap + word.text;
  return text;
}

QRect TranslationDiff::wordRect(std::size_t system, int word) const {
  if (!position_ || word < 0) return {};
  const std::size_t row = rowOf(system);
  for (const Mark& mark : marks_) {
    if (mark.row != row || mark.word != word) continue;
    QTextCursor cursor(text_->document());
    cursor.setPosition(mark.begin);
    const QRect begin = text_->cursorRect(cursor);
    cursor.setPosition(mark.end);
    return begin.united(text_->cursorRect(cursor));
  }
  return {};
}

void TranslationDiff::setCurrentSystem(std::size_t system) {
  if (!comparison_ || system >= comparison_->systems.size() || system == currentSystem_) return;
  light(nullptr);
  paintCurrentRow(false);
  currentSystem_ = system;
  paintCurrentRow(true);
  if (position_) {
    const QRect word = wordRect(system, 0);
    QScrollBar* bar = text_->verticalScrollBar();
    if (word.top() < 0) bar->setValue(bar->value() + word.top() - 8);
    if (word.bottom() > text_->viewport()->height())
      bar->setValue(bar->value() + word.bottom() - text_->viewport()->height() + 8);
  }
  emit currentSystemChanged(system);
}

const TranslationDiff::Mark* TranslationDiff::markAt(const QPoint& inViewport) const {
  const QPoint offset(text_->horizontalScrollBar()->value(), text_->verticalScrollBar()->value());
  const int at = text_->document()->documentLayout()->hitTest(inViewport + offset, Qt::ExactHit);
  if (at < 0) return nullptr;
  auto found = std::ranges::upper_bound(marks_, at, {}, &Mark::begin);
  if (found == marks_.begin()) return nullptr;
  --found;
  return at < found->end ? &*found : nullptr;
}

// Highlights a word and all its other occurrences.
void TranslationDiff::light(const Mark* mark) {
  const int now = mark ? int(mark - marks_.data()) : -1;
  if (now == highlighted_) return;
  highlighted_ = now;
  QList<QTextEdit::ExtraSelection> lit;
  for (const Mark& other : marks_) {
    if (!mark || other.key != mark->key) continue;
    QTextEdit::ExtraSelection selection;
    selection.cursor = QTextCursor(text_->document());
    selection.cursor.setPosition(other.begin);
    selection.cursor.setPosition(other.end, QTextCursor::KeepAnchor);
    selection.format.setBackground(theme().accent);
    selection.format.setForeground(theme().onAccent);
    lit << selection;
  }
  text_->setExtraSelections(lit);
  text_->viewport()->setCursor(mark && mark->word >= 0 && rows_[mark->row].side == Side::kSystem
                                   ? Qt::PointingHandCursor
                                   : Qt::IBeamCursor);
}

bool TranslationDiff::eventFilter(QObject* watched, QEvent* event) {
  if (watched == text_ && event->type() == QEvent::KeyPress)
    return keyPressed(static_cast<QKeyEvent*>(event));
  if (watched != text_->viewport()) return QWidget::eventFilter(watched, event);
  switch (event->type()) {
    case QEvent::MouseMove:
      light(markAt(static_cast<QMouseEvent*>(event)->position().toPoint()));
      break;
    case QEvent::Leave:
      light(nullptr);
      break;
    case QEvent::MouseButtonRelease:
      if (static_cast<QMouseEvent*>(event)->button() == Qt::LeftButton &&
          !text_->textCursor().hasSelection())
        clicked(static_cast<QMouseEvent*>(event)->position().toPoint());
      break;
    case QEvent::ToolTip:
      return showTip(static_cast<QHelpEvent*>(event));
    default:
      break;
  }
  return QWidget::eventFilter(watched, event);
}

void TranslationDiff::clicked(const QPoint& inViewport) {
  const Mark* mark = markAt(inViewport);
  if (!mark || rows_[mark->row].side != Side::kSystem) return;
  const std::size_t system = rows_[mark->row].index;
  const int word = mark->word;
  setCurrentSystem(system);
  if (word >= 0) emit wordActivated(system, *position_, word);
}

bool TranslationDiff::keyPressed(QKeyEvent* event) {
  if (!position_) return false;
  const std::size_t systems = comparison_->systems.size();
  if (event->matches(QKeySequence::Copy)) {
    copy();
    return true;
  }
  switch (event->key()) {
    case Qt::Key_Up:
      setCurrentSystem(currentSystem_ == 0 ? 0 : currentSystem_ - 1);
      return true;
    case Qt::Key_Down:
      setCurrentSystem(std::min(currentSystem_ + 1, systems - 1));
      return true;
    case Qt::Key_Left:
    case Qt::Key_Right:
      stepWord((event->key() == Qt::Key_Right) != isRightToLeft(currentSystem_) ? 1 : -1);
      return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (highlighted_ >= 0 && marks_[std::size_t(highlighted_)].row == rowOf(currentSystem_) &&
          marks_[std::size_t(highlighted_)].word >= 0)
        emit wordActivated(currentSystem_, *position_, marks_[std::size_t(highlighted_)].word);
      return true;
    default:
      return false;
  }
}

// Moves to the next word of the current system, skipping words that it lacks.
void TranslationDiff::stepWord(int by) {
  const std::size_t row = rowOf(currentSystem_);
  const bool inRow = highlighted_ >= 0 && marks_[std::size_t(highlighted_)].row == row;
  const auto first = std::ranges::find(marks_, row, &Mark::row);
  const int start = int(first - marks_.begin()) - 1;
  for (int at = (inRow ? highlighted_ : start) + (inRow ? by : 1);
       at >= 0 && at < int(marks_.size()); at += by) {
    const Mark& mark = marks_[std::size_t(at)];
    if (mark.row != row) return;
    if (mark.word < 0) continue;
    light(&mark);
    return;
  }
}

void TranslationDiff::copy() const {
  if (text_->textCursor().hasSelection()) {
    text_->copy();
  } else {
    QApplication::clipboard()->setText(systemText(currentSystem_));
  }
}

bool TranslationDiff::showTip(QHelpEvent* event) {
  QStringList lines;
  const Mark* mark = markAt(event->pos());
  if (mark && rows_[mark->row].side == Side::kSystem) {
    if (mark->word < 0) lines << tr("missing here");
    if (mark->inserted) lines << tr("only here");
    if (mark->order > 0)
      lines << tr("in an n-gram of order %1 that occurs in a reference").arg(mark->order);
    if (mark->word >= 0 && mark->order == 0) lines << tr("in no reference");
  } else if (table_ && !mark) {  // a shortened name
    const QTextTableCell cell = table_->cellAt(text_->cursorForPosition(event->pos()).position());
    if (cell.isValid() && cell.column() == 0)
      lines << QStringLiteral("<p>%1</p>")
                   .arg(nameOf(rows_[std::size_t(cell.row())]).toHtmlEscaped());
  }
  // An empty text hides the current tooltip.
  QToolTip::showText(event->globalPos(), lines.join(QLatin1Char('\n')), text_->viewport());
  return true;
}

}  // namespace strata::ui
