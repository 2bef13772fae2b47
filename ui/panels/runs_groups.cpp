// Runs that differ only in their seed as one line.
#include <QAction>
#include <QHeaderView>
#include <QScopedValueRollback>
#include <QStackedWidget>
#include <QToolButton>

#include "core/sweeps/run_groups.h"
#include "ui/data/seed_groups.h"
#include "ui/data/text.h"
#include "ui/panels/runs_model.h"
#include "ui/panels/runs_panel.h"
#include "ui/widgets/building.h"
#include "ui/widgets/report_table.h"

namespace strata::ui {
namespace {

// What the columns of groups mean.
QString groupTip(const QString& title) {
  if (title == QLatin1String("best") || title == QLatin1String("last"))
    return RunsPanel::tr("Mean over the runs that have a score");
  if (title.startsWith(QLatin1String("std")))
    return RunsPanel::tr("Standard deviation over the runs");
  if (title == QLatin1String("low") || title == QLatin1String("high"))
    return RunsPanel::tr("95 % confidence interval of the mean best score (Student's t)");
  return {};
}
}  // namespace

void RunsPanel::addGroupChoice() {
  difference_ = command("compareSettings", "compare",
                        tr("Show how the settings of two runs differ"), {}, [this] {
                          const QVector<qint64> runs = selectedRuns();
                          share({.run = runs.value(0), .other = runs.value(1)});
                          emit differencesRequested();
                        });
  grouped_ = command("groupSeeds", "average", tr("Seeds as one line"), {}, {});
  grouped_->setToolTip(
      tr("Runs that differ only in their seed as one line: mean, deviation and interval"));
  grouped_->setCheckable(true);
  connect(grouped_, &QAction::toggled, this, [this](bool on) {
    tables_->setCurrentIndex(on ? 1 : 0);
    columns_->setEnabled(!on);
    shownRunsChanged();
  });
}

void RunsPanel::makeGroups() {
  groups_->setTips(groupTip);
  groups_->addActions(table_->actions());
  connect(groups_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
    if (!fillingGroups_) selectGroupedRuns();
  });
  connect(groups_, &QTableView::activated, this, [this](const QModelIndex& index) {
    openRuns(runsOfGroups_.value(index.siblingAtColumn(0).data().toString()));
  });
  tables_ = new QStackedWidget(this);
  tables_->addWidget(table_);
  tables_->addWidget(groups_);
}

QStringList RunsPanel::selectedGroups() const {
  QStringList names;
  for (const QModelIndex& index : groups_->selectionModel()->selectedRows())
    names << index.data().toString();
  return names;
}

void RunsPanel::selectGroupedRuns() {
  QVector<qint64> runs;
  for (const QString& group : selectedGroups()) runs += runsOfGroups_.value(group);
  selectRuns(runs);
}

// Keeps order and selection.
void RunsPanel::refreshGroups() {
  if (!grouped_->isChecked()) return;
  std::vector<RunSummary> runs;
  for (int row = 0; row < filter_->rowCount(); ++row)
    runs.push_back(
        groupedSummary(model_->runs()[filter_->mapToSource(filter_->index(row, 0)).row()]));
  const std::vector<RunGroup> groups = runGroups(runs);
  runsOfGroups_.clear();
  for (const RunGroup& group : groups) {
    for (const RunSummary& run : group.runs) runsOfGroups_[qs(group.name)] << run.id;
  }
  Table table = shownTable(groups);
  if (tsvTable(table) == tsvTable(groups_->table())) return;
  const QStringList selected = selectedGroups();
  const int section = groups_->horizontalHeader()->sortIndicatorSection();
  const Qt::SortOrder order = groups_->horizontalHeader()->sortIndicatorOrder();
  const QScopedValueRollback filling(fillingGroups_, true);
  groups_->setTable(std::move(table));
  if (section >= 0) groups_->sortByColumn(section, order);
  for (int row = 0; row < groups_->model()->rowCount(); ++row) {
    const QModelIndex index = groups_->model()->index(row, 0);
    if (selected.contains(index.data().toString()))
      groups_->selectionModel()->select(index,
                                        QItemSelectionModel::Select | QItemSelectionModel::Rows);
  }
  if (!selected.isEmpty()) selectGroupedRuns();  // a group may have a new run
}

}  // namespace strata::ui
