#include "ui/widgets/run_box.h"

#include <QSignalBlocker>
#include <algorithm>

#include "ui/widgets/building.h"

namespace strata::ui {
namespace {

QString entryText(const RunRow& run) {
  return run.missing ? RunBox::tr("%1 (folder missing)").arg(run.name) : run.name;
}

}  // namespace

RunBox::RunBox(QWidget* parent) : QComboBox(parent) {
  setMinimumWidth(150);
  hide();
}

void RunBox::keepShown() {
  kept_ = true;
  show();
}

bool RunBox::lists(const QVector<RunRow>& runs) const {
  const int first = none_.isEmpty() ? 0 : 1;
  if (count() != first + runs.size()) return false;
  for (int i = 0; i < runs.size(); ++i) {
    if (itemData(first + i).toLongLong() != runs[i].id || itemText(first + i) != entryText(runs[i]))
      return false;
  }
  return true;
}

void RunBox::setRuns(const QVector<RunRow>& runs, qint64 selected) {
  const QSignalBlocker blocker(this);
  if (!lists(runs)) {
    clear();
    if (!none_.isEmpty()) addItem(none_, qint64(0));
    missing_.clear();
    for (const RunRow& run : runs) {
      addItem(entryText(run), run.id);
      if (run.missing) missing_.insert(run.id, missingText(run));
    }
  }
  setCurrentIndex(count() == 0 ? -1 : std::max(0, findData(selected)));
}

bool RunBox::showRun(qint64 run) {
  return selectData(this, run);
}

}  // namespace strata::ui
