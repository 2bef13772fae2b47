#include "ui/window/workspace_page.h"

namespace strata::ui {
namespace {

QString titleOf(WorkspaceState::Kind kind) {
  switch (kind) {
    case WorkspaceState::Kind::kNewer:
      return WorkspacePage::tr("This workspace belongs to a newer version");
    case WorkspaceState::Kind::kGone:
      return WorkspacePage::tr("The workspace is gone");
    default:
      return WorkspacePage::tr("The workspace cannot be opened");
  }
}

}  // namespace

WorkspacePage::WorkspacePage(QWidget* stage, EmptyState* page, QWidget* parent)
    : EmptyStack(page, stage, parent), page_(page) {
  setObjectName(QStringLiteral("workspacePage"));
  setEmpty(false);
}

WorkspacePage::WorkspacePage(QWidget* stage, const QList<QAction*>& actions, QWidget* parent)
    : WorkspacePage(stage, new EmptyState(QStringLiteral("folder"), QString(), QString()), parent) {
  for (QAction* action : actions) page_->addAction(action);
}

void WorkspacePage::setState(const WorkspaceState& state) {
  state_ = state;
  page_->setTitle(titleOf(state.kind));
  page_->setText(state.message);
  setEmpty(!state.isShown());
}

}  // namespace strata::ui
