#pragma once
#include <QFrame>
#include <QTimer>
#include <functional>

class QLabel;
class QPushButton;

namespace strata::ui {

// One line at the top of the window that says what happened, where, and what to do, without
// interrupting the user. A new message replaces the last one; success messages disappear
// automatically, errors stay until they are closed.
class MessageBar : public QFrame {
  Q_OBJECT
 public:
  enum class Severity { kGood, kInfo, kWarning, kError };

  explicit MessageBar(QWidget* parent = nullptr);

  void show(Severity severity, const QString& text);
  // With a button; `action` runs when it is pressed, while `context` lives.
  void show(Severity severity, const QString& text, const QString& button, QObject* context,
            std::function<void()> action);
  void dismiss() { setVisible(false); }
  QString text() const;  // of the current message; empty: none
  Severity severity() const { return severity_; }

 private:
  QLabel* label_;
  QPushButton* button_;
  QTimer hideTimer_;
  QMetaObject::Connection action_;
  Severity severity_ = Severity::kInfo;
};

}  // namespace strata::ui
