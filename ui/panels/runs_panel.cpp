#include "ui/panels/runs_panel.h"

#include <QAction>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QScopedValueRollback>
#include <QSet>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/store/imported.h"
#include "ui/data/imported_runs.h"
#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/panels/runs_model.h"
#include "ui/style/theme.h"
#include "ui/widgets/building.h"
#include "ui/widgets/report_table.h"

namespace strata::ui {
namespace {
constexpr int kStatusEdges = 48;  // pixels beside a status: the dot and the cell's margins
constexpr int kRunHeight = 28;
constexpr int kMostUpdates = 1'000'000'000;
constexpr int kWidestColumn = 4000;  // pixels, of a saved state

QString filterHelp() {
  return RunsPanel::tr(
      "A regular expression for any column, and terms for one: status:running, "
      "preset:mlrf, best<3.5, training.dropout>=0.2 (of a column that is shown)");
}
}  // namespace

RunsPanel::RunsPanel(QAction* runDemo, QAction* newRun, QWidget* parent)
    : Panel({QStringLiteral("runs"), QStringLiteral("runs"), tr("Runs"), tr("&Run")}, parent),
      model_(new RunsModel(this)),
      filter_(new RunsFilter(this)),
      table_(named(new QTableView(this), "runsTable", tr("Runs"))),
      groups_(named(new ReportTable(this), "runsGroups", tr("Groups of runs"))) {
  setObjectName(QStringLiteral("runsPanel"));
  auto* content = new QWidget(this);
  auto* layout = makeLayout<QVBoxLayout>(content);
  makeCommands();
  makeTable();
  makeGroups();
  layout->addWidget(makeToolBar());
  addColumnChoice();
  layout->addWidget(tables_, 1);
  setContent(
      {tr("No runs yet"),
       tr("Every training run of this workspace is listed here with its status, scores and speed. "
          "Run the demo to train a small model of each paper in a few minutes, or set up your own "
          "run."),
       {runDemo, newRun}},
      content);
  updateCommands();
}

QAction* RunsPanel::command(const QString& name, const QString& icon, const QString& text,
                            const QKeySequence& keys, const std::function<void()>& run) {
  auto* action = named(new QAction(themedIcon(icon), text, this), name);
  action->setShortcut(keys);
  action->setShortcutContext(Qt::WindowShortcut);
  action->setToolTip(
      keys.isEmpty() ? text : tr("%1 (%2)").arg(text, keys.toString(QKeySequence::NativeText)));
  if (run) connect(action, &QAction::triggered, this, run);
  addAction(action);
  return action;
}

void RunsPanel::makeCommands() {
  const auto send = [this](RunCommand sent) {
    return [this, sent] { emit commandRequested(selectedRuns(), sent); };
  };
  stop_ = command("stopRun", "stop", tr("Stop the run"), {tr("Ctrl+.")}, send(RunCommand::kStop));
  pause_ = command("pauseRun", "pause", tr("Pause the run"), {tr("Ctrl+Shift+P")},
                   send(RunCommand::kPause));
  resume_ = command("resumeRun", "resume", tr("Resume the run"), {tr("Ctrl+Shift+R")},
                    send(RunCommand::kResume));
  continue_ = command("continueRun", "forward", tr("Continue the run with more updates…"), {},
                      [this] { askUpdates(); });
  first_ = command("queueFirst", "up", tr("Train the run next"), {}, send(RunCommand::kFirst));
  rename_ =
      command("renameRun", "rename", tr("Rename the run…"), {Qt::Key_F2}, [this] { askName(); });
  tag_ = command("tagRun", "tag", tr("Tag the runs…"), {tr("Ctrl+T")}, [this] { askTag(); });
  trash_ = command("trashRun", "trash", tr("Move the runs to the trash"), {},
                   [this] { emit trashRequested(selectedRuns(), !showTrash_->isChecked()); });
  folder_ = command("openRunFolder", "folder", tr("Open the run's folder"), {}, [this] {
    for (const qint64 id : selectedRuns()) emit openFolderRequested(model_->run(id)->folder);
  });
  copy_ = command("copyIntoLaunch", "copy", tr("Copy the run's settings into Launch"),
                  {tr("Ctrl+Shift+D")}, [this] { emit copyRequested(selectedRuns().value(0)); });
  showTrash_ = command("showTrash", "trash-list", tr("Show the trash"), {}, {});
  showTrash_->setCheckable(true);
  connect(showTrash_, &QAction::toggled, this, [this](bool on) {
    filter_->setShowTrash(on);
    trash_->setText(on ? tr("Restore the runs from the trash") : tr("Move the runs to the trash"));
    trash_->setToolTip(trash_->text());
    trash_->setIcon(themedIcon(on ? QStringLiteral("undo") : QStringLiteral("trash")));
    shownRunsChanged();
  });
  addGroupChoice();
}

void RunsPanel::applyFilter() {
  const bool good = filter_->setPattern(pattern_->text());
  pattern_->setToolTip(good ? filterHelp()
                            : tr("Not a valid regular expression; the previous filter still "
                                 "applies."));
  shownRunsChanged();
}

QWidget* RunsPanel::makeToolBar() {
  auto* layout = makeBar(this, 4);
  auto* bar = layout->parentWidget();
  pattern_ = named(new QLineEdit(bar), "runsFilter", tr("Runs filter"));
  pattern_->setPlaceholderText(tr("Filter: regular expression, status:running, best<3.5"));
  pattern_->setClearButtonEnabled(true);
  pattern_->addAction(themedIcon(QStringLiteral("search")), QLineEdit::LeadingPosition);
  pattern_->setMaximumWidth(320);
  connect(pattern_, &QLineEdit::textChanged, this, &RunsPanel::applyFilter);
  layout->addWidget(pattern_, 1);
  count_ = named(styled(new QLabel(bar), "muted"), "runsCount");
  layout->addWidget(count_);
  layout->addStretch();
  columns_ = named(styled(new QToolButton(bar), "flat"), "runsColumns", tr("Columns"));
  columns_->setText(tr("Columns"));
  columns_->setPopupMode(QToolButton::InstantPopup);
  columns_->setMenu(new QMenu(columns_));
  layout->addWidget(columns_);
  for (QAction* action :
       {grouped_, stop_, pause_, resume_, rename_, tag_, trash_, copy_, showTrash_}) {
    named(addTool(layout, action), action->objectName() + QStringLiteral("Button"))
        ->setIconSize(QSize(18, 18));
    if (action == grouped_ || action == resume_ || action == trash_) layout->addSpacing(10);
  }
  return bar;
}

void RunsPanel::makeTable() {
  filter_->setSourceModel(model_);
  table_->setModel(filter_);
  table_->setSortingEnabled(true);
  table_->setTabKeyNavigation(false);  // Tab leaves the table
  table_->sortByColumn(RunsModel::kId, Qt::DescendingOrder);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table_->setAlternatingRowColors(false);
  table_->setShowGrid(false);
  table_->setWordWrap(false);
  table_->setTextElideMode(Qt::ElideMiddle);  // seeds differ in the end of the name
  table_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setDefaultSectionSize(kRunHeight);
  table_->horizontalHeader()->setHighlightSections(false);
  table_->horizontalHeader()->setSectionsMovable(true);
  table_->setContextMenuPolicy(Qt::ActionsContextMenu);
  table_->addActions({stop_, pause_, resume_, continue_, first_, rename_, tag_, trash_, copy_,
                      folder_, difference_});
  const int widths[RunsModel::kColumns] = {48,  240, 96,  150, 120, 96,  115,
                                           115, 66,  120, 104, 56,  100, 200};
  for (int column = 0; column < RunsModel::kColumns; ++column)
    table_->setColumnWidth(column, widths[column]);
  const QString longest = qs(nameOf(RunStatus::kInterrupted));
  table_->setColumnWidth(RunsModel::kStatus,
                         std::max(widths[RunsModel::kStatus],
                                  table_->fontMetrics().horizontalAdvance(longest) + kStatusEdges));
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          &RunsPanel::updateCommands);
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          &RunsPanel::shareSelected);
  connect(table_, &QTableView::activated, this, [this](const QModelIndex& index) {
    openRuns({index.data(RunsModel::kRunIdRole).toLongLong()});
  });
}

