#include "ui/panels/import_file_table.h"

#include <QComboBox>
#include <QHeaderView>
#include <algorithm>
#include <functional>

#include "ui/data/text.h"

namespace strata::ui {
namespace {

enum FileRole { kTrain, kValid, kTest, kLeftOut };
enum FileColumn { kRole, kSet, kSource, kTarget };

QTableWidgetItem* pathItem(const std::string& path) {
  auto* item = new QTableWidgetItem(qs(path));
  item->setToolTip(qs(path));
  return item;
}

}  // namespace

ImportFileTable::ImportFileTable(QWidget* parent) : QTableWidget(0, 4, parent) {
  setHorizontalHeaderLabels({tr("For"), tr("Name"), tr("Source file"), tr("Target file")});
  setTabKeyNavigation(false);
  verticalHeader()->hide();
  verticalHeader()->setDefaultSectionSize(28);
  setShowGrid(false);
  setTextElideMode(Qt::ElideLeft);
  setSelectionBehavior(QAbstractItemView::SelectRows);
  setColumnWidth(kRole, 96);
  setColumnWidth(kSet, 96);
  for (const int column : {kSource, kTarget})
    horizontalHeader()->setSectionResizeMode(column, QHeaderView::Stretch);
  setFixedHeight(118);
  connect(this, &QTableWidget::itemChanged, this, &ImportFileTable::edited);
  connect(this, &QTableWidget::cellActivated, this, &ImportFileTable::openCell);
}

int ImportFileTable::roleOf(int row) const {
  const auto* box = qobject_cast<QComboBox*>(cellWidget(row, kRole));
  return box ? box->currentIndex() : int(kLeftOut);
}

QString ImportFileTable::textIn(int row, int column) const {
  const QTableWidgetItem* found = item(row, column);
  return found ? found->text() : QString();
}

void ImportFileTable::addRow(int role, const QString& set, const PairInput& files) {
  const int row = rowCount();
  insertRow(row);
  auto* box = new QComboBox(this);
  box->addItems({tr("train"), tr("valid"), tr("test"), tr("leave out")});
  box->setAccessibleName(tr("What the files of row %1 are for").arg(row + 1));
  box->setFocusPolicy(Qt::NoFocus);  // the arrow keys walk through the table, Enter opens the box
  box->setCurrentIndex(role);
  auto* cell = new QTableWidgetItem;
  cell->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
  const auto speak = [cell, box] { cell->setData(Qt::AccessibleTextRole, box->currentText()); };
  speak();
  setItem(row, kRole, cell);
  setCellWidget(row, kRole, box);
  setItem(row, kSet, new QTableWidgetItem(set));
  setItem(row, kSource, pathItem(files.source.location));
  setItem(row, kTarget, pathItem(files.targets.front().location));
  connect(box, &QComboBox::currentIndexChanged, this, speak);
  connect(box, &QComboBox::currentIndexChanged, this, &ImportFileTable::edited);
}

void ImportFileTable::openCell(int row, int column) {
  if (auto* box = qobject_cast<QComboBox*>(cellWidget(row, column))) return box->showPopup();
  editItem(item(row, column));
}

void ImportFileTable::setFiles(const PrepareOptions& options) {
  setRowCount(0);
  for (const PairInput& pair : options.train) addRow(kTrain, {}, pair);
  for (const SetInput& set : options.sets) {
    for (const PairInput& part : set.parts) addRow(set.test ? kTest : kValid, qs(set.name), part);
  }
}

void ImportFileTable::addFilesTo(PrepareOptions& options) const {
  for (int row = 0; row < rowCount(); ++row) {
    const int role = roleOf(row);
    if (role == kLeftOut) continue;
    PairInput pair{.source = {.location = toStd(textIn(row, kSource))},
                   .targets = {{.location = toStd(textIn(row, kTarget))}}};
    if (role == kTrain) {
      options.train.push_back(std::move(pair));
      continue;
    }
    std::string name = toStd(textIn(row, kSet).trimmed());
    if (name.empty()) name = role == kTest ? "test" : "valid";
    options.sets.push_back({name, role == kTest, {std::move(pair)}});
  }
}

void ImportFileTable::removeSelectedRows() {
  QList<int> rows;
  for (const QModelIndex& index : selectionModel()->selectedRows()) rows << index.row();
  std::ranges::sort(rows, std::greater<>());
  for (const int row : rows) removeRow(row);
}

void ImportFileTable::swapSides() {
  for (int row = 0; row < rowCount(); ++row) {
    QTableWidgetItem* left = takeItem(row, kSource);
    setItem(row, kSource, takeItem(row, kTarget));
    setItem(row, kTarget, left);
  }
}

QStringList ImportFileTable::savedRows() const {
  QStringList rows;
  for (int row = 0; row < rowCount(); ++row) {
    rows << QStringList{QString::number(roleOf(row)), textIn(row, kSet), textIn(row, kSource),
                        textIn(row, kTarget)}
                .join(QLatin1Char('\t'));
  }
  return rows;
}

void ImportFileTable::addSavedRows(const QStringList& rows) {
  for (const QString& row : rows) {
    const QStringList parts = row.split(QLatin1Char('\t'));
    if (parts.size() != 4) continue;
    addRow(std::clamp(parts[0].toInt(), int(kTrain), int(kLeftOut)), parts[1],
           {.source = {.location = toStd(parts[2])}, .targets = {{.location = toStd(parts[3])}}});
  }
}

}  // namespace strata::ui
