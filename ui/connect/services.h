#pragma once
#include <QVector>

#include "ui/data/values.h"

class QAction;
class QWidget;

namespace strata::ui {
class ComparisonService;
class EngineClient;
class Exchange;
class LaunchPanel;
class Panel;
class RunCommands;
class SetTranslations;
class TranslatePanel;
class WorkspaceService;

// What a window's panels are connected with.
struct Services {
  WorkspaceService* workspace;
  ComparisonService* comparisons;
  SetTranslations* translations;
  EngineClient* engine;
  RunCommands* commands;
  Exchange* exchange;
  QAction *runDemo, *newRun;
};

// The panels of a window, connected with its services, in the order of its View menu.
QVector<Panel*> makePanels(const Services& services, QWidget* parent);

// Lets the engine answer a panel's requests.
void connectEngine(LaunchPanel* panel, EngineClient* engine);
void connectEngine(TranslatePanel* panel, EngineClient* engine);

// The runs outside the trash that `wanted` accepts, newest first, of runs that are oldest first.
template <typename Wanted>
QVector<RunRow> newestFirst(const QVector<RunRow>& runs, Wanted wanted) {
  QVector<RunRow> found;
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    if (!run->trashed && wanted(*run)) found << *run;
  }
  return found;
}

}  // namespace strata::ui