// One run alone is the current one of the window; several are for the commands.
void RunsPanel::shareSelected() {
  if (selecting_) return;
  const QVector<qint64> ids = selectedRuns();
  if (ids.size() == 1 && !showTrash_->isChecked()) share({.run = ids.first()});
}

void RunsPanel::openRuns(const QVector<qint64>& ids) {
  if (ids.isEmpty()) return;
  emit showRequested(QStringLiteral("watch"));
  share({.drawn = ids, .run = ids.first()});
}

void RunsPanel::setRuns(const QVector<RunRow>& runs) {
  QSet<qint64> known;
  for (const RunRow& run : model_->runs()) known << run.id;
  const bool others =
      std::ranges::any_of(runs, [&known](const RunRow& run) { return !known.contains(run.id); });
  model_->setRuns(runs);
  if (others && !model_->settingKeys().isEmpty()) emit settingsRequested(model_->settingKeys());
  setEmpty(runs.isEmpty());
  shownRunsChanged();
}

void RunsPanel::shownRunsChanged() {
  refreshGroups();
  updateCommands();
}

QVector<qint64> RunsPanel::selectedRuns() const {
  QVector<qint64> ids;
  for (const QModelIndex& index : table_->selectionModel()->selectedRows()) {
    ids << index.data(RunsModel::kRunIdRole).toLongLong();
  }
  return ids;
}

