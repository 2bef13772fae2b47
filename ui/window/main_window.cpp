#include "ui/window/main_window.h"

#include <QAction>
#include <QActionGroup>
#include <QClipboard>
#include <QCloseEvent>
#include <QCoreApplication>
#include <QDir>
#include <QGuiApplication>
#include <QIcon>
#include <QLabel>
#include <QMenuBar>
#include <QStatusBar>
#include <QTimer>
#include <QToolBar>
#include <QUndoStack>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/text_limits.h"
#include "ui/connect/exchange.h"
#include "ui/connect/run_commands.h"
#include "ui/connect/services.h"
#include "ui/data/comparison_service.h"
#include "ui/data/drawn_runs.h"
#include "ui/data/job_list.h"
#include "ui/data/plurals.h"
#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/data/workspace_service.h"
#include "ui/rpc/engine_client.h"
#include "ui/rpc/runner.h"
#include "ui/rpc/set_translations.h"
#include "ui/style/plain_text.h"
#include "ui/widgets/building.h"
#include "ui/widgets/command_palette.h"
#include "ui/widgets/messages.h"
#include "ui/window/about_box.h"
#include "ui/window/announcements.h"
#include "ui/window/demo_run.h"
#include "ui/window/help_dock.h"
#include "ui/window/jobs_dock.h"
#include "ui/window/main_area.h"
#include "ui/window/open_workspace.h"
#include "ui/window/palette_entries.h"
#include "ui/window/recent_workspaces.h"
#include "ui/window/selection_bar.h"
#include "ui/window/session_keeper.h"
#include "ui/window/stage.h"
#include "ui/window/view_help.h"
#include "ui/window/view_tabs.h"
#include "ui/window/workspace_page.h"

