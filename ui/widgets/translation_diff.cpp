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
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/data/text.h"
#include "ui/style/plain_text.h"
#include "ui/style/theme.h"

namespace strata::ui {

QString scoreText(const MetricComparison& metric, double score) {
  if (std::isnan(score)) return QString(QChar(0x2013));
  return QString::number(score, 'f', scoreDigits(*metric.metric));
}

QString differenceText(const MetricComparison& metric, double difference) {
  if (difference == 0 || std::isnan(difference)) return scoreText(metric, difference);
  return QStringLiteral("%1 %2%3")
      .arg(metric.improves(difference) ? QChar(0x25B2) : QChar(0x25BC))
      .arg(difference > 0 ? QChar(u'+') : QChar(0x2212))
      .arg(scoreText(metric, std::abs(difference)));
}

QColor differenceColour(const MetricComparison& metric, double difference) {
  if (difference == 0 || std::isnan(difference)) return theme().muted;
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
  legend_->setTextFormat(Qt::RichText);
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
  document_.reset();
  sentence_.reset();
  rebuild();
}

void TranslationDiff::showSentence(std::size_t position) {
  if (!comparison_ || position >= comparison_->sentences.size()) return clear();
  document_.reset();
  sentence_.emplace(comparison_, position);
  rebuild();
  text_->verticalScrollBar()->setValue(0);
}

std::optional<std::size_t> TranslationDiff::position() const {
  return sentence_ ? std::optional(sentence_->position()) : std::nullopt;
}

void TranslationDiff::rebuild() {
  highlighted_ = -1;
  text_->setExtraSelections({});
  auto* document = new QTextDocument(text_);  // the next one deletes it
  document->setUndoRedoEnabled(false);
  document->setDefaultFont(text_->font());
  document_.reset();
  if (sentence_) document_.emplace(document, *sentence_, against());
  paintCurrentRow(true);
  text_->setDocument(document);
  refreshTitle();
}

void TranslationDiff::refreshTitle() {
  QString title = comparison_ ? tr("No sentence selected") : QString();
  if (sentence_) {
    title = tr("Line %1").arg(countText(qint64(comparison_->sentences[sentence_->position()]) + 1));
    if (!sentence_->fitsComparing()) title += tr(" · too long to compare word by word");
  }
  title_->setText(title);
}

void TranslationDiff::refreshLegend() {
  const Theme& t = theme();
  QString shades;
  for (int order = 1; order <= SentenceRows::kMaximumOrder; ++order) {
    shades += QStringLiteral("<span style='background:%1;color:%2'>&nbsp;%3&nbsp;</span>")
                  .arg(confirmedColour(order).name(), t.text.name())
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

void TranslationDiff::paintCurrentRow(bool on) {
  if (document_) document_->paintCurrentRow(sentence_->rowOf(currentSystem_), on);
}

void TranslationDiff::setAgainst(Against against) {
  against_->setCurrentIndex(against_->findData(int(against)));
}

TranslationDiff::Against TranslationDiff::against() const {
  return Against(against_->currentData().toInt());
}

QString TranslationDiff::systemText(std::size_t system) const {
  return sentence_ ? sentence_->rows()[sentence_->rowOf(system)].text() : QString();
}

QRect TranslationDiff::wordRect(std::size_t system, int word) const {
  if (!document_ || word < 0) return {};
  const Mark* mark = document_->markOf(sentence_->rowOf(system), word);
  if (!mark) return {};
  QTextCursor cursor(text_->document());
  cursor.setPosition(mark->begin);
  const QRect begin = text_->cursorRect(cursor);
  cursor.setPosition(mark->end);
  return begin.united(text_->cursorRect(cursor));
}

void TranslationDiff::setCurrentSystem(std::size_t system) {
  if (!comparison_ || system >= comparison_->systems.size() || system == currentSystem_) return;
  light(nullptr);
  paintCurrentRow(false);
  currentSystem_ = system;
  paintCurrentRow(true);
  if (sentence_) {
    const QRect word = wordRect(system, 0);
    QScrollBar* bar = text_->verticalScrollBar();
    if (word.top() < 0) bar->setValue(bar->value() + word.top() - 8);
    if (word.bottom() > text_->viewport()->height())
      bar->setValue(bar->value() + word.bottom() - text_->viewport()->height() + 8);
  }
  emit currentSystemChanged(system);
}

bool TranslationDiff::isSystem(const Mark& mark) const {
  return sentence_->rows()[mark.row].side == SentenceRows::Side::kSystem;
}

const TranslationDiff::Mark* TranslationDiff::highlighted() const {
  return highlighted_ < 0 ? nullptr : &document_->marks()[std::size_t(highlighted_)];
}

const TranslationDiff::Mark* TranslationDiff::markAt(const QPoint& inViewport) const {
  const QPoint offset(text_->horizontalScrollBar()->value(), text_->verticalScrollBar()->value());
  const int at = text_->document()->documentLayout()->hitTest(inViewport + offset, Qt::ExactHit);
  return at < 0 || !document_ ? nullptr : document_->markAt(at);
}

// Highlights a word and all its other occurrences.
void TranslationDiff::light(const Mark* mark) {
  const int now = mark ? int(mark - document_->marks().data()) : -1;
  if (now == highlighted_) return;
  highlighted_ = now;
  QList<QTextEdit::ExtraSelection> lit;
  for (std::size_t i = 0; mark && i < document_->marks().size(); ++i) {
    const Mark& other = document_->marks()[i];
    if (other.key != mark->key) continue;
    QTextEdit::ExtraSelection selection;
    selection.cursor = QTextCursor(text_->document());
    selection.cursor.setPosition(other.begin);
    selection.cursor.setPosition(other.end, QTextCursor::KeepAnchor);
    selection.format.setBackground(theme().accent);
    selection.format.setForeground(theme().onAccent);
    lit << selection;
  }
  text_->setExtraSelections(lit);
  const bool clickable = mark && mark->word >= 0 && isSystem(*mark);
  text_->viewport()->setCursor(clickable ? Qt::PointingHandCursor : Qt::IBeamCursor);
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
  if (!mark || !isSystem(*mark)) return;
  const std::size_t system = sentence_->rows()[mark->row].index;
  const int word = mark->word;
  setCurrentSystem(system);
  if (word >= 0) emit wordActivated(system, sentence_->position(), word);
}

bool TranslationDiff::keyPressed(QKeyEvent* event) {
  if (!sentence_) return false;
  const std::size_t row = sentence_->rowOf(currentSystem_);
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
      stepWord((event->key() == Qt::Key_Right) != document_->isRightToLeft(row) ? 1 : -1);
      return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (const Mark* mark = highlighted(); mark && mark->row == row && mark->word >= 0)
        emit wordActivated(currentSystem_, sentence_->position(), mark->word);
      return true;
    default:
      return false;
  }
}

// Moves to the next word of the current system, skipping words that it lacks.
void TranslationDiff::stepWord(int by) {
  const std::size_t row = sentence_->rowOf(currentSystem_);
  const auto& marks = document_->marks();
  const bool inRow = highlighted() && highlighted()->row == row;
  const int start = int(std::ranges::find(marks, row, &Mark::row) - marks.begin()) - 1;
  for (int at = (inRow ? highlighted_ : start) + (inRow ? by : 1);
       at >= 0 && at < int(marks.size()); at += by) {
    const Mark& mark = marks[std::size_t(at)];
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
  if (mark && isSystem(*mark)) {
    if (mark->word < 0) lines << tr("missing here");
    if (mark->inserted) lines << tr("only here");
    if (mark->order > 0)
      lines << tr("in an n-gram of order %1 that occurs in a reference").arg(mark->order);
    if (mark->word >= 0 && mark->order == 0) lines << tr("in no reference");
  } else if (document_ && !mark) {  // a shortened name
    const QString name = document_->nameAt(text_->cursorForPosition(event->pos()).position());
    if (!name.isEmpty()) lines << name;
  }
  // An empty text hides the current tooltip.
  ui::showTip(event->globalPos(), lines.join(QLatin1Char('\n')), text_->viewport());
  return true;
}

}  // namespace strata::ui