// The commands are then for the run alone, not for its group.
void RunsPanel::selectRun(qint64 id) {
  {
    const QScopedValueRollback filling(fillingGroups_, true);
    groups_->clearSelection();
  }
  selectRuns({id});
  const QModelIndexList rows = table_->selectionModel()->selectedRows();
  if (rows.isEmpty()) return;
  table_->selectionModel()->setCurrentIndex(rows.first(), QItemSelectionModel::NoUpdate);
  table_->scrollTo(rows.first());
}

void RunsPanel::selectRuns(const QVector<qint64>& ids) {
  const QScopedValueRollback selecting(selecting_, true);
  QItemSelection rows;
  for (int row = 0; row < filter_->rowCount(); ++row) {
    const QModelIndex index = filter_->index(row, 0);
    if (ids.contains(index.data(RunsModel::kRunIdRole).toLongLong())) rows.select(index, index);
  }
  table_->selectionModel()->select(rows,
                                   QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
}

void RunsPanel::follow(const Selection& choice) {
  if (choice.run) selectRun(*choice.run);
}

Here RunsPanel::here() const {
  Here here = Panel::here();
  const QModelIndex at = table_->currentIndex();
  const RunRow* run =
      at.isValid() ? model_->run(at.siblingAtColumn(0).data(RunsModel::kRunIdRole).toLongLong())
                   : nullptr;
  if (!run || run->bestStep < 0) return here;
  here.place = tr("%1: best %2 at step %3").arg(run->name, run->metric, countText(run->bestStep));
  const bool likelihood = run->metric.endsWith(QLatin1String("/nll")) &&
                          hasKnownUnit(toStd(run->preset), toStd(run->metric));
  if (!likelihood) return here;
  here.add(QStringLiteral("nll"), run->best);
  here.add(QStringLiteral("ppl"), std::exp(run->best));
  return here;
}

Json RunsPanel::saveState() const {
  const QHeaderView* header = table_->horizontalHeader();
  QVector<qint64> widths, order, hidden;
  for (int column = 0; column < header->count(); ++column) {
    widths << header->sectionSize(column);
    order << header->logicalIndex(column);
    if (header->isSectionHidden(column)) hidden << column;
  }
  return {{"filter", toStd(pattern_->text())},
          {"trash", showTrash_->isChecked()},
          {"sort", header->sortIndicatorSection()},
          {"descending", header->sortIndicatorOrder() == Qt::DescendingOrder},
          {"widths", jsonOf(widths)},
          {"order", jsonOf(order)},
          {"hidden", jsonOf(hidden)},
          {"grouped", grouped_->isChecked()},
          {"settings", jsonOf(model_->settingKeys())}};
}

void RunsPanel::restoreState(const Json& state) {
  const SavedState saved(state);
  saved.line("filter", pattern_);
  saved.check("trash", showTrash_);
  saved.check("grouped", grouped_);
  showSettings(saved.texts("settings").value_or(QStringList()));
  if (const auto column = saved.number("sort", 0, model_->columnCount() - 1))
    table_->sortByColumn(int(*column), saved.flag("descending").value_or(true)
                                           ? Qt::DescendingOrder
                                           : Qt::AscendingOrder);
  QHeaderView* header = table_->horizontalHeader();
  const auto widths = saved.numbers("widths");
  for (int column = 0; widths && column < std::min(widths->size(), qsizetype(header->count()));
       ++column) {
    if ((*widths)[column] > 0 && (*widths)[column] <= kWidestColumn)
      header->resizeSection(column, int((*widths)[column]));
  }
  const auto order = saved.numbers("order");
  for (int at = 0; order && at < std::min(order->size(), qsizetype(header->count())); ++at) {
    const int from = header->visualIndex(int((*order)[at]));
    if (from >= 0) header->moveSection(from, at);
  }
  for (const qint64 column : saved.numbers("hidden").value_or(QVector<qint64>())) {
    if (QAction* shown = findChild<QAction*>(QStringLiteral("runsColumn%1").arg(column)))
      shown->setChecked(false);
  }
}

void RunsPanel::updateCommands() {
  int active = 0, running = 0, resumable = 0;
  const QVector<qint64> selected = selectedRuns();
  for (const qint64 id : selected) {
    const RunRow* run = model_->run(id);
    if (!run) continue;
    const bool waiting = !run->pending.isEmpty();
    active += run->isActive() && !waiting;
    running += run->status == RunStatus::kRunning && !waiting;
    resumable += !run->isActive() && run->status != RunStatus::kFinished;
  }
  stop_->setEnabled(active > 0);
  pause_->setEnabled(running > 0);
  resume_->setEnabled(resumable > 0 && !showTrash_->isChecked());
  const RunRow* one = selected.size() == 1 ? model_->run(selected.front()) : nullptr;
  const bool imported = one && !importedFrom(*one).isEmpty();
  continue_->setEnabled(one && !imported && !one->isActive() && one->step > 0 &&
                        !showTrash_->isChecked());
  difference_->setEnabled(selected.size() == 2);
  first_->setEnabled(one && one->status == RunStatus::kQueued && !showTrash_->isChecked());
  rename_->setEnabled(one);
  copy_->setEnabled(selected.size() == 1 && !imported && !showTrash_->isChecked());
  tag_->setEnabled(!selected.isEmpty());
  folder_->setEnabled(!selected.isEmpty());
  trash_->setEnabled(!selected.isEmpty() && active == 0);
  const int shown = filter_->rowCount(), all = int(model_->runs().size());
  count_->setText(shown == all ? tr("%n run(s)", nullptr, all)
                               : tr("%1 of %n run(s)", nullptr, all).arg(shown));
}

void RunsPanel::ask(const QString& name, const QString& title, const QString& label,
                    const QString& text, std::function<void(const QString&)> answered) {
  auto* dialog = named(new QInputDialog(this), name);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(title);
  dialog->setLabelText(label);
  dialog->setTextValue(text);
  connect(dialog, &QInputDialog::textValueSelected, this,
          [answered = std::move(answered)](const QString& given) {
            if (!given.trimmed().isEmpty()) answered(given.trimmed());
          });
  dialog->open();
}

void RunsPanel::askName() {
  const QVector<qint64> ids = selectedRuns();
  if (ids.size() != 1) return;
  ask("renameDialog", tr("Rename the run"), tr("Name (unique in this workspace, without / and @):"),
      model_->run(ids.front())->name,
      [this, id = ids.front()](const QString& name) { emit renameRequested(id, name); });
}

void RunsPanel::askTag() {
  ask("tagDialog", tr("Tag the runs"), tr("Tag (entering an existing tag removes it):"), {},
      [this, ids = selectedRuns()](const QString& tag) { emit tagRequested(ids, tag); });
}

void RunsPanel::askUpdates() {
  const RunRow* run = model_->run(selectedRuns().value(0));
  if (!run) return;
  auto* dialog = named(new QInputDialog(this), "continueDialog");
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(tr("Continue %1").arg(run->name));
  dialog->setInputMode(QInputDialog::IntInput);
  dialog->setLabelText(tr("It has made %1 updates. Go on until it has made:\n(its other limits and "
                          "early stopping are lifted)")
                           .arg(countText(run->step)));
  const auto made = int(std::min<qint64>(run->step, kMostUpdates / 2));
  dialog->setIntRange(made + 1, kMostUpdates);
  dialog->setIntValue(2 * made);
  connect(dialog, &QInputDialog::intValueSelected, this,
          [this, id = run->id](int updates) { emit continueRequested(id, updates); });
  dialog->open();
}

}  // namespace strata::ui
