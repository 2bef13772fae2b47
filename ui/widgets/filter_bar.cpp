#include "ui/widgets/filter_bar.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/data/text.h"
#include "ui/style/theme.h"
#include "ui/widgets/bar_layout.h"
#include "ui/widgets/building.h"

namespace strata::ui {
namespace {

constexpr int kPause = 200;  // ms; waits until typing pauses
constexpr int kRangeWidth = 52, kSpacing = 5;
enum Unknown { kAny, kNone, kSome };

// nullopt if the text is not a number; accepts a decimal comma and a typographic minus.
std::optional<double> numberIn(QString text) {
  text = text.trimmed().replace(QLatin1Char(','), QLatin1Char('.'));
  text.replace(QChar(0x2212), QLatin1Char('-'));
  bool good = false;
  const double value = text.toDouble(&good);
  return good && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace

FilterBar::FilterBar(QWidget* parent)
    : QWidget(parent), moreRow_(new QWidget(this)), error_(new QLabel(this)) {
  setObjectName(QStringLiteral("filterBar"));
  auto* layout = makeLayout<QVBoxLayout>(this, {8, 6, 8, 6}, kSpacing);
  makeRow();
  makeMoreRow();
  error_->setObjectName(QStringLiteral("filterError"));
  error_->setTextFormat(Qt::PlainText);
  error_->setWordWrap(true);
  layout->addWidget(moreRow_);
  layout->addWidget(error_);
  moreRow_->hide();
  timer_.setSingleShot(true);
  timer_.setInterval(kPause);
  connect(&timer_, &QTimer::timeout, this, &FilterBar::send);
  setUnknownWordsKnown(false);
  restyle();
}

QComboBox* FilterBar::makeChoice(const QString& name, const QString& accessible,
                                 const QStringList& items) {
  auto* choice = new QComboBox(this);
  choice->setObjectName(name);
  choice->setAccessibleName(accessible);
  choice->setToolTip(accessible);
  choice->addItems(items);
  connect(choice, &QComboBox::currentIndexChanged, this, &FilterBar::edited);
  return choice;
}

FilterBar::Range FilterBar::makeRange(const QString& name, const QString& text, QHBoxLayout* row) {
  auto* label = new QLabel(text, this);
  label->setProperty("muted", true);
  row->addWidget(label);
  const auto field = [&](const QString& end, const QString& accessible) {
    auto* edit = new QLineEdit(this);
    edit->setObjectName(name + end);
    edit->setAccessibleName(accessible);
    edit->setPlaceholderText(end == QLatin1String("From") ? tr("from") : tr("to"));
    edit->setFixedWidth(kRangeWidth);
    connect(edit, &QLineEdit::textEdited, this, &FilterBar::edited);
    connect(edit, &QLineEdit::returnPressed, this, &FilterBar::send);
    row->addWidget(edit);
    return edit;
  };
  Range range{.name = text};
  range.low = field(QStringLiteral("From"), tr("%1 from").arg(text));
  range.high = field(QStringLiteral("To"), tr("%1 to").arg(text));
  label->setBuddy(range.low);
  return range;
}

void FilterBar::makeRow() {
  auto* row = makeLayout<BarLayout>(nullptr, {}, kSpacing);
  static_cast<QVBoxLayout*>(layout())->addLayout(row);
  pattern_ = new QLineEdit(this);
  pattern_->setObjectName(QStringLiteral("filterPattern"));
  pattern_->setAccessibleName(tr("Regular expression"));
  pattern_->setPlaceholderText(tr("Regular expression"));
  pattern_->setClearButtonEnabled(true);
  pattern_->addAction(themedIcon(QStringLiteral("search")), QLineEdit::LeadingPosition);
  pattern_->setMinimumWidth(130);
  const auto patternEdited = [this] {
    patternError_.clear();
    edited();
  };
  connect(pattern_, &QLineEdit::textChanged, this, patternEdited);
  connect(pattern_, &QLineEdit::returnPressed, this, &FilterBar::send);
  where_ = makeChoice(QStringLiteral("filterWhere"), tr("Where to search"),
                      {tr("anywhere"), tr("in the source"), tr("in references"), tr("in systems")});
  case_ = new QToolButton(this);
  case_->setObjectName(QStringLiteral("filterCase"));
  case_->setText(tr("Aa"));
  case_->setToolTip(tr("Match case"));
  case_->setAccessibleName(case_->toolTip());
  case_->setCheckable(true);
  case_->setProperty("flat", true);
  connect(case_, &QToolButton::toggled, this, &FilterBar::edited);
  row->addWidget(pattern_, 1);
  row->addWidget(where_);
  row->addWidget(case_);
  row->addSpacing(4);
  system_ = makeChoice(QStringLiteral("filterSystem"),
                       tr("System that score and difference refer to"), {});
  system_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  system_->setMinimumContentsLength(9);
  outcome_ = makeChoice(QStringLiteral("filterOutcome"), tr("Sentences compared with the baseline"),
                        {tr("any"), tr("different"), tr("better"), tr("worse"), tr("equal")});
  more_ = new QToolButton(this);
  more_->setObjectName(QStringLiteral("filterMore"));
  more_->setCheckable(true);
  more_->setToolTip(tr("Ranges of words, score and difference; unknown words"));
  connect(more_, &QToolButton::toggled, moreRow_, &QWidget::setVisible);
  reset_ = new QToolButton(this);
  reset_->setObjectName(QStringLiteral("filterReset"));
  reset_->setText(tr("Reset"));
  reset_->setToolTip(tr("Show all sentences"));
  connect(reset_, &QToolButton::clicked, this, &FilterBar::reset);
  row->addWidget(system_);
  row->addWidget(outcome_);
  row->addWidget(more_);
  row->addWidget(reset_);
}

void FilterBar::makeMoreRow() {
  auto* row = makeLayout<BarLayout>(moreRow_, {}, kSpacing);
  length_ = makeRange(QStringLiteral("filterLength"), tr("Words"), row);
  row->addSpacing(4);
  score_ = makeRange(QStringLiteral("filterScore"), tr("Score"), row);
  row->addSpacing(4);
  difference_ = makeRange(QStringLiteral("filterDifference"), tr("Difference"), row);
  row->addSpacing(4);
  unknownLabel_ = new QLabel(tr("Unknown words"), this);
  unknownLabel_->setProperty("muted", true);
  row->addWidget(unknownLabel_);
  unknown_ =
      makeChoice(QStringLiteral("filterUnknown"), tr("Out-of-vocabulary words in the references"),
                 {tr("any"), tr("none"), tr("at least one")});
  unknownLabel_->setBuddy(unknown_);
  row->addWidget(unknown_);
  row->addStretch();
}

void FilterBar::setSystems(const QStringList& names, std::size_t baseline) {
  {
    const QSignalBlocker blocker(system_);
    system_->clear();
    for (qsizetype i = 0; i < names.size(); ++i)
      system_->addItem(std::size_t(i) == baseline ? tr("%1 (baseline)").arg(names[i]) : names[i]);
  }
  baseline_ = baseline;
  clear();
}

void FilterBar::setUnknownWordsKnown(bool known) {
  unknownKnown_ = known;
  unknownLabel_->setVisible(known);
  unknown_->setVisible(known);
}

void FilterBar::setSourceKnown(bool known) {
  const int source = int(SentenceFilter::Where::kSource);
  if (auto* items = qobject_cast<QStandardItemModel*>(where_->model()))
    items->item(source)->setEnabled(known);
}

QString FilterBar::problem(const Range& range) const {
  for (const QLineEdit* edit : {range.low, range.high}) {
    if (!edit->text().trimmed().isEmpty() && !numberIn(edit->text()))
      return tr("%1: '%2' is not a number.").arg(range.name, edit->text());
  }
  const auto low = numberIn(range.low->text()), high = numberIn(range.high->text());
  if (low && high && *low > *high)
    return tr("%1: the start %2 is after the end %3; swap them.")
        .arg(range.name, range.low->text(), range.high->text());
  return {};
}

NumberRange FilterBar::read(const Range& range) const {
  return {.low = numberIn(range.low->text()), .high = numberIn(range.high->text())};
}

void FilterBar::setPattern(const QString& pattern) {
  pattern_->setText(pattern);
}

SentenceFilter FilterBar::filter() const {
  SentenceFilter made;
  made.pattern = toStd(pattern_->text());
  made.where = SentenceFilter::Where(where_->currentIndex());
  made.caseSensitive = case_->isChecked();
  made.length = read(length_);
  made.system = std::size_t(std::max(0, system_->currentIndex()));
  made.score = read(score_);
  if (made.system != baseline_) {  // the baseline does not differ from itself
    made.difference = read(difference_);
    made.outcome = SentenceFilter::Outcome(outcome_->currentIndex());
  }
  if (unknownKnown_ && unknown_->currentIndex() == kNone) made.unknownWords = {.low = 0, .high = 0};
  if (unknownKnown_ && unknown_->currentIndex() == kSome) made.unknownWords = {.low = 1};
  return made;
}

int FilterBar::conditions() const {
  return int(!pattern_->text().isEmpty()) + int(outcome_->currentIndex() > 0);
}

int FilterBar::moreConditions() const {
  int count = unknownKnown_ && unknown_->currentIndex() > 0 ? 1 : 0;
  for (const Range* range : {&length_, &score_, &difference_})
    count += !range->low->text().isEmpty() || !range->high->text().isEmpty() ? 1 : 0;
  return count;
}

void FilterBar::clear() {
  timer_.stop();
  const QSignalBlocker a(pattern_), b(where_), c(case_), d(system_), e(outcome_), f(unknown_);
  pattern_->clear();
  where_->setCurrentIndex(0);
  case_->setChecked(false);
  for (const Range* range : ranges()) {
    range->low->clear();
    range->high->clear();
  }
  // The default: the first system that is not the baseline.
  system_->setCurrentIndex(baseline_ == 0 && system_->count() > 1 ? 1 : 0);
  outcome_->setCurrentIndex(0);
  unknown_->setCurrentIndex(0);
  patternError_.clear();
  restyle();
}

void FilterBar::reset() {
  clear();
  emit changed(filter());
}

void FilterBar::showError(const QString& message) {
  patternError_ = message;
  restyle();
}

QString FilterBar::error() const {
  return error_->text();
}

void FilterBar::edited() {
  restyle();
  timer_.start();
}

void FilterBar::send() {
  timer_.stop();
  for (const Range* range : ranges()) {
    if (!problem(*range).isEmpty()) return;
  }
  emit changed(filter());
}

// Enables applicable fields, counts hidden conditions, and marks invalid fields.
void FilterBar::restyle() {
  const bool differs = system_->count() > 0 && std::size_t(system_->currentIndex()) != baseline_;
  outcome_->setEnabled(differs);
  difference_.low->setEnabled(differs);
  difference_.high->setEnabled(differs);
  const int folded = moreConditions();
  more_->setText(folded > 0 ? tr("More (%1)").arg(folded) : tr("More"));
  reset_->setEnabled(isSet());
  const auto mark = [](QLineEdit* edit, bool faulty) {
    if (edit->property("invalid").toBool() == faulty) return;
    edit->setProperty("invalid", faulty);
    edit->style()->polish(edit);
  };
  QStringList messages;
  if (!patternError_.isEmpty()) messages << patternError_;
  mark(pattern_, !patternError_.isEmpty());
  for (const Range* range : ranges()) {
    const QString message = problem(*range);
    if (!message.isEmpty()) messages << message;
    mark(range->low, !message.isEmpty());
    mark(range->high, !message.isEmpty());
  }
  error_->setText(messages.join(QLatin1Char('\n')));
  error_->setStyleSheet(QStringLiteral("color: %1;").arg(theme().bad.name()));
  error_->setVisible(!messages.isEmpty());
  pattern_->setAccessibleDescription(patternError_);
}

void FilterBar::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) restyle();
}

}  // namespace strata::ui
