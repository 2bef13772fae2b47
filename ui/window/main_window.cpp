#include "ui/window/main_window.h"

#include <QAction>
#include <QActionGroup>
#include <QCloseEvent>
#include <QDockWidget>
#include <QIcon>
#include <QLabel>
#include <QMenuBar>
#include <QStatusBar>
#include <QToolBar>
#include <QUndoStack>
#include <QVBoxLayout>

#include "ui/data/comparison_service.h"
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

namespace strata::ui {
namespace {
constexpr int kUncleanStarts = 2;  // after this many the saved layout is only restored on request
const QString kLaunch = QStringLiteral("launch"), kWatch = QStringLiteral("watch"),
              kInside = QStringLiteral("inside"), kCompare = QStringLiteral("compare");
}  // namespace

MainWindow::MainWindow(const Options& options)
    : options_(options),
      workspace_(new WorkspaceService(options.workspace, this)),
      comparisons_(new ComparisonService(options.workspace, this)),
      translations_(new SetTranslations(options.workspace, this)),
      engine_(new EngineClient(
          {runnerPath(),
           {QStringLiteral("--workspace"), options.workspace, QStringLiteral("serve")}},
          this)),
      undo_(new QUndoStack(this)) {
  setObjectName(QStringLiteral("mainWindow"));
  setWindowTitle(tr("Strata — %1").arg(options.workspace));
  setWindowIcon(QIcon(QStringLiteral(":/icons/strata.svg")));
  setDockNestingEnabled(true);
  setDockOptions(AnimatedDocks | AllowNestedDocks | AllowTabbedDocks);
  setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
  resize(1280, 800);
  if (options_.keepSession) session_ = loadSession(options_.workspace);
  ThemeChoice choice = options.theme;
  if (!options.themeGiven) choice = themeChoiceFrom(session_.theme).value_or(options.theme);
  applyTheme(choice);
  makeActions();
  makePanels();
  makeMenus();
  makePerspectiveBar();
  connectWorkspace();
  connectPanels();
  connectRunCommands();
  connectComparison();
  setTheme(choice);
  restoreSession();
  workspace_->start();
}

MainWindow::~MainWindow() = default;

QAction* MainWindow::addCommand(const QString& name, const QString& icon, const QString& text,
                                const QKeySequence& keys) {
  auto* action = new QAction(text, this);
  if (!icon.isEmpty()) action->setIcon(themedIcon(icon));
  action->setObjectName(name);
  action->setShortcut(keys);
  addAction(action);
  commands_.insert(name, action);
  return action;
}

void MainWindow::makeActions() {
  auto* demo = addCommand(QStringLiteral("runDemo"), QStringLiteral("demo"), tr("Run the &demo"),
                          QKeySequence(tr("Ctrl+D")));
  demo->setToolTip(
      tr("Create a small corpus, train a model with layer fusion, translate with it and "
         "score the result"));
  connect(demo, &QAction::triggered, this, &MainWindow::runDemo);
  auto* fresh = addCommand(QStringLiteral("newRun"), QStringLiteral("launch"), tr("&New run…"),
                           QKeySequence::New);
  fresh->setToolTip(tr("Select a preset and a dataset and start training"));
  connect(fresh, &QAction::triggered, this, [this] {
    showPerspective(kLaunch);
    launch_->setFocus();
  });
  auto* open = addCommand(QStringLiteral("openWorkspace"), QStringLiteral("folder"),
                          tr("&Open a workspace…"), QKeySequence::Open);
  connect(open, &QAction::triggered, this, &MainWindow::openWorkspace);
  auto* quit = addCommand(QStringLiteral("quit"), {}, tr("&Quit"), QKeySequence::Quit);
  connect(quit, &QAction::triggered, this, &QWidget::close);
  auto* palette = addCommand(QStringLiteral("openPalette"), QStringLiteral("search"),
                             tr("&Commands…"), QKeySequence(tr("Ctrl+K")));
  connect(palette, &QAction::triggered, this, &MainWindow::openPalette);
  auto* about =
      addCommand(QStringLiteral("about"), QStringLiteral("info"), tr("&About Strata"), {});
  connect(about, &QAction::triggered, this, &MainWindow::showAbout);
}

void MainWindow::makePanels() {
  QAction* demo = commands_[QStringLiteral("runDemo")];
  launch_ = new LaunchPanel(engine_, demo, this);
  runs_ = new RunsPanel(demo, commands_[QStringLiteral("newRun")], this);
  curves_ = new CurvesPanel(demo, this);
  gradientFlow_ = new GradientFlowPanel(demo, this);
  hopWeights_ = new HopWeightsPanel(demo, this);
  targetAttention_ = new TargetAttentionPanel(commands_[QStringLiteral("newRun")], this);
  translate_ = new TranslatePanel(engine_, demo, this);
  compare_ = new ComparePanel(comparisons_, demo, this);
  log_ = new LogPanel(demo, this);
  makeDock(kLaunch, QStringLiteral("launch"), tr("Launch"), launch_);
  makeDock(QStringLiteral("runs"), QStringLiteral("runs"), tr("Runs"), runs_);
  makeDock(QStringLiteral("curves"), QStringLiteral("watch"), tr("Curves"), curves_);
  makeDock(QStringLiteral("gradient-flow"), QStringLiteral("gradient"), tr("Gradient flow"),
           gradientFlow_);
  makeDock(QStringLiteral("hop-weights"), QStringLiteral("inside"), tr("Hop weights"), hopWeights_);
  makeDock(QStringLiteral("target-attention"), QStringLiteral("history"),
           tr("Target-side attention"), targetAttention_);
  makeDock(QStringLiteral("translate"), QStringLiteral("translate"), tr("Translate"), translate_);
  makeDock(kCompare, QStringLiteral("compare"), tr("Compare"), compare_);
  makeDock(QStringLiteral("log"), QStringLiteral("log"), tr("Log"), log_);
  messages_ = new MessageBar(this);
  palette_ = new CommandPalette(this);
  active_ = new QLabel(this);
  active_->setObjectName(QStringLiteral("activeRuns"));
  statusBar()->addWidget(new QLabel(options_.workspace, this));
  statusBar()->addPermanentWidget(active_);
  statusBar()->setSizeGripEnabled(false);
}

QDockWidget* MainWindow::makeDock(const QString& name, const QString& icon, const QString& title,
                                  QWidget* panel) {
  auto* dock = new QDockWidget(title, this);
  dock->setObjectName(name + QStringLiteral("Dock"));
  dock->setWidget(panel);
  QAction* toggle = dock->toggleViewAction();
  toggle->setObjectName(QStringLiteral("show:") + name);
  toggle->setText(tr("Panel %1").arg(title));
  toggle->setIcon(themedIcon(icon));
  panels_ << Panel{name, dock};
  return dock;
}

QDockWidget* MainWindow::dock(const QString& name) const {
  for (const Panel& panel : panels_) {
    if (panel.name == name) return panel.dock;
  }
  return nullptr;
}

void MainWindow::makeMenus() {
  // The menu bar and, if any, a message below it.
  auto* head = new QWidget(this);
  auto* layout = new QVBoxLayout(head);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  menu_ = new QMenuBar(head);
  layout->addWidget(menu_);
  layout->addWidget(messages_);
  setMenuWidget(head);
  QMenu* file = menu_->addMenu(tr("&File"));
  for (const char* name : {"newRun", "runDemo", "openWorkspace"})
    file->addAction(commands_[QLatin1String(name)]);
  file->addSeparator();
  file->addAction(commands_[QStringLiteral("quit")]);
  QMenu* edit = menu_->addMenu(tr("&Edit"));
  QAction* undo = undo_->createUndoAction(this, tr("&Undo"));
  QAction* redo = undo_->createRedoAction(this, tr("&Redo"));
  undo->setObjectName(QStringLiteral("undo"));
  redo->setObjectName(QStringLiteral("redo"));
  undo->setIcon(themedIcon(QStringLiteral("undo")));
  undo->setShortcut(QKeySequence::Undo);
  redo->setShortcut(QKeySequence::Redo);
  edit->addAction(undo);
  edit->addAction(redo);
  edit->addSeparator();
  edit->addAction(commands_[QStringLiteral("openPalette")]);
  QMenu* run = menu_->addMenu(tr("&Run"));
  run->addActions(runs_->commands());
  makeViewMenu();
  QMenu* help = menu_->addMenu(tr("&Help"));
  help->addAction(commands_[QStringLiteral("about")]);
}

void MainWindow::makeViewMenu() {
  QMenu* view = menu_->addMenu(tr("&View"));
  perspectives_ = new QActionGroup(this);
  const auto perspective = [&](const QString& name, const QString& icon, const QString& text,
                               const QString& keys) {
    QAction* action =
        addCommand(QStringLiteral("perspective:") + name, icon, text, QKeySequence(keys));
    action->setCheckable(true);
    action->setData(name);
    perspectives_->addAction(action);
    view->addAction(action);
  };
  perspective(kLaunch, QStringLiteral("launch"), tr("Launch"), tr("Ctrl+1"));
  perspective(kWatch, QStringLiteral("watch"), tr("Watch"), tr("Ctrl+2"));
  perspective(kInside, QStringLiteral("inside"), tr("Look inside"), tr("Ctrl+3"));
  perspective(kCompare, QStringLiteral("compare"), tr("Compare"), tr("Ctrl+4"));
  connect(perspectives_, &QActionGroup::triggered, this,
          [this](QAction* action) { showPerspective(action->data().toString()); });
  QAction* reset = addCommand(QStringLiteral("resetLayout"), QStringLiteral("refresh"),
                              tr("Reset this layout"), {});
  connect(reset, &QAction::triggered, this, &MainWindow::resetLayout);
  view->addAction(reset);
  view->addSeparator();
  for (const Panel& panel : panels_) {
    view->addAction(panel.dock->toggleViewAction());
    addAction(panel.dock->toggleViewAction());
  }
  view->addSeparator();
  themes_ = new QActionGroup(this);
  for (const auto& [choice, text] : {std::pair{ThemeChoice::kSystem, tr("System theme")},
                                     {ThemeChoice::kLight, tr("Light theme")},
                                     {ThemeChoice::kDark, tr("Dark theme")}}) {
    QAction* action =
        addCommand(QStringLiteral("theme:") + nameOf(choice), QStringLiteral("theme"), text, {});
    action->setCheckable(true);
    themes_->addAction(action);
    view->addAction(action);
    connect(action, &QAction::triggered, this, [this, choice = choice] { setTheme(choice); });
  }
}

void MainWindow::makePerspectiveBar() {
  auto* bar = new QToolBar(tr("Perspectives"), this);
  bar->setObjectName(QStringLiteral("perspectiveBar"));
  bar->setMovable(false);
  bar->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
  bar->setIconSize(QSize(22, 22));
  bar->addActions(perspectives_->actions());
  bar->toggleViewAction()->setVisible(false);
  addToolBar(Qt::LeftToolBarArea, bar);
}

void MainWindow::arrange(const QString& perspective) {
  for (const Panel& panel : panels_) {
    panel.dock->setFloating(false);
    removeDockWidget(panel.dock);
  }
  const auto show = [this](const char* name, QDockWidget* neighbour, Qt::Orientation orientation) {
    QDockWidget* shown = dock(QLatin1String(name));
    if (neighbour) {
      splitDockWidget(neighbour, shown, orientation);
    } else {
      addDockWidget(Qt::LeftDockWidgetArea, shown);
    }
    shown->show();
    return shown;
  };
  QDockWidget* first = nullptr;
  if (perspective == kInside) {
    first = show("hop-weights", nullptr, Qt::Horizontal);
    QDockWidget* right = show("translate", first, Qt::Horizontal);
    resizeDocks({first, right}, {740, 440}, Qt::Horizontal);
    QDockWidget* history = dock(QStringLiteral("target-attention"));
    tabifyDockWidget(first, history);
    history->show();
  } else if (perspective == kCompare) {
    first = show("compare", nullptr, Qt::Horizontal);
  } else {
    first = show(perspective == kLaunch ? "launch" : "curves", nullptr, Qt::Vertical);
    QDockWidget* bottom = show("runs", first, Qt::Vertical);
    QDockWidget* log = dock(QStringLiteral("log"));
    tabifyDockWidget(bottom, log);
    log->setVisible(perspective == kWatch);
    QDockWidget* gradients = dock(QStringLiteral("gradient-flow"));
    tabifyDockWidget(first, gradients);
    gradients->setVisible(perspective == kWatch);
    bottom->raise();
    resizeDocks({first, bottom}, {500, 220}, Qt::Vertical);
  }
  // The others are hidden tabs behind the first panel.
  for (const Panel& panel : panels_) {
    if (dockWidgetArea(panel.dock) != Qt::NoDockWidgetArea) continue;
    tabifyDockWidget(first, panel.dock);
    panel.dock->hide();
  }
  first->raise();
}

void MainWindow::resetLayout() {
  arrange(perspective_);
}

void MainWindow::showPerspective(const QString& name) {
  if (name == perspective_) return;
  if (!perspective_.isEmpty()) session_.layouts[perspective_] = saveState(Session::kVersion);
  perspective_ = name;
  for (QAction* action : perspectives_->actions())
    action->setChecked(action->data().toString() == name);
  arrange(name);  // restoreState leaves unknown docks alone, so start from a valid layout
  const QByteArray saved = session_.layouts.value(name);
  if (!saved.isEmpty() && !restoreState(saved, Session::kVersion)) arrange(name);
}

void MainWindow::restoreSession() {
  const Session saved = session_;
  if (saved.restoring) {
    session_.layouts.clear();
    session_.geometry.clear();
    messages_->show(
        MessageBar::Severity::kInfo,
        tr("Strata closed unexpectedly while restoring its layout, so it starts with the "
           "default layout."));
  } else if (saved.unclean >= kUncleanStarts) {
    session_.layouts.clear();
    session_.geometry.clear();
    messages_->show(MessageBar::Severity::kWarning,
                    tr("Strata did not close properly the last %1 times, so it starts with the "
                       "default layout.")
                        .arg(session_.unclean),
                    tr("Restore my layout"), this, [this, saved] {
                      session_.layouts = saved.layouts;
                      const QString wanted = perspective_;
                      perspective_.clear();
                      showPerspective(wanted);
                    });
  }
  countStart(saved);
  if (!session_.geometry.isEmpty()) restoreGeometry(session_.geometry);
  targetAttention_->restoreState(saved.panels.value(QStringLiteral("target-attention")));
  compare_->restoreState(saved.panels.value(kCompare));
  const QStringList known{kLaunch, kWatch, kInside, kCompare};
  showPerspective(known.contains(saved.perspective) ? saved.perspective : kWatch);
}

// Written before anything is restored, so that the next start knows about a crash. The mark is
// removed once the window has been shown.
void MainWindow::countStart(const Session& saved) {
  if (!options_.keepSession) return;
  Session started = saved.restoring ? session_ : saved;
  ++started.unclean;
  started.restoring = session_.restoring =
      !session_.layouts.isEmpty() || !session_.geometry.isEmpty();
  const auto save = [this](const Session& session) {
    try {
      saveSession(options_.workspace, session);
    } catch (const std::exception& error) {
      showError(QString::fromUtf8(error.what()));
    }
  };
  save(started);
  QTimer::singleShot(0, this, [this, started, save]() mutable {
    if (!session_.restoring) return;  // closed already
    started.restoring = session_.restoring = false;
    save(started);
  });
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (options_.keepSession) {
    session_.layouts[perspective_] = saveState(Session::kVersion);
    session_.perspective = perspective_;
    session_.geometry = saveGeometry();
    session_.panels[QStringLiteral("target-attention")] = targetAttention_->saveState();
    session_.panels[kCompare] = compare_->saveState();
    session_.unclean = 0;
    session_.restoring = false;
    try {
      saveSession(options_.workspace, session_);
    } catch (const std::exception&) {
      // The disk is full or gone: the window closes anyway, and the next start uses the
      // previous layout.
    }
  }
  QMainWindow::closeEvent(event);
}

void MainWindow::setTheme(ThemeChoice choice) {
  applyTheme(choice);
  session_.theme = nameOf(choice);
  commands_[QStringLiteral("theme:") + nameOf(choice)]->setChecked(true);
}

}  // namespace strata::ui
