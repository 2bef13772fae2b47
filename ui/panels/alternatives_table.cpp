#include "ui/panels/alternatives_table.h"

#include <QSignalBlocker>

#include "ui/data/text.h"
#include "ui/widgets/building.h"

namespace strata::ui {

AlternativesTable::AlternativesTable(QWidget* parent) : QTableWidget(0, 3, parent) {
  setPlain(this, {tr("rank"), tr("score"), tr("alternative")});
  setColumnWidth(0, 64);
  setColumnWidth(1, 84);
}

void AlternativesTable::setHypotheses(const std::vector<Hypothesis>& hypotheses) {
  const QSignalBlocker blocker(this);
  setRowCount(int(hypotheses.size()));
  for (int row = 0; row < int(hypotheses.size()); ++row) {
    const Hypothesis& hypothesis = hypotheses[std::size_t(row)];
    setItem(row, 0, new QTableWidgetItem(QString::number(row + 1)));
    setItem(row, 1, new QTableWidgetItem(QString::number(hypothesis.score, 'f', 3)));
    setItem(row, 2, new QTableWidgetItem(qs(hypothesis.text)));
  }
  setCurrentCell(0, 2);
}

}  // namespace strata::ui
