#include "ui/window/main_area.h"

#include <QAction>
#include <utility>

#include "ui/connect/exchange.h"
#include "ui/connect/run_commands.h"
#include "ui/connect/services.h"
#include "ui/data/comparison_service.h"
#include "ui/data/drawn_runs.h"
#include "ui/data/saved_state.h"
#include "ui/data/workspace_service.h"
#include "ui/panels/runs_panel.h"
#include "ui/rpc/averages.h"
#include "ui/style/theme.h"
#include "ui/window/inspector.h"
#include "ui/window/panel_list.h"
#include "ui/window/run_rail.h"

namespace strata::ui {
namespace {
constexpr int kNarrowestRail = 120, kWidestRail = 600, kNarrowStage = 900,
              kLowStage = 600;  // pixels
}

class MainArea::Right : public QWidget {
 public:
  Right(QWidget* stage, QWidget* inspector) : stage_(stage), inspector_(inspector) {
    stage_->setParent(this);
    inspector_->setParent(this);
    inspector_->hide();
  }

  // Never so wide that the rail has no room in a window of 1280 pixels.
  QSize minimumSizeHint() const override {
    return stage_->minimumSizeHint().boundedTo(QSize(kNarrowStage, kLowStage));
  }
  bool isOver() const { return window()->width() < kWide; }

  void arrange() {
    const bool beside = inspector_->isVisibleTo(this) && !isOver();
    stage_->setGeometry(0, 0, width() - (beside ? kInspectorWidth : 0), height());
    inspector_->setGeometry(width() - kInspectorWidth, 0, kInspectorWidth, height());
    inspector_->raise();
  }

 protected:
  void resizeEvent(QResizeEvent*) override { arrange(); }

