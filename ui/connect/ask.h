#pragma once
#include <functional>
#include <utility>

#include "ui/data/workspace_service.h"

namespace strata::ui {

// Asks the workspace a query for a panel; why it has no answer is the panel's error. `asker`: of
// whom only the newest query of the type counts, if it is not the panel itself.
template <typename Panel, typename Query, typename Show>
void ask(WorkspaceService* workspace, Panel* panel, const Query& query, Show show,
         QObject* asker = nullptr) {
  workspace->read(
      query, asker ? asker : panel,
      [panel, show](const typename Query::Answer& answer) { std::invoke(show, panel, answer); },
      [panel](const QString& error) {
        if (!error.isEmpty()) emit panel->failed(error);
      });
}

// Asks for what a run has whenever it is chosen; 0: none.
template <typename Query, typename Panel, typename Chosen, typename Show>
void askOnChoice(WorkspaceService* workspace, Panel* panel, Chosen chosen, Show show) {
  QObject::connect(panel, chosen, panel, [=](qint64 run) {
    if (run > 0)
      ask(workspace, panel, Query{run}, show);
    else
      workspace->forget<Query>(panel);
  });
}

}  // namespace strata::ui
