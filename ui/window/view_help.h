#pragma once
#include <QFrame>
#include <QPointer>
#include <QTimer>

class QTextBrowser;

namespace strata::ui {
class Panel;
struct Here;

// A view's text of resources/help/views as Markdown: its tables of symbols get a column with the
// values at the keyboard's cursor. Empty if there is none.
QString viewHelpText(const QString& panel, const Here& here);

// What a view shows, its equations and symbols, and the values of these at the keyboard's cursor:
// over the view's upper right corner, while the view can be used and the cursor moved.
class ViewHelp : public QFrame {
  Q_OBJECT
 public:
  using Panel = ui::Panel;  // not QFrame's

  // Opens the one of this panel, or closes it.
  static void toggle(Panel* panel);

  bool eventFilter(QObject* watched, QEvent* event) override;  // of the panel

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  explicit ViewHelp(Panel* panel);
  void refresh();
  void place();
  void leave();

  Panel* panel_;
  QTextBrowser* text_;
  QPointer<QWidget> before_;  // had the focus when it was opened
  QString shown_;
  QTimer again_;
};

}  // namespace strata::ui
