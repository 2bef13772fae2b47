#include "ui/panels/runs_panel.h"

#include <QAction>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/panels/runs_model.h"
#include "ui/style/theme.h"
#include "ui/widgets/empty_state.h"

namespace strata::ui {
namespace {
constexpr int kRunHeight = 28;
constexpr int kWidestColumn = 4000;  // pixels, of a saved state
}  // namespace

RunsPanel::RunsPanel(QAction* runDemo, QAction* newRun, QWidget* parent)
    : Panel({QStringLiteral("runs"), QStringLiteral("runs"), tr("Runs"), tr("&Run")}, parent),
      model_(new RunsModel(this)),
      filter_(new RunsFilter(this)),
      table_(new QTableView(this)) {
  setObjectName(QStringLiteral("runsPanel"));
  auto* empty = new EmptyState(
      QStringLiteral("runs"), tr("No runs yet"),
      tr("Every training run of this workspace is listed here with its status, scores and speed. "
         "Run the demo to train a small model in about two minutes, or set up your own run."));
  empty->addAction(runDemo);
  empty->addAction(newRun);
  auto* content = new QWidget(this);
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  makeCommands();
  makeTable();
  layout->addWidget(makeToolBar());
  layout->addWidget(table_, 1);
  setContent(empty, content);
  updateCommands();
}

QAction* RunsPanel::command(const QString& name, const QString& icon, const QString& text,
                            const QKeySequence& keys) {
  auto* action = new QAction(themedIcon(icon), text, this);
  action->setObjectName(name);
  action->setShortcut(keys);
  action->setShortcutContext(Qt::WindowShortcut);
  action->setToolTip(
      keys.isEmpty() ? text : tr("%1 (%2)").arg(text, keys.toString(QKeySequence::NativeText)));
  addAction(action);
  return action;
}

void RunsPanel::makeCommands() {
  stop_ = command(QStringLiteral("stopRun"), QStringLiteral("stop"), tr("Stop the run"),
                  QKeySequence(tr("Ctrl+.")));
  pause_ = command(QStringLiteral("pauseRun"), QStringLiteral("pause"), tr("Pause the run"),
                   QKeySequence(tr("Ctrl+Shift+P")));
  resume_ = command(QStringLiteral("resumeRun"), QStringLiteral("resume"), tr("Resume the run"),
                    QKeySequence(tr("Ctrl+Shift+R")));
  rename_ = command(QStringLiteral("renameRun"), QStringLiteral("rename"), tr("Rename the run…"),
                    QKeySequence(Qt::Key_F2));
  tag_ = command(QStringLiteral("tagRun"), QStringLiteral("tag"), tr("Tag the runs…"),
                 QKeySequence(tr("Ctrl+T")));
  trash_ = command(QStringLiteral("trashRun"), QStringLiteral("trash"),
                   tr("Move the runs to the trash"), {});
  folder_ = command(QStringLiteral("openRunFolder"), QStringLiteral("folder"),
                    tr("Open the run's folder"), {});
  showTrash_ =
      command(QStringLiteral("showTrash"), QStringLiteral("trash"), tr("Show the trash"), {});
  showTrash_->setCheckable(true);
  connect(stop_, &QAction::triggered, this, [this] { emit stopRequested(selectedRuns()); });
  connect(pause_, &QAction::triggered, this, [this] { emit pauseRequested(selectedRuns()); });
  connect(resume_, &QAction::triggered, this, [this] { emit resumeRequested(selectedRuns()); });
  connect(rename_, &QAction::triggered, this, &RunsPanel::askName);
  connect(tag_, &QAction::triggered, this, &RunsPanel::askTag);
  connect(trash_, &QAction::triggered, this,
          [this] { emit trashRequested(selectedRuns(), !showTrash_->isChecked()); });
  connect(folder_, &QAction::triggered, this, [this] {
    for (const qint64 id : selectedRuns()) emit openFolderRequested(model_->run(id)->folder);
  });
  connect(showTrash_, &QAction::toggled, this, [this](bool on) {
    filter_->setShowTrash(on);
    trash_->setText(on ? tr("Restore the runs from the trash") : tr("Move the runs to the trash"));
    trash_->setToolTip(trash_->text());
    trash_->setIcon(themedIcon(on ? QStringLiteral("undo") : QStringLiteral("trash")));
    updateCommands();
  });
}

QWidget* RunsPanel::makeToolBar() {
  auto* bar = new QWidget(this);
  auto* layout = new QHBoxLayout(bar);
  layout->setContentsMargins(8, 6, 8, 6);
  layout->setSpacing(4);
  pattern_ = new QLineEdit(bar);
  pattern_->setObjectName(QStringLiteral("runsFilter"));
  pattern_->setPlaceholderText(tr("Filter by regular expression"));
  pattern_->setAccessibleName(tr("Runs filter"));
  pattern_->setClearButtonEnabled(true);
  pattern_->addAction(themedIcon(QStringLiteral("search")), QLineEdit::LeadingPosition);
  pattern_->setMaximumWidth(320);
  connect(pattern_, &QLineEdit::textChanged, this, [this](const QString& text) {
    const bool good = filter_->setPattern(text);
    pattern_->setToolTip(
        good ? QString()
             : tr("Not a valid regular expression; the previous filter still applies."));
    updateCommands();
  });
  layout->addWidget(pattern_, 1);
  count_ = new QLabel(bar);
  count_->setObjectName(QStringLiteral("runsCount"));
  count_->setProperty("muted", true);
  layout->addWidget(count_);
  layout->addStretch();
  for (QAction* action : {stop_, pause_, resume_, rename_, tag_, trash_, showTrash_}) {
    auto* button = new QToolButton(bar);
    button->setDefaultAction(action);
    button->setObjectName(action->objectName() + QStringLiteral("Button"));
    button->setProperty("flat", true);
    button->setIconSize(QSize(18, 18));
    layout->addWidget(button);
    if (action == resume_ || action == trash_) layout->addSpacing(10);
  }
  return bar;
}

void RunsPanel::makeTable() {
  filter_->setSourceModel(model_);
  table_->setObjectName(QStringLiteral("runsTable"));
  table_->setModel(filter_);
  table_->setSortingEnabled(true);
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
  table_->addActions({stop_, pause_, resume_, rename_, tag_, trash_, folder_});
  const int widths[RunsModel::kColumns] = {48,  240, 96,  150, 120, 96, 115,
                                           115, 66,  120, 104, 56,  100};
  for (int column = 0; column < RunsModel::kColumns; ++column)
    table_->setColumnWidth(column, widths[column]);
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          &RunsPanel::updateCommands);
  connect(table_, &QTableView::activated, this, [this](const QModelIndex& index) {
    const qint64 run = index.data(RunsModel::kRunIdRole).toLongLong();
    emit showRequested(QStringLiteral("watch"));
    share({.drawn = QVector<qint64>{run}, .run = run});
  });
}

