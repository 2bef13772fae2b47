#pragma once
#include <QFrame>
#include <QList>
#include <functional>

class QHBoxLayout;
class QLabel;

namespace strata::ui {

// A line that says in place what keeps something from going on, with buttons for what helps.
class NoticeBar : public QFrame {
  Q_OBJECT
 public:
  struct Choice {
    QString name;  // of the button, by which tests find it
    QString text;
    std::function<void()> run;
  };

  explicit NoticeBar(QWidget* parent);

  // An empty text hides the bar.
  void setNotice(const QString& text, const QList<Choice>& choices = {});
  QString text() const;  // empty: it is hidden

 private:
  QLabel* text_;
  QHBoxLayout* layout_;
  QList<QWidget*> buttons_;
};

}  // namespace strata::ui
