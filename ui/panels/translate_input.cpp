#include "ui/panels/translate_input.h"

#include <QAction>
#include <QLabel>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QShortcut>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/style/plain_text.h"
#include "ui/widgets/bar_layout.h"
#include "ui/widgets/building.h"

namespace strata::ui {
namespace {
constexpr qsizetype kMostTexts = 40;
constexpr qsizetype kShownLetters = 70;  // of a text in the menu
}  // namespace

TranslateInput::TranslateInput(const QList<QWidget*>& model, QWidget* parent) : QWidget(parent) {
  auto* layout = makeLayout<QVBoxLayout>(this, {10, 8, 10, 8}, kUsualSpacing);
  settings_ = makeLayout<BarLayout>(nullptr, {}, kUsualSpacing);
  for (QWidget* choice : model) settings_->addWidget(choice);
  beam_ = addNumber(QStringLiteral("translateBeam"), tr("Beam"), 5);
  nbest_ = addNumber(QStringLiteral("translateNbest"), tr("Alternatives"), 5);
  settings_->addStretch();
  layout->addLayout(settings_);
  text_ = named(new QPlainTextEdit(this), "translateSource", tr("Sentence to translate"));
  text_->setPlaceholderText(tr("Type or paste sentences, one per line, and press Ctrl+Enter"));
  text_->setTabChangesFocus(true);
  layout->addWidget(text_, 1);
  buttons_ = makeLayout<BarLayout>(nullptr, {}, kUsualSpacing);
  addButtons();
  layout->addLayout(buttons_);
  auto* enter = new QShortcut(QKeySequence(Qt::CTRL | Qt::Key_Return), text_);
  enter->setContext(Qt::WidgetShortcut);
  connect(enter, &QShortcut::activated, this, &TranslateInput::translateRequested);
}

QSpinBox* TranslateInput::addNumber(const QString& name, const QString& text, int value) {
  settings_->addSpacing(6);
  settings_->addWidget(styled(new QLabel(text, this), "muted"));
  auto* box = named(new QSpinBox(this), name, text);
  box->setRange(1, 100);
  box->setValue(value);
  settings_->addWidget(box);
  return box;
}

int TranslateInput::beam() const {
  return std::max(beam_->value(), nbest_->value());
}

int TranslateInput::alternatives() const {
  return nbest_->value();
}

void TranslateInput::addButtons() {
  translate_ = named(styled(new QPushButton(tr("Translate"), this), "primary"), "translateButton");
  cancel_ = named(new QPushButton(tr("Cancel"), this), "translateCancel");
  auto* example = named(new QPushButton(tr("Example"), this), "translateExample");
  example->setToolTip(tr("Translate a sentence of the validation set"));
  status_ = named(styled(new QLabel(this), "muted"), "translateStatus");
  for (QPushButton* button : {translate_, cancel_, example}) buttons_->addWidget(button);
  addHistory();
  buttons_->addWidget(status_, 1);
  connect(translate_, &QPushButton::clicked, this, &TranslateInput::translateRequested);
  connect(cancel_, &QPushButton::clicked, this, &TranslateInput::cancelRequested);
  connect(example, &QPushButton::clicked, this, &TranslateInput::exampleRequested);
}

void TranslateInput::addHistory() {
  auto* history = named(new QToolButton(this), "translateHistory", tr("Earlier texts"));
  history->setText(tr("History"));
  history->setPopupMode(QToolButton::InstantPopup);
  auto* menu = named(new QMenu(history), "translateHistoryMenu");
  history->setMenu(menu);
  connect(menu, &QMenu::aboutToShow, this, [this, menu] { fillHistory(menu); });
  buttons_->addWidget(history);
}

// Its bars have more lines where they are narrow.
void TranslateInput::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  setMinimumHeight(layout()->minimumHeightForWidth(width()));
}

QStringList TranslateInput::sentences() const {
  QStringList sentences;
  for (const QString& line : text_->toPlainText().split(QLatin1Char('\n'))) {
    if (const QString sentence = line.simplified(); !sentence.isEmpty()) sentences << sentence;
  }
  return sentences;
}

void TranslateInput::setText(const QString& text) {
  text_->setPlainText(text);
}

void TranslateInput::remember(const QStringList& sentences) {
  const QString text = sentences.join(QLatin1Char('\n'));
  history_.removeAll(text);
  history_.prepend(text);
  history_ = history_.mid(0, kMostTexts);
}

QStringList TranslateInput::earlierSentences() const {
  QStringList sentences;
  for (const QString& text : kept_ + history_) sentences += text.split(QLatin1Char('\n'));
  return sentences;
}

// The texts that were kept, then those translated, newest first.
void TranslateInput::fillHistory(QMenu* menu) {
  menu->clear();
  const QString now = sentences().join(QLatin1Char('\n'));
  auto* keep = named(menu->addAction(tr("Keep this text")), "translateKeep");
  keep->setCheckable(true);
  keep->setChecked(kept_.contains(now));
  keep->setEnabled(!now.isEmpty());
  connect(keep, &QAction::triggered, this, [this, now](bool on) {
    kept_.removeAll(now);
    if (on) kept_.prepend(now);
  });
  for (const QStringList& texts : {kept_, history_}) {
    if (!texts.isEmpty()) menu->addSeparator();
    for (const QString& text : texts) {
      const QString shown = text.section(QLatin1Char('\n'), 0, 0).left(kShownLetters);
      connect(menu->addAction(asEntry(shown)), &QAction::triggered, this, [this, text] {
        setText(text);
        emit translateRequested();
      });
    }
  }
}

void TranslateInput::setBusy(bool busy) {
  translate_->setEnabled(!busy);
  cancel_->setVisible(busy);
}

void TranslateInput::setStatus(const QString& status) {
  status_->setText(status);
}

void TranslateInput::saveState(Json& state) const {
  state["beam"] = beam_->value();
  state["nbest"] = nbest_->value();
  state["source"] = toStd(text_->toPlainText());
  state["kept"] = jsonOf(kept_);
  state["history"] = jsonOf(history_);
}

void TranslateInput::restoreState(const SavedState& saved) {
  saved.value("beam", beam_);
  saved.value("nbest", nbest_);
  if (const auto text = saved.text("source")) setText(*text);
  kept_ = saved.texts("kept").value_or(QStringList());
  history_ = saved.texts("history").value_or(QStringList()).mid(0, kMostTexts);
}

}  // namespace strata::ui
