#include "ui/panels/paper_table_view.h"

#include <QPushButton>
#include <QScrollBar>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/data/text.h"
#include "ui/panels/paper_notes.h"
#include "ui/widgets/building.h"
#include "ui/widgets/report_table.h"

namespace strata::ui {
namespace {

constexpr int kStateColumn = 1, kButtonColumn = 2, kButtonWidth = 104,
              kTitleRoom = 14;  // of the shown table

}  // namespace

PaperTableView::PaperTableView(QWidget* parent) : QWidget(parent) {
  table_ = named(new ReportTable(this), "papersTable", tr("Table of the paper"));
  table_->setSortingEnabled(false);  // the paper's order
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          &PaperTableView::fillCells);
  connect(table_, &QTableView::activated, this,
          [this](const QModelIndex& index) { emit runsOpened(runs_.namesOfRow(index.row())); });
  cells_ = named(new ReportTable(this), "papersCells", tr("Runs of the table"));
  connect(cells_, &QTableView::activated, this, [this](const QModelIndex& index) {
    emit runsOpened({cells_->model()->index(index.row(), 0).data().toString()});
  });
  notes_ = named(new PaperNotes(this), "papersNotes");
  auto* below = makeSplitter(Qt::Horizontal, this, {{cells_, 600, 1}, {notes_, 400, 1}});
  makeLayout<QVBoxLayout>(this)->addWidget(
      makeSplitter(Qt::Vertical, this, {{table_, 400, 1}, {below, 190}}));
}

void PaperTableView::showResult(const PaperRuns& runs) {
  runs_ = runs;
  fillTable();
}

void PaperTableView::showProgress(const PaperRuns& runs) {
  runs_ = runs;
  if (runs_.statesOfRows() != states_) fillTable();
  fillCells();
}

// The table as `paper show` prints it, with each row's state and button next to its name.
void PaperTableView::fillTable() {
  const PaperResult& result = runs_.result();
  int current = table_->currentIndex().row();
  if (current < 0) {  // the first that can be run
    const auto first = std::ranges::find_if(
        result.rows, [](const PaperRowState& row) { return row.quoted.isEmpty(); });
    current = int(first - result.rows.begin());
  }
  const int across = table_->horizontalScrollBar()->value();
  const int down = table_->verticalScrollBar()->value();
  states_ = runs_.statesOfRows();
  Table shown = result.shown;
  shown.columns.insert(shown.columns.begin() + kStateColumn, {{toStd(tr("state"))}, {""}});
  for (std::size_t row = 0; row < shown.rows.size(); ++row)
    shown.rows[row].insert(shown.rows[row].begin() + kStateColumn,
                           {Cell(toStd(states_.value(qsizetype(row)))), Cell("")});
  table_->setTable(std::move(shown));
  // Titles are bold: they need more than the cells' font says.
  for (int column = 0; column < table_->model()->columnCount(); ++column)
    table_->setColumnWidth(column, table_->columnWidth(column) + kTitleRoom);
  table_->setColumnWidth(kButtonColumn, kButtonWidth);
  for (int row = 0; row < result.rows.size(); ++row) placeButton(row);
  table_->setCurrentIndex(
      table_->model()->index(std::min(current, int(result.rows.size()) - 1), 0));
  table_->horizontalScrollBar()->setValue(across);
  table_->verticalScrollBar()->setValue(down);
  notes_->showNotesOf(result);
  fillCells();
}

// An empty cell queues what is missing, a full one opens its runs.
void PaperTableView::placeButton(int row) {
  const QModelIndex place = table_->model()->index(row, kButtonColumn);
  const QString name = runs_.result().rows[row].name;
  const int missing = runs_.missingOf(name);
  const QString text = missing > 0               ? tr("Queue %1").arg(missing)
                       : runs_.hasRunsOfRow(row) ? tr("Open runs")
                                                 : QString();
  auto* button = qobject_cast<QPushButton*>(table_->indexWidget(place));
  if (text.isEmpty()) return table_->setIndexWidget(place, nullptr);
  if (!button) {
    button = named(new QPushButton(table_), QStringLiteral("papersRow%1").arg(row));
    table_->setIndexWidget(place, button);
    connect(button, &QPushButton::clicked, this, [this, row] {
      const QString chosen = runs_.result().rows[row].name;
      if (runs_.missingOf(chosen) > 0) {
        emit queueRequested({chosen});
      } else {
        emit runsOpened(runs_.namesOfRow(row));
      }
    });
  }
  button->setText(text);
  button->setAccessibleName(QStringLiteral("%1: %2").arg(name, text));
}

Table PaperTableView::cellsOf(const PaperRowState& row) const {
  Table shown{.columns = {{toStd(tr("run"))}, {toStd(tr("state"))}}};
  QStringList names;
  for (const PaperCellState& cell : row.cells) {
    shown.addColumn(toStd(cell.column));
    for (const PaperCellState::Run& run : cell.runs) {
      if (!names.contains(run.name)) names << run.name;
    }
  }
  for (const QString& name : names) {
    const QString status = runs_.statusOf(name);
    std::vector<Cell> cells{Cell(toStd(name)), Cell()};
    bool scored = false;
    for (const PaperCellState& cell : row.cells) {
      const auto run = std::ranges::find(cell.runs, name, &PaperCellState::Run::name);
      const bool here = run != cell.runs.end();
      scored = scored || (here && !run->text.isEmpty());
      cells.emplace_back(!here ? std::string(kNoValue)
                               : toStd(run->text.isEmpty() ? status : run->text));
    }
    cells[1] = Cell(toStd(scored ? tr("scored") : status));
    shown.rows.push_back(std::move(cells));
  }
  return shown;
}

void PaperTableView::fillCells() {
  const int row = table_->currentIndex().row();
  const auto& rows = runs_.result().rows;
  Table cells = row < 0 || row >= rows.size() ? Table() : cellsOf(rows[row]);
  if (tsvTable(cells) != tsvTable(cells_->table())) cells_->setTable(std::move(cells));
}

void PaperTableView::chooseRowOf(const QString& run) {
  for (int row = 0; row < runs_.result().rows.size(); ++row) {
    if (runs_.namesOfRow(row).contains(run))
      return table_->setCurrentIndex(table_->model()->index(row, 0));
  }
}

void PaperTableView::addCurrentRowTo(Here& here) const {
  if (!table_->currentIndex().isValid()) return;
  here.place = table_->readout();
  QString printed, ours;
  for (const TableColumn& column : table_->table().columns) {
    const QString title = qs(column.title);
    if (printed.isEmpty() && title.endsWith(QLatin1String(" paper"))) printed = title;
    if (ours.isEmpty() && title.endsWith(QLatin1String(" ours"))) ours = title;
  }
  here.add(QStringLiteral("x"), table_->cell(printed));
  here.add(QStringLiteral("m"), table_->cell(ours));
  here.add(QStringLiteral("Δ"), table_->cell(QStringLiteral("gain ours [95 %]")));
  here.add(QStringLiteral("Δ'"), table_->cell(QStringLiteral("gain paper")));
}

}  // namespace strata::ui
