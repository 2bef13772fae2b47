#pragma once
#include <QVector>

#include "ui/data/values.h"

class QAction;
class QWidget;

namespace strata::ui {
class ComparisonService;
class DrawnRuns;
class EngineClient;
class Exchange;
class JobList;
class LaunchPanel;
class Panel;
class RecordingsPanel;
class RunCommands;
class SetTranslations;
class TranslatePanel;
class WorkspaceService;

// What a window's panels are connected with.
struct Services {
  WorkspaceService* workspace;
  ComparisonService* comparisons;
  JobList* jobs;
  SetTranslations* translations;
  EngineClient* engine;
  RunCommands* commands;
  Exchange* exchange;
  DrawnRuns* drawn;
  QAction *runDemo, *newRun;
};

// The panels of a window, connected with its services, in the order of its View menu.
QVector<Panel*> makePanels(const Services& services, QWidget* parent);

// Lets the engine answer a panel's requests.
void connectEngine(LaunchPanel* panel, EngineClient* engine);
void connectEngine(TranslatePanel* panel, EngineClient* engine);

// Lets the workspace answer the panel's requests for recordings.
void connectRecordings(RecordingsPanel* panel, WorkspaceService* workspace);

// Trains what is in the queue, if nobody does; the panel tells why it cannot.
void startWorker(Panel* panel, const QString& workspace);

// The runs that can translate, newest first.
QVector<RunRow> translatingRuns(const QVector<RunRow>& runs);

}  // namespace strata::ui
