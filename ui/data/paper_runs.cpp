#include "ui/data/paper_runs.h"

#include <QHash>
#include <algorithm>

#include "ui/data/text.h"

namespace strata::ui {

const RunRow* PaperRuns::find(const QString& name) const {
  const auto found = std::ranges::find_if(
      runs_, [&](const RunRow& run) { return !run.trashed && run.name == name; });
  return found == runs_.end() ? nullptr : &*found;
}

QString PaperRuns::statusOf(const QString& name) const {
  const RunRow* run = find(name);
  if (!run) return translated("missing");
  if (run->status == RunStatus::kFinished) return translated("trained, not scored");
  if (run->status != RunStatus::kRunning) return qs(nameOf(run->status));
  const auto planned = std::ranges::find(result_.runs, name, &PaperRunState::name);
  const qint64 last = planned == result_.runs.end() ? 0 : planned->maxUpdates;
  if (last <= 0) return translated("running, step %1").arg(countText(run->step));
  return translated("running %1 %").arg(std::min<qint64>(100, 100 * run->step / last));
}

QStringList PaperRuns::namesOfRow(int row) const {
  QStringList names;
  if (row < 0 || row >= result_.rows.size()) return names;
  for (const PaperRunState& run : result_.runs) {
    if (run.rows.contains(result_.rows[row].name)) names << run.name;
  }
  return names;
}

bool PaperRuns::hasRunsOfRow(int row) const {
  return std::ranges::any_of(namesOfRow(row),
                             [this](const QString& name) { return find(name) != nullptr; });
}

int PaperRuns::missingOf(const QString& row) const {
  return int(std::ranges::count_if(result_.runs, [&](const PaperRunState& run) {
    if (!row.isEmpty() && !run.rows.contains(row)) return false;
    const RunRow* found = find(run.name);
    return !found || found->status == RunStatus::kCreated ||
           found->status == RunStatus::kInterrupted;
  }));
}

QString PaperRuns::stateOfRow(int row) const {
  const PaperRowState& shown = result_.rows[row];
  if (!shown.quoted.isEmpty()) return translated("quoted");
  QStringList order;
  QHash<QString, int> counts;
  for (const QString& name : namesOfRow(row)) {
    QString state = statusOf(name);
    for (const PaperCellState& cell : shown.cells) {
      for (const PaperCellState::Run& run : cell.runs) {
        if (run.name == name && !run.text.isEmpty()) state = translated("scored");
      }
    }
    if (counts[state]++ == 0) order << state;
  }
  for (QString& state : order) state = QStringLiteral("%1 %2").arg(counts[state]).arg(state);
  return order.isEmpty() ? translated("cannot be run here") : order.join(QStringLiteral(", "));
}

QStringList PaperRuns::statesOfRows() const {
  QStringList states;
  for (int row = 0; row < result_.rows.size(); ++row) states << stateOfRow(row);
  return states;
}

QStringList PaperRuns::statusesNow() const {
  QStringList statuses;
  for (const PaperRunState& run : result_.runs) {
    const RunRow* found = find(run.name);
    statuses << (found ? qs(nameOf(found->status)) : QString());
  }
  return statuses;
}

QStringList PaperRuns::statusesMeasured() const {
  QStringList statuses;
  for (const PaperRunState& run : result_.runs) statuses << run.status;
  return statuses;
}

}  // namespace strata::ui
