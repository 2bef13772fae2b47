#pragma once
#include <QByteArray>
#include <QList>
#include <QMap>
#include <QObject>
#include <QString>

class QAction;
class QActionGroup;
class QDockWidget;
class QMainWindow;

namespace strata::ui {
class PanelList;
struct Perspective;
struct PerspectiveArea;

// The arrangements of the window's docks: "launch", "watch", "inside", "compare". Each keeps its
// own layout while others are shown.
class Perspectives : public QObject {
  Q_OBJECT
 public:
  Perspectives(PanelList* panels, QMainWindow* window);

  QList<QAction*> actions() const;  // show one each; the current one is checked
  QString current() const { return current_; }
  void show(const QString& name);  // an unknown one: "watch"
  void reset();                    // the current one to its default layout

  QMap<QString, QByteArray> layouts() const;  // by name, as the user has left them
  // Layouts from now on; the current perspective is shown again.
  void restore(const QMap<QString, QByteArray>& layouts);

 private:
  void addAction(const Perspective& perspective);
  void arrange(const Perspective& perspective);
  QList<QDockWidget*> arrangeFronts(const Perspective& perspective);
  void addTabs(QDockWidget* front, const PerspectiveArea& area);

  QMainWindow* window_;
  PanelList* panels_;
  QActionGroup* actions_;
  QString current_;
  QMap<QString, QByteArray> layouts_;  // of perspectives shown before
};

}  // namespace strata::ui