void RunsPanel::setRuns(const QVector<RunRow>& runs) {
  model_->setRuns(runs);
  setEmpty(runs.isEmpty());
  updateCommands();
}

QVector<qint64> RunsPanel::selectedRuns() const {
  QVector<qint64> ids;
  for (const QModelIndex& index : table_->selectionModel()->selectedRows()) {
    ids << index.data(RunsModel::kRunIdRole).toLongLong();
  }
  return ids;
}

void RunsPanel::selectRun(qint64 id) {
  for (int row = 0; row < filter_->rowCount(); ++row) {
    if (filter_->index(row, 0).data(RunsModel::kRunIdRole).toLongLong() == id)
      table_->selectRow(row);
  }
}

Json RunsPanel::saveState() const {
  const QHeaderView* header = table_->horizontalHeader();
  QVector<qint64> widths, order;
  for (int column = 0; column < RunsModel::kColumns; ++column) {
    widths << header->sectionSize(column);
    order << header->logicalIndex(column);
  }
  return {{"filter", toStd(pattern_->text())},
          {"trash", showTrash_->isChecked()},
          {"sort", header->sortIndicatorSection()},
          {"descending", header->sortIndicatorOrder() == Qt::DescendingOrder},
          {"widths", jsonOf(widths)},
          {"order", jsonOf(order)}};
}

void RunsPanel::restoreState(const Json& state) {
  const SavedState saved(state);
  saved.line("filter", pattern_);
  saved.check("trash", showTrash_);
  if (const auto column = saved.number("sort", 0, RunsModel::kColumns - 1))
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
    resumable += !run->isActive();
  }
  stop_->setEnabled(active > 0);
  pause_->setEnabled(running > 0);
  resume_->setEnabled(resumable > 0 && !showTrash_->isChecked());
  rename_->setEnabled(selected.size() == 1);
  tag_->setEnabled(!selected.isEmpty());
  folder_->setEnabled(!selected.isEmpty());
  trash_->setEnabled(!selected.isEmpty() && active == 0);
  const int shown = filter_->rowCount(), all = int(model_->runs().size());
  count_->setText(shown == all ? tr("%n run(s)", nullptr, all)
                               : tr("%1 of %n run(s)", nullptr, all).arg(shown));
}

void RunsPanel::askName() {
  const QVector<qint64> ids = selectedRuns();
  if (ids.size() != 1) return;
  auto* dialog = new QInputDialog(this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setObjectName(QStringLiteral("renameDialog"));
  dialog->setWindowTitle(tr("Rename the run"));
  dialog->setLabelText(tr("Name (unique in this workspace, without / and @):"));
  dialog->setTextValue(model_->run(ids.front())->name);
  connect(dialog, &QInputDialog::textValueSelected, this,
          [this, id = ids.front()](const QString& name) {
            if (!name.trimmed().isEmpty()) emit renameRequested(id, name.trimmed());
          });
  dialog->open();
}

void RunsPanel::askTag() {
  auto* dialog = new QInputDialog(this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setObjectName(QStringLiteral("tagDialog"));
  dialog->setWindowTitle(tr("Tag the runs"));
  dialog->setLabelText(tr("Tag (entering an existing tag removes it):"));
  connect(dialog, &QInputDialog::textValueSelected, this,
          [this, ids = selectedRuns()](const QString& tag) {
            if (!tag.trimmed().isEmpty()) emit tagRequested(ids, tag.trimmed());
          });
  dialog->open();
}

}  // namespace strata::ui
