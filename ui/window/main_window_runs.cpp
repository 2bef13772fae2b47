// Connects the workspace with the panels: passes values to them and carries out their commands.
#include <QAction>
#include <QCoreApplication>
#include <QDesktopServices>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QMessageBox>
#include <QProcess>
#include <QUndoStack>
#include <QUrl>
#include <algorithm>

#include "ui/data/gradient_flow.h"
#include "ui/data/text.h"
#include "ui/data/workspace_service.h"
#include "ui/panels/compare_panel.h"
#include "ui/panels/curves_panel.h"
#include "ui/panels/gradient_flow_panel.h"
#include "ui/panels/hop_weights_panel.h"
#include "ui/panels/launch_panel.h"
#include "ui/panels/log_panel.h"
#include "ui/panels/runs_panel.h"
#include "ui/panels/target_attention_panel.h"
#include "ui/panels/translate_panel.h"
#include "ui/rpc/engine_client.h"
#include "ui/rpc/runner.h"
#include "ui/rpc/set_translations.h"
#include "ui/widgets/command_palette.h"
#include "ui/widgets/message_bar.h"
#include "ui/window/main_window.h"
#include "ui/window/undo.h"

namespace strata::ui {
namespace {
constexpr int kDemoPollMs = 1000;

QString lastLine(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return {};
  const QList<QByteArray> lines = file.readAll().trimmed().split('\n');
  return QString::fromUtf8(lines.last()).trimmed();
}
}  // namespace

void MainWindow::connectWorkspace() {
  connect(workspace_, &WorkspaceService::opened, this, [this] {
    opened_ = true;
    compare_->refresh();
    // Continues jobs that were queued when the computer or the worker went down.
    const bool waiting = std::any_of(
        rows_.begin(), rows_.end(), [](const RunRow& r) { return r.status == RunStatus::kQueued; });
    if (waiting) startWorker();
  });
  connect(workspace_, &WorkspaceService::runsChanged, this, &MainWindow::receiveRuns);
  connect(workspace_, &WorkspaceService::datasetsChanged, launch_, &LaunchPanel::setDatasets);
  connect(workspace_, &WorkspaceService::seriesNamesChanged, curves_, &CurvesPanel::setSeriesNames);
  connect(workspace_, &WorkspaceService::pointsArrived, curves_, &CurvesPanel::addPoints);
  connect(workspace_, &WorkspaceService::recordingsLoaded, hopWeights_,
          &HopWeightsPanel::setRecordings);
  connect(workspace_, &WorkspaceService::recordingsLoaded, targetAttention_,
          &TargetAttentionPanel::setRecordings);
  connect(workspace_, &WorkspaceService::meansChanged, hopWeights_, &HopWeightsPanel::setMeans);
  connect(workspace_, &WorkspaceService::logArrived, log_, &LogPanel::addLines);
  connect(workspace_, &WorkspaceService::failed, this, &MainWindow::showError);
  connect(workspace_, &WorkspaceService::acknowledged, this, [this](const QString& message) {
    messages_->show(MessageBar::Severity::kGood, message);
  });
  connect(workspace_, &WorkspaceService::queued, this, [this](qint64, const QString& name) {
    messages_->show(MessageBar::Severity::kGood, tr("%1 is queued.").arg(name));
    startWorker();
  });
}

void MainWindow::connectPanels() {
  connect(curves_, &CurvesPanel::watchChanged, workspace_, &WorkspaceService::watchSeries);
  connect(curves_, &CurvesPanel::failed, this, &MainWindow::showError);
  connect(gradientFlow_, &GradientFlowPanel::seriesRequested, this,
          [this](qint64 run) { workspace_->loadSeries(run, kGradientPrefix); });
  connect(workspace_, &WorkspaceService::seriesLoaded, gradientFlow_,
          [this](qint64 run, const QString& prefix, const QVector<SeriesPoints>& series) {
            if (prefix == kGradientPrefix) gradientFlow_->setSeries(run, series);
          });
  connect(gradientFlow_, &GradientFlowPanel::failed, this, &MainWindow::showError);
  connect(hopWeights_, &HopWeightsPanel::runChosen, workspace_, &WorkspaceService::watchMeans);
  connect(hopWeights_, &HopWeightsPanel::recordingsRequested, workspace_,
          &WorkspaceService::loadRecordings);
  connect(hopWeights_, &HopWeightsPanel::failed, this, &MainWindow::showError);
  connect(targetAttention_, &TargetAttentionPanel::recordingsRequested, workspace_,
          &WorkspaceService::loadRecordings);
  connect(targetAttention_, &TargetAttentionPanel::failed, this, &MainWindow::showError);
  connect(translate_, &TranslatePanel::translated, targetAttention_,
          &TargetAttentionPanel::setHypotheses);
  connect(translate_, &TranslatePanel::failed, this, &MainWindow::showError);
  connect(translate_, &TranslatePanel::examplesRequested, workspace_,
          &WorkspaceService::loadExamples);
  connect(workspace_, &WorkspaceService::examplesLoaded, translate_, &TranslatePanel::setExamples);
  connect(log_, &LogPanel::runChosen, workspace_, &WorkspaceService::watchLog);
  connect(launch_, &LaunchPanel::failed, this, &MainWindow::showError);
  connect(launch_, &LaunchPanel::startRequested, this, &MainWindow::startRun);
  demoTimer_.setInterval(kDemoPollMs);
  connect(&demoTimer_, &QTimer::timeout, this, &MainWindow::watchDemo);
}

void MainWindow::connectRunCommands() {
  using Command = WorkspaceService::RunCommand;
  const auto send = [this](Command command) {
    return [this, command](const QVector<qint64>& runs) { workspace_->command(runs, command); };
  };
  connect(runs_, &RunsPanel::stopRequested, this, send(Command::kStop));
  connect(runs_, &RunsPanel::pauseRequested, this, send(Command::kPause));
  connect(runs_, &RunsPanel::resumeRequested, this, send(Command::kResume));
  connect(runs_, &RunsPanel::renameRequested, this, &MainWindow::renameRun);
  connect(runs_, &RunsPanel::tagRequested, this, &MainWindow::tagRuns);
  connect(runs_, &RunsPanel::trashRequested, this, &MainWindow::trashRuns);
  connect(runs_, &RunsPanel::openFolderRequested, this,
          [](const QString& folder) { QDesktopServices::openUrl(QUrl::fromLocalFile(folder)); });
  connect(runs_, &RunsPanel::runActivated, this, [this](qint64 run) {
    showPerspective(QStringLiteral("watch"));
    curves_->showRuns({run});
    gradientFlow_->showRun(run);
    log_->showRun(run);
    hopWeights_->showRun(run);
    targetAttention_->showRun(run);
    translate_->showRun(run);
  });
}

void MainWindow::connectComparison() {
  connect(compare_, &ComparePanel::failed, this, &MainWindow::showError);
  connect(compare_, &ComparePanel::notice, this, [this](const QString& message) {
    messages_->show(MessageBar::Severity::kGood, message);
  });
  connect(compare_, &ComparePanel::translationRequested, translations_, &SetTranslations::add);
  connect(translations_, &SetTranslations::started, this,
          [this](const QString& name, const QString& set) {
            messages_->show(MessageBar::Severity::kInfo,
                            tr("%1 is translating %2.").arg(name, set));
          });
  connect(translations_, &SetTranslations::finished, this,
          [this](const QString& name, const QString& set) {
            messages_->show(MessageBar::Severity::kGood,
                            tr("%1 has translated %2.").arg(name, set));
            compare_->refresh();
          });
  connect(translations_, &SetTranslations::failed, this, &MainWindow::showError);
  // The model translates the sentence again and records its attention.
  connect(compare_, &ComparePanel::attentionRequested, this,
          [this](qint64 run, const QString& source) {
            showPerspective(QStringLiteral("inside"));
            translate_->showRun(run);
            targetAttention_->showRun(run);
            translate_->setText(source);
            translate_->translate();
          });
}

const RunRow* MainWindow::row(qint64 id) const {
  const auto found =
      std::find_if(rows_.begin(), rows_.end(), [id](const RunRow& r) { return r.id == id; });
  return found == rows_.end() ? nullptr : &*found;
}

void MainWindow::receiveRuns(const QVector<RunRow>& rows) {
  for (const RunRow& now : rows) {
    if (const RunRow* before = row(now.id)) announce(*before, now);
  }
  rows_ = rows;
  QVector<RunRow> fused, remembering, translating;  // newest first
  for (auto it = rows.rbegin(); it != rows.rend(); ++it) {
    if (it->trashed) continue;
    if (!it->fusionSteps.isEmpty()) fused << *it;
    if (!it->historySteps.isEmpty()) remembering << *it;
    if (it->hasCheckpoint) translating << *it;
  }
  runs_->setRuns(rows);
  curves_->setRuns(rows);
  gradientFlow_->setRuns(rows);
  log_->setRuns(rows);
  if (opened_) compare_->refresh();
  hopWeights_->setRuns(fused);
  targetAttention_->setRuns(remembering);
  translate_->setRuns(translating);
  compare_->setRuns(translating);
  const auto running = std::count_if(
      rows.begin(), rows.end(), [](const RunRow& r) { return r.status == RunStatus::kRunning; });
  const auto waiting = std::count_if(
      rows.begin(), rows.end(), [](const RunRow& r) { return r.status == RunStatus::kQueued; });
  active_->setText(running + waiting == 0 ? tr("nothing is running")
                                          : tr("%1 running, %2 queued").arg(running).arg(waiting));
}

// Reports runs that ended while the window was open.
void MainWindow::announce(const RunRow& before, const RunRow& now) {
  if (!before.isActive() || now.isActive()) return;
  const QString detail = now.message.isEmpty() ? QString() : QStringLiteral(" ") + now.message;
  if (now.status == RunStatus::kFinished) {
    messages_->show(MessageBar::Severity::kGood,
                    tr("%1 has finished at step %2.").arg(now.name, countText(now.step)));
  } else if (now.status == RunStatus::kFailed) {
    messages_->show(MessageBar::Severity::kError,
                    tr("%1 failed at step %2.%3").arg(now.name, countText(now.step), detail));
  } else if (now.status == RunStatus::kInterrupted) {
    messages_->show(MessageBar::Severity::kWarning,
                    tr("%1 was interrupted at step %2: its process no longer exists.%3")
                        .arg(now.name, countText(now.step), detail),
                    tr("Resume it"), this, [this, id = now.id] {
                      workspace_->command({id}, WorkspaceService::RunCommand::kResume);
                    });
  }
}

void MainWindow::startRun(const LaunchRequest& request) {
  Json config = request.config;
  config["data"]["dataset"] = toStd(request.dataset);
  workspace_->startRun(request.name, request.preset, config);
  showPerspective(QStringLiteral("watch"));
}

void MainWindow::startWorker() {
  try {
    ensureWorker(options_.workspace);
  } catch (const std::exception& error) {
    showError(QString::fromUtf8(error.what()));
  }
}

void MainWindow::runDemo() {
  if (demo_ != 0) return;
  try {
    demo_ = startDetached(options_.workspace, {QStringLiteral("demo")}, QStringLiteral("demo.log"));
  } catch (const std::exception& error) {
    showError(QString::fromUtf8(error.what()));
    return;
  }
  runsBeforeDemo_ = int(rows_.size());
  commands_[QStringLiteral("runDemo")]->setEnabled(false);
  demoTimer_.start();
  messages_->show(MessageBar::Severity::kInfo,
                  tr("The demo is writing its corpus; its run appears in a few seconds."));
  showPerspective(QStringLiteral("watch"));
}

void MainWindow::watchDemo() {
  const bool appeared = int(rows_.size()) > runsBeforeDemo_;
  if (appeared && messages_->severity() == MessageBar::Severity::kInfo) messages_->dismiss();
  if (isAlive(demo_)) return;
  demo_ = 0;
  demoTimer_.stop();
  commands_[QStringLiteral("runDemo")]->setEnabled(true);
  if (appeared) return;
  const QString log = options_.workspace + QStringLiteral("/ui/demo.log");
  showError(tr("The demo ended without a run: %1 (complete log: %2)").arg(lastLine(log), log));
}

void MainWindow::renameRun(qint64 run, const QString& name) {
  const RunRow* now = row(run);
  if (!now || now->name == name) return;
  undo_->push(new SetValueCommand<QString>(
      tr("Rename %1").arg(now->name), now->name, name,
      [this, run](const QString& value) { workspace_->rename(run, value); }));
}

void MainWindow::tagRuns(const QVector<qint64>& runs, const QString& tag) {
  undo_->beginMacro(tr("Tag with %1").arg(tag));
  for (const qint64 run : runs) {
    const RunRow* now = row(run);
    if (!now) continue;
    QStringList tags = now->tags;
    if (!tags.removeOne(tag)) tags << tag;
    undo_->push(new SetValueCommand<QStringList>(
        {}, now->tags, tags,
        [this, run](const QStringList& value) { workspace_->setTags(run, value); }));
  }
  undo_->endMacro();
}

void MainWindow::trashRuns(const QVector<qint64>& runs, bool trashed) {
  undo_->beginMacro(trashed ? tr("Move to the trash") : tr("Restore from the trash"));
  for (const qint64 run : runs) {
    undo_->push(new SetValueCommand<bool>({}, !trashed, trashed, [this, run](const bool& value) {
      workspace_->setTrashed(run, value);
    }));
  }
  undo_->endMacro();
  if (trashed) {
    messages_->show(MessageBar::Severity::kGood,
                    tr("%n run(s) moved to the trash.", nullptr, int(runs.size())), tr("Undo"),
                    this, [this] { undo_->undo(); });
  }
}

void MainWindow::openWorkspace() {
  auto* dialog =
      new QFileDialog(this, tr("Open a workspace (an empty folder becomes a new workspace)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::Directory);
  dialog->setOption(QFileDialog::ShowDirsOnly);
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& folder) {
    // In a new window: each workspace has its own session, reader and engine.
    if (!QProcess::startDetached(QCoreApplication::applicationFilePath(),
                                 {QStringLiteral("--workspace"), folder})) {
      showError(
          tr("%1 cannot be started for %2.").arg(QCoreApplication::applicationFilePath(), folder));
    }
  });
  dialog->open();
}

void MainWindow::openPalette() {
  palette_->open(findChildren<QAction*>(Qt::FindDirectChildrenOnly) + runs_->actions() +
                 curves_->actions() + gradientFlow_->actions() + hopWeights_->actions() +
                 targetAttention_->actions() + compare_->actions());
}

void MainWindow::showError(const QString& message) {
  messages_->show(MessageBar::Severity::kError, message);
}

void MainWindow::showAbout() {
  auto* box = new QMessageBox(QMessageBox::NoIcon, tr("About Strata"),
                              tr("<b>Strata %1</b><p>A workbench for research on deep neural "
                                 "machine translation: train, watch, look "
                                 "inside, compare and repeat.</p><p>Free software under the GNU "
                                 "General Public License, version 3 or "
                                 "later. It is built on libtorch, Qt, QCustomPlot and SQLite.</p>")
                                  .arg(QCoreApplication::applicationVersion()),
                              QMessageBox::Close, this);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setIconPixmap(QIcon(QStringLiteral(":/icons/strata.svg")).pixmap(64, 64));
  box->open();
}

}  // namespace strata::ui