 private:
  QWidget *stage_, *inspector_;
};

MainArea::MainArea(const Services& services, PanelList* panels, QWidget* stage, QWidget* parent)
    : QSplitter(Qt::Horizontal, parent),
      rail_(new RunRail(this)),
      inspector_(new Inspector(this)),
      right_(new Right(stage, inspector_)),
      showRail_(new QAction(themedIcon(QStringLiteral("runs")), tr("List of &runs"), this)),
      showInspector_(
          new QAction(themedIcon(QStringLiteral("info")), tr("&Inspector of the run"), this)) {
  setObjectName(QStringLiteral("mainArea"));
  setHandleWidth(1);
  setChildrenCollapsible(false);
  addWidget(rail_);
  addWidget(right_);
  setStretchFactor(1, 1);
  rail_->setMinimumWidth(kNarrowestRail);
  rail_->setMaximumWidth(kWidestRail);
  setSizes({kRailWidth, 1000});
  makeActions();
  connectRail(services, panels);
  connectInspector(services, panels);
}

void MainArea::makeActions() {
  showRail_->setObjectName(QStringLiteral("showRail"));
  showRail_->setShortcut(QKeySequence(tr("Ctrl+B")));
  showInspector_->setObjectName(QStringLiteral("showInspector"));
  showInspector_->setShortcut(QKeySequence(tr("F4")));
  for (QAction* action : {showRail_, showInspector_}) action->setCheckable(true);
  showRail_->setChecked(true);
  connect(showRail_, &QAction::toggled, rail_, &QWidget::setVisible);
  connect(showInspector_, &QAction::toggled, this, [this](bool visible) {
    inspector_->setVisible(visible);
    right_->arrange();
  });
}

void MainArea::connectRail(const Services& services, PanelList* panels) {
  DrawnRuns* drawn = services.drawn;
  const auto* runs = qobject_cast<RunsPanel*>(panels->panel(QStringLiteral("runs")));
  rail_->setRunActions(runs->actions());
  connect(rail_, &RunRail::menuRequested, runs, &RunsPanel::selectRun);  // also if it is pinned
  connect(services.workspace, &WorkspaceService::runsChanged, rail_, &RunRail::setRuns);
  connect(services.workspace, &WorkspaceService::activityChanged, rail_, &RunRail::setActivity);
  connect(services.workspace, &WorkspaceService::runsChanged, drawn, &DrawnRuns::setRuns);
  connect(services.comparisons, &ComparisonService::listed, rail_, &RunRail::setSystems);
  connect(rail_, &RunRail::chosen, panels, &PanelList::select);
  connect(rail_, &RunRail::drawRequested, this,
          [drawn, panels](const QVector<qint64>& runs, bool draw) {
            QVector<qint64> now = drawn->ids();
            now.removeIf([&](qint64 run) { return runs.contains(run); });
            panels->select({.drawn = draw ? now + runs : now});
          });
  connect(panels, &PanelList::selectionChanged, this, [this, drawn](const Selection& selection) {
    rail_->setSelection(selection);
    if (selection.drawn) drawn->choose(*selection.drawn);
  });
  connect(drawn, &DrawnRuns::changed, rail_, &RunRail::setDrawn);
  connect(showRail_, &QAction::toggled, drawn, &DrawnRuns::setListed);
  connect(drawn, &DrawnRuns::changed, panels,
          [drawn, panels] { panels->amend({.drawn = drawn->ids()}); });
}

void MainArea::connectInspector(const Services& services, PanelList* panels) {
  WorkspaceService* workspace = services.workspace;
  connect(workspace, &WorkspaceService::runsChanged, inspector_, &Inspector::setRuns);
  connect(panels, &PanelList::selectionChanged, inspector_, &Inspector::setSelection);
  connect(inspector_, &Inspector::requested, this, [this, workspace](qint64 run, qint64 other) {
    workspace->read(InspectionOf{run, other}, inspector_,
                    [this](const RunInspection& found) { inspector_->show(found); });
  });
  connect(inspector_, &Inspector::noteWritten, workspace, &WorkspaceService::setNote);
  connect(inspector_, &Inspector::openFolderRequested, services.commands, &RunCommands::openFolder);
  connect(inspector_, &Inspector::forkRequested, services.exchange, &Exchange::copyWanted);
  connect(inspector_, &Inspector::chosen, panels, &PanelList::select);
  const auto* runs = qobject_cast<RunsPanel*>(panels->panel(QStringLiteral("runs")));
  connect(runs, &RunsPanel::differencesRequested, this, [this] {
    showInspector_->setChecked(true);
    inspector_->showDifferences();
  });
  connect(inspector_, &Inspector::closeRequested, showInspector_,
          [this] { showInspector_->setChecked(false); });
  connectCheckpoints(services);
}

// The run's row does not change with its checkpoints: ask again.
void MainArea::connectCheckpoints(const Services& services) {
  WorkspaceService* workspace = services.workspace;
  connect(inspector_, &Inspector::pinRequested, this,
          [this, workspace](qint64 run, qint64 step, bool pinned) {
            workspace->pinCheckpoint(run, step, pinned);
            inspector_->refresh();
          });
  connect(inspector_, &Inspector::removeRequested, this,
          [this, workspace](qint64 run, qint64 step) {
            workspace->removeCheckpoint(run, step);
            inspector_->refresh();
          });
  connect(inspector_, &Inspector::removeAverageRequested, this,
          [this, workspace](qint64, const QString& folder) {
            workspace->removeAverage(folder);
            inspector_->refresh();
          });
  auto* averages = new Averages(workspace->root(), services.jobs, this);
  connect(inspector_, &Inspector::averageRequested, averages, &Averages::add);
  connect(inspector_, &Inspector::averageCommandCopied, this,
          [this](qint64 run, const QVector<qint64>& steps) {
            emit commandCopied(Averages::command(run, steps));
          });
  connect(averages, &Averages::failed, this, &MainArea::failed);
  connect(averages, &Averages::finished, this, [this](qint64, const QString& name) {
    emit notice(
        tr("The checkpoints of %1 are averaged: the model is listed among them.").arg(name));
    inspector_->refresh();
  });
}

bool MainArea::isInspectorOver() const {
  return right_->isOver();
}

Json MainArea::saveState() const {
  return {{"rail_visible", showRail_->isChecked()},
          {"rail_width", rail_->width()},
          {"rail", rail_->saveState()},
          {"inspector_visible", showInspector_->isChecked()},
          {"inspector", inspector_->saveState()}};
}

void MainArea::restoreState(const Json& state) {
  const SavedState saved(state);
  if (const auto width = saved.number("rail_width", kNarrowestRail, kWidestRail))
    setSizes({int(*width), 1000});
  saved.check("rail_visible", showRail_);
  saved.check("inspector_visible", showInspector_);
  rail_->restoreState(state.value("rail", Json::object()));
  inspector_->restoreState(state.value("inspector", Json::object()));
}

}  // namespace strata::ui
