#pragma once
#include <QAction>
#include <QFrame>
#include <QList>
#include <QPointer>

class QLineEdit;
class QListWidget;

namespace strata::ui {

// How well `pattern` matches `text`: its letters must occur in order, ignoring case. Higher is
// better (word beginnings and adjacent letters count more); negative: no match. The empty pattern
// matches everything equally.
int fuzzyScore(const QString& pattern, const QString& text);

// Finds any command of the window by a few letters of its name. Opens over its parent, closes on
// Escape or when it loses the focus; Enter runs the selected command.
class CommandPalette : public QFrame {
  Q_OBJECT
 public:
  explicit CommandPalette(QWidget* parent);

  void open(const QList<QAction*>& actions);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void filter(const QString& pattern);
  void run();

  QLineEdit* edit_;
  QListWidget* list_;
  QList<QPointer<QAction>> actions_;
};

}  // namespace strata::ui
