#include "ui/widgets/messages.h"

#include <QAbstractButton>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QPushButton>
#include <QStyle>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/style/theme.h"

#include "ui/style/plain_text.h"

namespace strata::ui {
namespace {

constexpr int kCards = 2, kCardWidth = 340, kMargin = 12, kHistory = 100;
constexpr int kGoodMs = 6000, kErrorMs = 10000;
constexpr int kMenuCharacters = 110;

const char* nameOf(Message::Severity severity) {
  static const char* const kNames[] = {"good", "info", "warning", "error"};
  return kNames[int(severity)];
}

}  // namespace

MessageCard::MessageCard(const Message& message, QWidget* parent)
    : QFrame(parent), message_(message) {
  setObjectName(QStringLiteral("messageCard"));
  setProperty("severity", QLatin1String(nameOf(message.severity)));
  auto* label = new QLabel(message.text, this);
  label->setObjectName(QStringLiteral("messageText"));
  label->setWordWrap(true);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* close = new QToolButton(this);
  close->setObjectName(QStringLiteral("messageClose"));
  close->setProperty("flat", true);
  close->setIcon(themedIcon(QStringLiteral("close")));
  close->setAccessibleName(tr("Close the message"));
  close->setToolTip(close->accessibleName());
  connect(close, &QToolButton::clicked, this, &MessageCard::closed);
  auto* line = new QHBoxLayout;
  line->addWidget(label, 1);
  line->addWidget(close, 0, Qt::AlignTop);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(12, 8, 8, 8);
  layout->addLayout(line);
  if (!message.button.isEmpty()) {
    auto* button = new QPushButton(message.button, this);
    button->setObjectName(QStringLiteral("messageAction"));
    connect(button, &QPushButton::clicked, this, [this] {
      const Message chosen = message_;
      emit closed();
      if (chosen.context) chosen.action();
    });
    layout->addWidget(button, 0, Qt::AlignLeft);
  }
  const bool leaves =
      message.severity == Message::Severity::kGood || message.severity == Message::Severity::kError;
  timer_.setSingleShot(true);
  connect(&timer_, &QTimer::timeout, this, &MessageCard::closed);
  if (leaves) timer_.start(message.severity == Message::Severity::kGood ? kGoodMs : kErrorMs);
}

Messages::Messages(QWidget* window)
    : QObject(window), window_(window), bell_(new QToolButton(window)), menu_(new QMenu(bell_)) {
  bell_->setObjectName(QStringLiteral("bell"));
  bell_->setProperty("flat", true);
  bell_->setIcon(themedIcon(QStringLiteral("bell")));
  bell_->setIconSize(QSize(16, 16));
  bell_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  bell_->setPopupMode(QToolButton::InstantPopup);
  bell_->setMenu(menu_);
  menu_->setToolTipsVisible(true);
  connect(menu_, &QMenu::aboutToShow, this, &Messages::fillMenu);
  window_->installEventFilter(this);
  updateBell();
}

void Messages::show(Message::Severity severity, const QString& text) {
  show(Message{severity, text});
}

void Messages::show(Message message) {
  message.time = QDateTime::currentDateTime();
  history_ << message;
  if (history_.size() > kHistory) history_.removeFirst();
  if (message.severity == Message::Severity::kError) ++unread_;
  updateBell();
  present(message);
}

void Messages::present(const Message& message) {
  while (cards_.size() >= kCards) {
    const auto lessUrgent = std::find_if(cards_.begin(), cards_.end(), [](const MessageCard* card) {
      return card->message().severity != Message::Severity::kError;
    });
    close(lessUrgent == cards_.end() ? cards_.first() : *lessUrgent);
  }
  auto* card = new MessageCard(message, window_);
  connect(card, &MessageCard::closed, this, [this, card] { close(card); });
  cards_ << card;
  place();
  card->show();
  card->raise();
}

QString Messages::text() const {
  return cards_.isEmpty() ? QString() : cards_.last()->message().text;
}

Message::Severity Messages::severity() const {
  return cards_.isEmpty() ? Message::Severity::kGood : cards_.last()->message().severity;
}

void Messages::dismiss() {
  if (!cards_.isEmpty()) close(cards_.last());
}

void Messages::close(MessageCard* card) {
  cards_.removeOne(card);
  card->hide();
  card->deleteLater();
  place();
}

// The newest at the bottom.
void Messages::place() {
  int bottom = window_->height() - kMargin - bell_->height();
  for (int index = int(cards_.size()) - 1; index >= 0; --index) {
    MessageCard* card = cards_[index];
    card->setFixedWidth(std::min(kCardWidth, window_->width() - 2 * kMargin));
    card->adjustSize();
    const QRect place = freePlace(card->size(), bottom);
    card->move(place.topLeft());
    bottom = place.top() - kMargin / 2;
  }
}

// The lowest place above `bottom` that covers no button of the window; the lowest of all if there
// is none.
QRect Messages::freePlace(const QSize& size, int bottom) const {
  const QPoint corner(window_->width() - kMargin - size.width(), bottom - size.height());
  QVector<QRect> buttons;
  for (const QAbstractButton* button : window_->findChildren<QAbstractButton*>()) {
    if (!button->isVisibleTo(window_) || button->window() != window_) continue;
    if (qobject_cast<const MessageCard*>(button->parentWidget())) continue;
    buttons << QRect(button->mapTo(window_, QPoint(0, 0)), button->size());
  }
  QRect place(corner, size);
  while (place.top() > 0) {
    const auto covered = std::find_if(buttons.begin(), buttons.end(), [&](const QRect& button) {
      return button.intersects(place);
    });
    if (covered == buttons.end()) return place;
    place.moveBottom(covered->top() - 1);
  }
  return {corner, size};
}

bool Messages::eventFilter(QObject* watched, QEvent* event) {
  if (watched == window_ && event->type() == QEvent::Resize) place();
  return QObject::eventFilter(watched, event);
}

void Messages::fillMenu() {
  menu_->clear();
  if (history_.isEmpty()) menu_->addAction(tr("Nothing has been reported"))->setEnabled(false);
  for (int index = int(history_.size()) - 1; index >= 0; --index) {
    const Message message = history_[index];
    const QString line = tr("%1  %2").arg(
        QLocale().toString(message.time.time(), QLocale::ShortFormat),
        menu_->fontMetrics().elidedText(message.text.simplified(), Qt::ElideRight,
                                        menu_->fontMetrics().averageCharWidth() * kMenuCharacters));
    QAction* action = menu_->addAction(asEntry(line));
    action->setToolTip(message.text);
    connect(action, &QAction::triggered, this, [this, message] { present(message); });
  }
  unread_ = 0;
  updateBell();
}

void Messages::updateBell() {
  bell_->setText(unread_ == 0 ? QString() : QString::number(unread_));
  bell_->setProperty("errors", unread_ > 0);
  bell_->setAccessibleName(unread_ == 0 ? tr("Messages")
                                        : tr("Messages, %n new error(s)", nullptr, unread_));
  bell_->setToolTip(bell_->accessibleName());
  bell_->style()->unpolish(bell_);  // the style sheet selects by the property
  bell_->style()->polish(bell_);
}

}  // namespace strata::ui
