#include "ui/panels/papers_panel.h"

#include <QAction>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <functional>

#include "core/base/text_limits.h"
#include "ui/data/text.h"
#include "ui/panels/paper_choice_bar.h"
#include "ui/panels/paper_figure_view.h"
#include "ui/panels/paper_table_view.h"
#include "ui/style/theme.h"
#include "ui/widgets/building.h"
#include "ui/widgets/export_dialog.h"

namespace strata::ui {
namespace {

constexpr int kSettleMs = 300;  // after the last change, before it is measured again

}  // namespace

PapersPanel::PapersPanel(QWidget* parent)
    : Panel({QStringLiteral("papers"), QStringLiteral("papers"), tr("Papers")}, parent) {
  setObjectName(QStringLiteral("papersPanel"));
  auto* layout = makeLayout<QVBoxLayout>(this);
  choices_ = new PaperChoiceBar(this);
  connect(choices_, &PaperChoiceBar::changed, this, &PapersPanel::choose);
  layout->addWidget(choices_);
  layout->addWidget(makeTools());
  addHeading(layout);
  addPages(layout);
  timer_.setSingleShot(true);
  timer_.setInterval(kSettleMs);
  connect(&timer_, &QTimer::timeout, this, &PapersPanel::measure);
  showState();
}

void PapersPanel::addHeading(QLayout* layout) {
  const auto add = [&](const char* name) {
    auto* label = named(new QLabel(this), name);
    label->setContentsMargins(12, 2, 12, 4);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    layout->addWidget(label);
    return label;
  };
  heading_ = add("papersHeading");
  problem_ = add("papersProblem");
  problem_->hide();
}

void PapersPanel::addPages(QVBoxLayout* layout) {
  table_ = new PaperTableView(this);
  connect(table_, &PaperTableView::queueRequested, this, &PapersPanel::queue);
  connect(table_, &PaperTableView::runsOpened, this, &PapersPanel::openRuns);
  figure_ = new PaperFigureView(this);
  pages_ = new QStackedWidget(this);
  pages_->addWidget(table_);
  pages_->addWidget(figure_);
  layout->addWidget(pages_, 1);
}

QWidget* PapersPanel::makeTools() {
  auto* bar = makeBar(this);
  const auto button = [&](QAction* action) {
    auto* made = addTool(bar, action);
    made->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  };
  queueAll_ = named(new QAction(themedIcon(QStringLiteral("launch")), {}, this), "papersQueueAll");
  queueAll_->setToolTip(tr("Queue every run that this table or figure lacks and train them"));
  connect(queueAll_, &QAction::triggered, this, [this] { queue({}); });
  button(queueAll_);
  score_ = named(new QAction(themedIcon(QStringLiteral("translate")), {}, this), "papersScore");
  score_->setToolTip(
      tr("Translate and score the sets with each finished run's best checkpoint. Every scoring of "
         "a test set is counted."));
  connect(score_, &QAction::triggered, this,
          [this] { emit scoreRequested(choice().id, choice().command("score")); });
  button(score_);
  addScoring(bar);
  bar->addStretch();
  refresh_ = named(new QAction(themedIcon(QStringLiteral("refresh")), tr("Measure again"), this),
                   "papersRefresh");
  connect(refresh_, &QAction::triggered, this, &PapersPanel::measure);
  addTool(bar, refresh_);
  addExports(bar);
  addCommands(bar);
  for (QAction* action : {queueAll_, score_, refresh_}) addAction(action);
  return bar->parentWidget();
}

// How far scoring is, while it goes on.
void PapersPanel::addScoring(QLayout* bar) {
  progress_ = named(new QProgressBar(this), "papersProgress", tr("Progress of scoring"));
  progress_->setMaximumWidth(160);
  bar->addWidget(progress_);
  cancel_ = named(new QPushButton(tr("Cancel"), this), "papersCancel");
  connect(cancel_, &QPushButton::clicked, this, &PapersPanel::scoreCancelled);
  bar->addWidget(cancel_);
  progress_->hide();
  cancel_->hide();
}

void PapersPanel::addExports(QLayout* bar) {
  auto* action =
      named(new QAction(themedIcon(QStringLiteral("export")), tr("Export…"), this), "papersExport");
  action->setToolTip(tr("Write the table as CSV or LaTeX, the figure as pictures or CSV"));
  connect(action, &QAction::triggered, this, [this] {
    if (result().exportsTable()) return askForTableFile();
    ExportRequest request{tr("Export the figure"), tr("All points"),
                          [this](const QString& path) { exportPictures(path); },
                          std::bind_front(&PapersPanel::failed, this)};
    request.name = fileName();
    askForExport(this, request);
  });
  addAction(action);
  addTool(bar, action);
}

// "mlrf-figure5"
QString PapersPanel::fileName() const {
  return QString(result().id).replace(QLatin1Char('/'), QLatin1Char('-'));
}

void PapersPanel::askForTableFile() {
  auto* dialog = new QFileDialog(this, tr("Export the table"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setNameFilters({tr("LaTeX (*.tex)"), tr("All cells (*.csv)")});
  dialog->setDefaultSuffix(QStringLiteral("tex"));
  connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) {
    dialog->setDefaultSuffix(filter.section(QStringLiteral("*."), 1).chopped(1));
  });
  suggestFile(dialog, fileName());
  connect(dialog, &QFileDialog::fileSelected, this, &PapersPanel::exportTable);
  dialog->open();
}

void PapersPanel::exportTable(const QString& path) {
  const bool csv = path.endsWith(QStringLiteral(".csv"), Qt::CaseInsensitive);
  emit exportRequested(
      measured_.command("show") +
          QStringList{csv ? QStringLiteral("--csv") : QStringLiteral("--latex"), path},
      path);
}

// The values are those of `paper show`.
void PapersPanel::exportPictures(const QString& path) {
  if (path.endsWith(QStringLiteral(".csv"), Qt::CaseInsensitive))
    return emit exportRequested(
        measured_.command("show") + QStringList{QStringLiteral("--csv"), path}, path);
  figure_->exportTo(path);
  emit notice(tr("Written: %1").arg(path));
}

void PapersPanel::addCommands(QLayout* bar) {
  auto* menu = new QMenu(this);
  const auto add = [&](const QString& name, const QString& text, const char* verb) {
    auto* action = named(menu->addAction(text), name);
    connect(action, &QAction::triggered, this,
            [this, verb] { emit commandCopied(choice().command(verb)); });
  };
  add(QStringLiteral("copyShow"), tr("Show this (paper show)"), "show");
  add(QStringLiteral("copyRun"), tr("Queue what is missing (paper run)"), "run");
  add(QStringLiteral("copyScore"), tr("Score what is trained (paper score)"), "score");
  auto* button = named(styled(new QToolButton(this), "flat"), "copyCommands", tr("Copy command"));
  button->setIcon(themedIcon(QStringLiteral("copy")));
  button->setToolTip(tr("Copy the command line that does the same without the window"));
  button->setPopupMode(QToolButton::InstantPopup);
  button->setMenu(menu);
  bar->addWidget(button);
}

PaperChoice PapersPanel::choice() const {
  return choices_->choice();
}

void PapersPanel::setDatasets(const QVector<DatasetRow>& datasets) {
  choices_->setDatasets(datasets);
}

void PapersPanel::setItems(const QByteArray& json) {
  QVector<PaperItem> items;
  try {
    items = paperItemsFrom(json);
  } catch (const std::exception& error) {
    return setError(QString::fromUtf8(error.what()));
  }
  choices_->setItems(items);
  if (example_ || !choices_->isRestored()) showExample();
}

void PapersPanel::showEvent(QShowEvent* event) {
  Panel::showEvent(event);
  if (!choices_->isListed() && error_.isEmpty() && !asked_) return requestList();
  if (stale_) refresh();
}

void PapersPanel::choose() {
  if (choices_->isListed() && (choice() != measured_ || result().id.isEmpty())) refresh();
}

// Measures soon, once for many changes; when hidden, as soon as it is shown.
void PapersPanel::refresh() {
  stale_ = true;
  if (isVisible()) timer_.start();
}

void PapersPanel::requestList() {
  asked_ = true;
  emit listRequested({QStringLiteral("--json"), QStringLiteral("paper"), QStringLiteral("list")});
}

void PapersPanel::measure() {
  if (!choices_->hasItem()) {
    if (!choices_->isListed() && !asked_) requestList();
    return;
  }
  stale_ = false;
  asked_ = true;
  measured_ = choice();
  emit resultRequested(QStringList{QStringLiteral("--json")} + measured_.command("show"));
}

void PapersPanel::setResult(const QByteArray& json) {
  asked_ = false;
  try {
    runs_.setResult(paperResultFrom(json));
  } catch (const std::exception& error) {
    return setError(QString::fromUtf8(error.what()));
  }
  error_.clear();
  statuses_ = runs_.statusesNow();
  // A run may have changed while it was measured.
  repeated_ = !repeated_ && statuses_ != runs_.statusesMeasured();
  if (repeated_) refresh();
  showResult();
}

void PapersPanel::setError(const QString& message) {
  asked_ = false;
  stale_ = false;
  error_ = message;
  showState();
}

void PapersPanel::setRuns(const QVector<RunRow>& runs) {
  runs_.setRuns(runs);
  const QStringList now = runs_.statusesNow();
  if (now != statuses_) {
    statuses_ = now;
    refresh();
  }
  if (result().id.isEmpty()) return;
  showState();
  if (result().isTable) table_->showProgress(runs_);
}

void PapersPanel::showResult() {
  const PaperResult& shown = result();
  heading_->setText(shown.isTable ? qs(shown.shown.caption)
                                  : QStringLiteral("%1: %2").arg(shown.id, shown.title));
  pages_->setCurrentIndex(shown.isTable ? 0 : 1);
  if (shown.isTable) {
    table_->showResult(runs_);
  } else {
    figure_->showResult(shown);
  }
  showState();
}

void PapersPanel::showState() {
  problem_->setText(error_);
  problem_->setVisible(!error_.isEmpty());
  problem_->setStyleSheet(QStringLiteral("color: %1").arg(theme().bad.name()));
  const int missing = runs_.missingOf({});
  queueAll_->setText(tr("Queue all missing (%1)").arg(missing));
  queueAll_->setEnabled(missing > 0);
  const bool scoring = !progress_->isHidden();
  score_->setText(tr("Score (%1)").arg(result().toScore));
  score_->setEnabled(result().toScore > 0 && !scoring);
  if (result().id.isEmpty() && error_.isEmpty())
    heading_->setText(tr("Reading the papers' tables…"));
}

void PapersPanel::queue(const QStringList& rows) {
  emit queueRequested(QStringList{QStringLiteral("--json")} + choice().command("run", rows));
}

void PapersPanel::setQueued(const QByteArray& json) {
  const auto printed = tryParseJson(json.toStdString());
  if (!printed || !printed->contains("runs")) return;
  int queued = 0;
  for (const Json& run : printed->at("runs")) {
    const std::string outcome = run.value("outcome", std::string());
    queued += outcome == "queued" || outcome == "resumed" ? 1 : 0;
  }
  emit notice(tr("%n run(s) queued.", nullptr, queued));
  refresh();
}

void PapersPanel::openRuns(const QStringList& names) {
  QVector<qint64> runs;
  for (const QString& name : names) {
    if (const RunRow* run = runs_.find(name)) runs << run->id;
  }
  if (runs.isEmpty()) return;
  share({.drawn = runs, .run = runs.first()});
  emit showRequested(QStringLiteral("curves"));
}

void PapersPanel::setScoring(bool on) {
  progress_->setRange(0, std::max(1, result().toScore));
  progress_->setValue(0);
  progress_->setVisible(on);
  cancel_->setVisible(on);
  showState();
  if (!on) refresh();
}

void PapersPanel::showScoring(qint64 done, qint64 total) {
  const bool news = done != progress_->value();
  progress_->setRange(0, int(std::max<qint64>(1, total)));
  progress_->setValue(int(done));
  if (news) refresh();
}

void PapersPanel::setScored(const QString& id) {
  emit notice(tr("%1 is scored.").arg(id));
  setScoring(false);
}

void PapersPanel::setScoringError(const QString& message) {
  setScoring(false);
  emit failed(message);
}

void PapersPanel::follow(const Selection& choice) {
  const RunRow* run = choice.run ? findRun(runs_.runs(), *choice.run) : nullptr;
  if (run && result().isTable) table_->chooseRowOf(run->name);
}

void PapersPanel::changeEvent(QEvent* event) {
  Panel::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && problem_) showState();
}

void PapersPanel::showExample() {
  example_ = !choices_->isListed();  // as soon as the list is there
  choices_->chooseExample(runs_.runs());
}

bool PapersPanel::isUpToDate() const {
  return !error_.isEmpty() || (choices_->isListed() && !asked_ && !stale_ && !timer_.isActive());
}

Here PapersPanel::here() const {
  Here here = Panel::here();
  if (result().isTable) table_->addCurrentRowTo(here);
  return here;
}

Json PapersPanel::saveState() const {
  return choices_->saveState();
}

void PapersPanel::restoreState(const Json& state) {
  choices_->restoreState(state);
}

}  // namespace strata::ui
