#pragma once
#include <QByteArray>
#include <QMap>
#include <QObject>
#include <QVector>

#include "ui/data/selection.h"
#include "ui/data/selection_history.h"

class QAction;

namespace strata::ui {
class Panel;

// The panels of a window and the one selection that they share: what the user chooses in one
// panel is shown by the others, except by those that are pinned.
class PanelList : public QObject {
  Q_OBJECT
 public:
  PanelList(const QVector<Panel*>& panels, QObject* parent);

  const QVector<Panel*>& all() const { return panels_; }
  Panel* panel(const QString& name) const;  // null: there is none of this name

  const Selection& selection() const { return selection_; }
  void select(const Selection& choice);  // in all panels
  // What panels know to choose from; those in sight first, the others if these know nothing.
  SelectionChoices choices() const;
  // A change that the user has not made: there is nothing to walk back to.
  void amend(const Selection& choice);
  // Walk through the selections made so far; disabled where there is none.
  QAction* backAction() const { return back_; }
  QAction* forwardAction() const { return forward_; }

  // The panels' states as JSON, by name. What cannot be read is ignored.
  QMap<QString, QByteArray> saveStates() const;
  void restoreStates(const QMap<QString, QByteArray>& states);
  QStringList pinned() const;  // names
  void pin(const QStringList& names);

 signals:
  void selectionChanged(const strata::ui::Selection& selection);

 private:
  void receive(const Panel* from, const Selection& choice);
  void showEverywhere(const Selection& choice, const Panel* except);
  void walkTo(const Selection& selection);
  void updateActions();

  QVector<Panel*> panels_;
  Selection selection_;
  SelectionHistory history_;
  QAction *back_, *forward_;
};

}  // namespace strata::ui
