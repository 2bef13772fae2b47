#pragma once
#include <QStackedWidget>
#include <functional>

class QAction;
class QLabel;
class QHBoxLayout;
class QPushButton;

namespace strata::ui {

// A panel's page while there is nothing to show: what would be here, and what to do next, as
// buttons.
class EmptyState : public QWidget {
  Q_OBJECT
 public:
  EmptyState(const QString& icon, const QString& title, const QString& text,
             QWidget* parent = nullptr);

  // A button that triggers `action`; the first one is the suggested step.
  void addAction(QAction* action);
  void setTitle(const QString& title);
  void setText(const QString& text);

 private:
  QLabel *head_, *text_;
  QHBoxLayout* buttons_;
};

// What the choice lacks for a view, with the one button that helps, if there is one.
class LackPage : public QWidget {
  Q_OBJECT
 public:
  struct Remedy {
    QString text = {};  // of the button; empty: nothing helps
    std::function<void()> run = {};
  };

  // Its text gets the name, its button the name with "Remedy".
  explicit LackPage(const QString& name, QWidget* parent = nullptr);
  void setLack(const QString& text, const Remedy& remedy);
  QString text() const;

 private:
  QLabel* text_;
  QPushButton* button_;
  std::function<void()> run_;
};

// Shows a panel's content, its empty state while there is nothing to show, or why it cannot show
// what is chosen.
class EmptyStack : public QStackedWidget {
  Q_OBJECT
 public:
  EmptyStack(EmptyState* empty, QWidget* content, QWidget* parent = nullptr);
  void setEmpty(bool empty);
  bool isEmpty() const { return currentIndex() == 0; }
  // In the place of the content, unless it is empty: what the choice lacks. Empty text: nothing.
  void setLack(const QString& text, const LackPage::Remedy& remedy = {});
  QString lack() const;

 private:
  LackPage* lack_;
  bool empty_ = true;
};

}  // namespace strata::ui
