#pragma once
#include <QDateTime>
#include <QFrame>
#include <QPointer>
#include <QTimer>
#include <QToolButton>
#include <QVector>
#include <functional>

class QLabel;
class QMenu;
class QPushButton;

namespace strata::ui {

// What happened, where, and what to do, without interrupting the user.
struct Message {
  enum class Severity { kGood, kInfo, kWarning, kError };

  Severity severity = Severity::kInfo;
  QString text;
  // A button and what it does while `context` lives; empty: none.
  QString button = {};
  QPointer<QObject> context = {};
  std::function<void()> action = {};
  QDateTime time = {};  // set when it is shown
};

// A message that lies over the window.
class MessageCard : public QFrame {
  Q_OBJECT
 public:
  MessageCard(const Message& message, QWidget* parent);
  const Message& message() const { return message_; }

 signals:
  void closed();

 private:
  Message message_;
  QTimer timer_;  // closes it
};

// The messages of a window: at most two cards over its bottom right corner, which cover no button
// and move nothing, and a bell that lists earlier ones. Good news leave after 6 s; an error goes
// into the bell after 10 s, which is red until it is opened. Other messages stay until they are
// closed or two newer ones arrive.
class Messages : public QObject {
  Q_OBJECT
 public:
  explicit Messages(QWidget* window);

  QToolButton* bell() const { return bell_; }

  void show(Message::Severity severity, const QString& text);
  void show(Message message);
  // Of the newest card; empty: none is shown.
  QString text() const;
  Message::Severity severity() const;
  void dismiss();  // the newest card

  const QVector<MessageCard*>& cards() const { return cards_; }  // oldest first
  const QVector<Message>& history() const { return history_; }   // oldest first
  int unreadErrors() const { return unread_; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;  // of the window

 private:
  void present(const Message& message);
  void close(MessageCard* card);
  void place();
  QRect freePlace(const QSize& size, int bottom) const;
  void fillMenu();
  void updateBell();

  QWidget* window_;
  QToolButton* bell_;
  QMenu* menu_;
  QVector<MessageCard*> cards_;
  QVector<Message> history_;
  int unread_ = 0;
};

}  // namespace strata::ui