namespace strata::ui {
namespace {
const QString kFrame = QStringLiteral("frame");  // of the session's panels: what is around them
}

MainWindow::MainWindow(const Options& options)
    : options_(options),
      session_(new SessionKeeper(options.workspace, options.keepSession, this)),
      workspace_(new WorkspaceService(options.workspace, this)),
      jobs_(new JobList(this)),
      translations_(new SetTranslations(options.workspace, jobs_, this)),
      runCommands_(new RunCommands(workspace_, this)),
      drawn_(new DrawnRuns(this)) {
  setObjectName(QStringLiteral("mainWindow"));
  writePlurals();
  showTextsAsWritten();
  setWindowTitle(QDir(options.workspace).dirName());
  setWindowIcon(QIcon(QStringLiteral(":/icons/strata.svg")));
  resize(1280, 800);
  ThemeChoice choice = options.theme;
  if (!options.themeGiven)
    choice = themeChoiceFrom(session_->saved().theme).value_or(options.theme);
  chooseColours(choice);
  makeActions();
  makePanels();
  makeDocks();
  makeMenus();
  makePerspectiveBar();
  makeStatusBar();
  connectWorkspace();
  connectJobs();
  connectDemo();
  connectMessages();
  setTheme(choice);
  restoreSession();
  workspace_->start();
}

QAction* MainWindow::addCommand(const QString& name, const QString& icon, const QString& text,
                                const QKeySequence& keys, const std::function<void()>& run) {
  auto* action = new QAction(text, this);
  if (!icon.isEmpty()) action->setIcon(themedIcon(icon));
  action->setObjectName(name);
  action->setShortcut(keys);
  if (run) connect(action, &QAction::triggered, this, run);
  addAction(action);
  commands_.insert(name, action);
  return action;
}

void MainWindow::makeActions() {
  auto* demo = addCommand(QStringLiteral("runDemo"), QStringLiteral("demo"), tr("Run the &demo"),
                          QKeySequence(tr("Ctrl+D")));
  demo->setToolTip(
      tr("Create a small corpus, train a small model of each paper, translate with them, score "
         "the results and look inside"));
  demo_ = new DemoRun(options_.workspace, demo, jobs_, this);
  auto* fresh = addCommand(QStringLiteral("newRun"), QStringLiteral("launch"), tr("&New run…"),
                           QKeySequence::New, [this] {
                             bringUp(QStringLiteral("launch"));
                             panels_->panel(QStringLiteral("launch"))->setFocus();
                           });
  fresh->setToolTip(tr("Select a preset and a dataset and start training"));
  addCommand(QStringLiteral("openWorkspace"), QStringLiteral("folder"), tr("&Open a workspace…"),
             QKeySequence::Open, [this] { askForWorkspace(this, failing()); });
  addCommand(QStringLiteral("showJobs"), QStringLiteral("monitor"), tr("Show the &jobs"),
             QKeySequence(tr("Ctrl+J")));
  addCommand(QStringLiteral("quit"), {}, tr("&Quit"), QKeySequence::Quit, [this] { close(); });
  addCommand(QStringLiteral("openPalette"), QStringLiteral("search"), tr("&Find anything…"),
             QKeySequence(tr("Ctrl+K")), [this] { palette_->open(paletteEntries()); });
  addCommand(QStringLiteral("about"), QStringLiteral("info"), tr("&About Strata"), {},
             [this] { showAboutBox(this); });
}

void MainWindow::makePanels() {
  const QStringList serve{QStringLiteral("--workspace"), options_.workspace,
                          QStringLiteral("serve")};
  const Services services{
      .workspace = workspace_,
      .comparisons = new ComparisonService(options_.workspace, this),
      .jobs = jobs_,
      .translations = translations_,
      .engine = new EngineClient({runnerPath(), serve}, this),
      .commands = runCommands_,
      .exchange = new Exchange(this),
      .drawn = drawn_,
      .runDemo = commands_[QStringLiteral("runDemo")],
      .newRun = commands_[QStringLiteral("newRun")],
  };
  panels_ = new PanelList(strata::ui::makePanels(services, this), this);
  stage_ = new Stage(panels_, this);
  page_ = new WorkspacePage(stage_, {commands_[QStringLiteral("openWorkspace")]}, this);
  area_ = new MainArea(services, panels_, page_, this);
  setCentralWidget(area_);
  addActions(stage_->actions());
  addActions({area_->railAction(), area_->inspectorAction()});
  selectionBar_ = new SelectionBar(panels_->backAction(), panels_->forwardAction(), this);
  addActions({panels_->backAction(), panels_->forwardAction()});
  connect(panels_, &PanelList::selectionChanged, selectionBar_, &SelectionBar::setSelection);
  connect(selectionBar_, &SelectionBar::chosen, panels_, &PanelList::select);
  connect(selectionBar_, &SelectionBar::amended, panels_, &PanelList::amend);
  connect(services.comparisons, &ComparisonService::listed, selectionBar_,
          &SelectionBar::setSystems);
  selectionBar_->setChoices([this] { return panels_->choices(); });
  const auto setPerspective = [this] { selectionBar_->setPerspective(stage_->current()); };
  connect(stage_, &Stage::currentChanged, selectionBar_, setPerspective);
  setPerspective();
  messages_ = new Messages(this);
  announcements_ = new Announcements(messages_, this);
  palette_ = new CommandPalette(this);
}

void MainWindow::makeStatusBar() {
  place_ = new QLabel(options_.workspace, this);
  place_->setObjectName(QStringLiteral("workspacePlace"));
  statusBar()->addWidget(place_);
  statusBar()->addPermanentWidget(jobsDock_->summary());
  statusBar()->addPermanentWidget(messages_->bell());
  statusBar()->setSizeGripEnabled(false);
}

void MainWindow::makeMenus() {
  // The menu bar with the selection below it.
  auto* head = new QWidget(this);
  auto* layout = makeLayout<QVBoxLayout>(head);
  menu_ = new QMenuBar(head);
  layout->addWidget(menu_);
  layout->addWidget(selectionBar_);
  setMenuWidget(head);
  QMenu* file = menu_->addMenu(tr("&File"));
  for (const char* name : {"newRun", "runDemo", "openWorkspace"})
    file->addAction(commands_[QLatin1String(name)]);
  auto* recent = new RecentWorkspaces(options_.recentFile, options_.workspace, this);
  connect(recent, &RecentWorkspaces::chosen, this,
          [this](const QString& folder) { openWorkspace(folder, failing()); });
  file->addMenu(recent);
  file->addSeparator();
  file->addAction(commands_[QStringLiteral("quit")]);
  makeEditMenu();
  for (const Panel* panel : panels_->all()) {
    const QString title = panel->info().menu;
    if (!title.isEmpty()) menu_->addMenu(title)->addActions(panel->actions());
  }
  makeViewMenu();
  makeHelpMenu();
}

void MainWindow::makeDocks() {
  jobsDock_ = new JobsDock(jobs_, commands_[QStringLiteral("showJobs")], this);
  addDockWidget(Qt::BottomDockWidgetArea, jobsDock_);
  help_ = new HelpDock(this);
  addDockWidget(Qt::RightDockWidgetArea, help_);
}

void MainWindow::makeHelpMenu() {
  QMenu* help = menu_->addMenu(tr("&Help"));
  help->addAction(addCommand(QStringLiteral("help"), QStringLiteral("help"),
                             tr("&Help for this perspective"), QKeySequence::HelpContents,
                             [this] { help_->showPage(stage_->current()); }));
  help->addAction(addCommand(QStringLiteral("explainView"), QStringLiteral("info"),
                             tr("&What am I looking at?"), explainKeys(),
                             [this] { ViewHelp::toggle(stage_->focused()); }));
  help->addSeparator();
  for (const HelpPage& page : helpPages()) {
    help->addAction(addCommand(QStringLiteral("help:") + page.name, {}, page.title, {},
                               [this, name = page.name] { help_->showPage(name); }));
  }
  help->addSeparator();
  help->addAction(
      addCommand(QStringLiteral("shortcuts"), {}, tr("&Keyboard shortcuts"), {}, [this] {
        help_->showShortcuts(allActions() + stage_->actions() +
                             QList<QAction*>{panels_->backAction(), panels_->forwardAction()});
      }));
  help->addAction(commands_[QStringLiteral("about")]);
}

void MainWindow::makeEditMenu() {
  const QUndoStack* stack = runCommands_->undoStack();
  QMenu* edit = menu_->addMenu(tr("&Edit"));
  QAction* undo = stack->createUndoAction(this, tr("&Undo"));
  QAction* redo = stack->createRedoAction(this, tr("&Redo"));
  undo->setObjectName(QStringLiteral("undo"));
  redo->setObjectName(QStringLiteral("redo"));
  undo->setIcon(themedIcon(QStringLiteral("undo")));
  undo->setShortcut(QKeySequence::Undo);
  redo->setShortcut(QKeySequence::Redo);
  edit->addAction(undo);
  edit->addAction(redo);
  edit->addSeparator();
  edit->addActions({panels_->backAction(), panels_->forwardAction()});
  edit->addSeparator();
  edit->addAction(commands_[QStringLiteral("openPalette")]);
}

void MainWindow::makeViewMenu() {
  QMenu* view = menu_->addMenu(tr("&View"));
  view->addActions(stage_->actions());
  view->addAction(commands_[QStringLiteral("showJobs")]);
  QAction* fill =
      addCommand(QStringLiteral("fillPage"), QStringLiteral("fit"),
                 tr("Let the view fill the page"), QKeySequence(tr("Ctrl+Shift+M")), [this] {
                   Panel* panel = stage_->focused();
                   stage_->setFills(panel, !stage_->fills(panel));
                 });
  QAction* own =
      addCommand(QStringLiteral("viewInWindow"), QStringLiteral("window"),
                 tr("Open the view in a window"), QKeySequence(tr("Ctrl+Shift+W")), [this] {
                   Panel* panel = stage_->focused();
                   stage_->setInWindow(panel, !stage_->isInWindow(panel));
                 });
  QAction* reset = addCommand(QStringLiteral("resetLayout"), QStringLiteral("refresh"),
                              tr("Reset this layout"), {}, [this] { stage_->reset(); });
  view->addActions({fill, own, reset});
  view->addSeparator();
  view->addActions({area_->railAction(), area_->inspectorAction()});
  view->addSeparator();
  for (Panel* panel : panels_->all()) {
    view->addAction(addCommand(QStringLiteral("show:") + panel->name(), panel->info().icon,
                               tr("Show %1").arg(panel->info().title), {},
                               [this, panel] { stage_->bringUp(panel); }));
  }
  view->addSeparator();
  makeThemeActions(view);
}

void MainWindow::makeThemeActions(QMenu* view) {
  auto* themes = new QActionGroup(this);
  for (const auto& [choice, text] : {std::pair{ThemeChoice::kSystem, tr("System theme")},
                                     {ThemeChoice::kLight, tr("Light theme")},
                                     {ThemeChoice::kDark, tr("Dark theme")}}) {
    QAction* action = addCommand(QStringLiteral("theme:") + nameOf(choice), QStringLiteral("theme"),
                                 text, {}, [this, choice = choice] { setTheme(choice); });
    action->setCheckable(true);
    themes->addAction(action);
    view->addAction(action);
  }
}

void MainWindow::makePerspectiveBar() {
  auto* bar = new QToolBar(tr("Perspectives"), this);
  bar->setObjectName(QStringLiteral("perspectiveBar"));
  bar->setMovable(false);
  bar->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
  bar->setIconSize(QSize(22, 22));
  bar->addActions(stage_->actions());
  bar->toggleViewAction()->setVisible(false);
  addToolBar(Qt::LeftToolBarArea, bar);
}

void MainWindow::connectWorkspace() {
  connect(workspace_, &WorkspaceService::opened, this, [this] {
    opened_ = true;
    // Continues jobs that were queued when the computer or the worker went down.
    const bool works = options_.keepSession && page_->state().kind == WorkspaceState::Kind::kOpen;
    if (works && std::ranges::count(rows_, RunStatus::kQueued, &RunRow::status) > 0) startWorker();
  });
  connect(workspace_, &WorkspaceService::runsChanged, runCommands_, &RunCommands::setRuns);
  connect(workspace_, &WorkspaceService::runsChanged, selectionBar_, &SelectionBar::setRuns);
  connect(workspace_, &WorkspaceService::datasetsChanged, selectionBar_,
          &SelectionBar::setDatasets);
  connect(workspace_, &WorkspaceService::runsChanged, this, &MainWindow::receiveRuns);
  connect(workspace_, &WorkspaceService::failed, announcements_, &Announcements::error);
  connect(workspace_, &WorkspaceService::acknowledged, announcements_, &Announcements::good);
  connect(workspace_, &WorkspaceService::queued, this, [this](qint64, const QString& name) {
    announcements_->good(tr("%1 is queued.").arg(name));
    startWorker();
  });
}

void MainWindow::connectJobs() {
  connect(workspace_, &WorkspaceService::activityChanged, jobs_, &JobList::setActivity);
  connect(jobs_, &JobList::stopRequested, workspace_,
          [this](qint64 run) { workspace_->command({run}, RunCommand::kStop); });
  connect(jobsDock_, &JobsDock::runChosen, this,
          [this](qint64 run) { panels_->select({.run = run}); });
  connect(workspace_, &WorkspaceService::stateChanged, this, &MainWindow::receiveState);
}

void MainWindow::receiveState(const WorkspaceState& state) {
  page_->setState(state);
  const bool readOnly = state.kind == WorkspaceState::Kind::kReadOnly;
  place_->setText(readOnly ? tr("%1 (read-only)").arg(options_.workspace) : options_.workspace);
  place_->setToolTip(state.message);
  if (readOnly) messages_->show(Message::Severity::kWarning, state.message);
}

void MainWindow::connectDemo() {
  connect(workspace_, &WorkspaceService::runsChanged, demo_, &DemoRun::setRuns);
  connect(demo_, &DemoRun::started, this, [this] { showPerspective(QStringLiteral("watch")); });
  announcements_->follow(demo_);
  demo_->resume();
}

// What panels, commands and translations have to say and ask for.
void MainWindow::connectMessages() {
  for (const Panel* panel : panels_->all()) {
    connect(panel, &Panel::showRequested, this, &MainWindow::showPerspective);
    connect(panel, &Panel::failed, announcements_, &Announcements::error);
    connect(panel, &Panel::notice, announcements_, &Announcements::good);
    connect(panel, &Panel::commandCopied, this, &MainWindow::copyCommand);
    connect(panel, &Panel::foundChanged, this, [this] {
      if (palette_->isVisible()) palette_->setEntries(paletteEntries());
    });
  }
  connect(area_, &MainArea::failed, announcements_, &Announcements::error);
  connect(area_, &MainArea::notice, announcements_, &Announcements::good);
  connect(area_, &MainArea::commandCopied, this, &MainWindow::copyCommand);
  connect(session_, &SessionKeeper::failed, announcements_, &Announcements::error);
  connect(runCommands_, &RunCommands::trashed, this, [this](int runs) {
    messages_->show({.severity = Message::Severity::kGood,
                     .text = tr("%n run(s) moved to the trash.", nullptr, runs),
                     .button = tr("Undo"),
                     .context = this,
                     .action = [this] { runCommands_->undoStack()->undo(); }});
  });
  announcements_->follow(translations_);
  connect(announcements_, &Announcements::resumeRequested, workspace_,
          [this](qint64 run) { workspace_->command({run}, RunCommand::kResume); });
  connect(workspace_, &WorkspaceService::configEdited, announcements_,
          &Announcements::configEdited);
  connect(announcements_, &Announcements::resumeEditedRequested, workspace_,
          [this](qint64 run) { workspace_->command({run}, RunCommand::kResumeEdited); });
  translations_->resume();
}

qint64 MainWindow::demoProcess() const {
  return demo_->process();
}

QString MainWindow::perspective() const {
  return stage_->current();
}

void MainWindow::showPerspective(const QString& name) {
  const auto perspectives = stage_->actions();
  const bool isPerspective = std::ranges::any_of(
      perspectives, [&](const QAction* action) { return action->data().toString() == name; });
  if (!isPerspective && panels_->panel(name)) return bringUp(name);
  stage_->show(name);
}

void MainWindow::bringUp(const QString& panel) {
  stage_->bringUp(panels_->panel(panel));
}

void MainWindow::restoreSession() {
  const Session& saved = session_->saved();
  session_->countStart();
  if (session_->restore() == SessionKeeper::Restore::kAll) {
    if (!saved.geometry.isEmpty()) restoreGeometry(saved.geometry);
    stage_->restore(saved.layouts);
  } else {
    explainDefaultLayout();
  }
  panels_->restoreStates(saved.panels);
  const auto frame = tryParseJson(saved.panels.value(kFrame).toStdString());
  if (frame && frame->is_object()) {
    area_->restoreState(frame->value("area", Json::object()));
    drawn_->restoreState(frame->value("drawn", Json::object()));
    panels_->pin(SavedState(*frame).texts("pinned").value_or(QStringList()));
    restoredRun_ = SavedState(*frame).number("run").value_or(0);
    restoredOther_ = SavedState(*frame).number("other").value_or(0);
  }
  showPerspective(saved.perspective);
}

void MainWindow::explainDefaultLayout() {
  if (session_->restore() == SessionKeeper::Restore::kNotAfterRestoring) {
    messages_->show(Message::Severity::kInfo,
                    tr("Strata closed unexpectedly while restoring its layout, so it starts with "
                       "the default layout."));
    return;
  }
  messages_->show({.severity = Message::Severity::kWarning,
                   .text = tr("Strata did not close properly the last %1 times, so it starts with "
                              "the default layout.")
                               .arg(session_->saved().unclean),
                   .button = tr("Restore my layout"),
                   .context = this,
                   .action = [this] { stage_->restore(session_->saved().layouts); }});
}

void MainWindow::closeEvent(QCloseEvent* event) {
  Session session;
  session.layouts = stage_->layouts();
  session.perspective = stage_->current();
  session.geometry = saveGeometry();
  session.panels = panels_->saveStates();
  const Selection& selection = panels_->selection();
  const Json frame{{"area", area_->saveState()},
                   {"drawn", drawn_->saveState()},
                   {"pinned", jsonOf(panels_->pinned())},
                   {"run", selection.run.value_or(restoredRun_)},
                   {"other", selection.other.value_or(0)}};
  session.panels.insert(kFrame, QByteArray::fromStdString(frame.dump()));
  session.theme = nameOf(theme_);
  session_->save(session);
  QMainWindow::closeEvent(event);
}

void MainWindow::setTheme(ThemeChoice choice) {
  applyTheme(choice);
  theme_ = choice;
  commands_[QStringLiteral("theme:") + nameOf(choice)]->setChecked(true);
}

void MainWindow::receiveRuns(const QVector<RunRow>& rows) {
  announcements_->setRuns(rows);
  rows_ = rows;
  if (!panels_->selection().run && !panels_->selection().system) chooseFirstRun();
}

// The current run of the last session; without one, the newest that has data.
void MainWindow::chooseFirstRun() {
  const QVector<RunRow> runs = newestFirst(rows_);
  const RunRow* run = findRun(runs, restoredRun_);
  const auto newest = std::ranges::find_if(runs, [](const RunRow& row) { return !row.waits(); });
  if (!run && newest != runs.end()) run = &*newest;
  if (!run) return;
  Selection choice{.run = run->id};
  if (findRun(runs, restoredOther_)) choice.other = restoredOther_;
  panels_->amend(choice);
}

void MainWindow::startWorker() {
  try {
    ensureWorker(options_.workspace);
  } catch (const std::exception& error) {
    announcements_->error(QString::fromUtf8(error.what()));
  }
}

std::function<void(const QString&)> MainWindow::failing() {
  return [this](const QString& message) { announcements_->error(message); };
}

QList<QAction*> MainWindow::allActions() const {
  QList<QAction*> actions = findChildren<QAction*>(Qt::FindDirectChildrenOnly);
  for (const Panel* panel : panels_->all()) actions += panel->actions();
  return actions;
}

QList<PaletteEntry> MainWindow::paletteEntries() {
  return strata::ui::paletteEntries(allActions(), rows_, panels_);
}

void MainWindow::copyCommand(const QStringList& arguments) {
  QGuiApplication::clipboard()->setText(commandLine(options_.workspace, arguments));
  announcements_->good(tr("The command line is in the clipboard."));
}

}  // namespace strata::ui
