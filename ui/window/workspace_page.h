#pragma once
#include <QList>

#include "ui/data/workspace_state.h"
#include "ui/widgets/empty_state.h"

class QAction;

namespace strata::ui {

// The middle of the window: the stage, or why there is no workspace to show, with what to do.
class WorkspacePage : public EmptyStack {
  Q_OBJECT
 public:
  WorkspacePage(QWidget* stage, const QList<QAction*>& actions, QWidget* parent);

  void setState(const WorkspaceState& state);
  const WorkspaceState& state() const { return state_; }

 private:
  WorkspacePage(QWidget* stage, EmptyState* page, QWidget* parent);

  EmptyState* page_;
  WorkspaceState state_;
};

}  // namespace strata::ui
