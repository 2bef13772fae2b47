#pragma once
#include <QByteArray>
#include <QList>
#include <QMap>
#include <QStackedWidget>
#include <QVector>

class QAction;
class QActionGroup;

namespace strata::ui {
class Panel;
class PanelList;
class PerspectivePage;

// The middle of the window: one page per perspective ("train", "watch", "inside", "compare"), each
// a splitter of panels behind tabs. Every panel is at home in one perspective; it can fill its page
// or be moved to a window of its own, for a second screen.
class Stage : public QStackedWidget {
  Q_OBJECT
  using Panel = ui::Panel;  // not QFrame's

 public:
  Stage(PanelList* panels, QWidget* parent);

  QList<QAction*> actions() const;        // show one perspective each; the current one is checked
  QString current() const;                // the perspective
  void show(const QString& perspective);  // an unknown one: "watch"
  void bringUp(Panel* panel);             // its perspective with its tab in front, or its window
  void reset();                           // the current perspective to its default layout
  Panel* focused() const;  // the panel with the keyboard's focus, else the first in sight

  // The panel's tabs cover the page until `fills` is false or another panel is brought up.
  void setFills(Panel* panel, bool fills);
  bool fills(const Panel* panel) const;
  void setInWindow(Panel* panel, bool own);
  bool isInWindow(const Panel* panel) const;

  // JSON by perspective, as the user has left them. What cannot be read is ignored.
  QMap<QString, QByteArray> layouts() const;
  void restore(const QMap<QString, QByteArray>& layouts);

 private:
  void addPerspective(int index, PanelList* panels);
  PerspectivePage* page(const QString& perspective) const;
  PerspectivePage* home(const Panel* panel) const;

  QVector<PerspectivePage*> pages_;
  QActionGroup* actions_;
};

}  // namespace strata::ui
