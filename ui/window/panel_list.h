#pragma once
#include <QByteArray>
#include <QMap>
#include <QObject>
#include <QVector>

#include "ui/data/selection.h"

class QDockWidget;
class QMainWindow;

namespace strata::ui {
class Panel;

// The panels of a window, each in a dock, and the one selection that they share: what the user
// chooses in one panel is shown by the others.
class PanelList : public QObject {
  Q_OBJECT
 public:
  struct Entry {
    Panel* panel;
    QDockWidget* dock;
  };

  PanelList(const QVector<Panel*>& panels, QMainWindow* window);

  const QVector<Entry>& entries() const { return entries_; }
  QDockWidget* dock(const QString& name) const;  // of the panel; null: there is none of this name

  const Selection& selection() const { return selection_; }
  void select(const Selection& choice);  // in all panels

  // The panels' states as JSON, by name. What cannot be read is ignored.
  QMap<QString, QByteArray> saveStates() const;
  void restoreStates(const QMap<QString, QByteArray>& states);

 private:
  void add(Panel* panel, QMainWindow* window);
  void receive(const Panel* from, const Selection& choice);

  QVector<Entry> entries_;
  Selection selection_;
};

}  // namespace strata::ui
