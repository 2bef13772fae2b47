#include "ui/data/drawn_runs.h"

#include <algorithm>
#include <utility>

#include "ui/data/saved_state.h"

namespace strata::ui {
namespace {

constexpr int kFirstLines = 8;  // as many as colours tell apart
constexpr int kFirstRuns = 24;

// Runs that an older version created are each a group of their own.
QString lineKey(const RunRow& run) {
  return run.group.isEmpty() ? QStringLiteral("run %1").arg(run.id) : run.group;
}

}  // namespace

void DrawnRuns::setRuns(const QVector<RunRow>& runs) {
  runs_ = newestFirst(runs);
  QSet<qint64> running;
  for (const RunRow& run : runs_) {
    if (run.isRunning()) running << run.id;
  }
  const QSet<qint64> started = running - std::exchange(running_, running);
  if (!begun_) addFirst();
  chosen_ += started;
  update();
}

// The runs of the last session. Without one those that train, and if none does, the newest that
// have data.
void DrawnRuns::addFirst() {
  begun_ = !runs_.isEmpty();
  for (const RunRow& run : runs_) {
    if (restored_.contains(run.id)) chosen_ << run.id;
  }
  if (!chosen_.isEmpty() || !running_.isEmpty()) return;
  QSet<QString> lines;
  for (const RunRow& run : runs_) {
    if (run.waits() || chosen_.size() == kFirstRuns) continue;
    if (lines.size() == kFirstLines && !lines.contains(lineKey(run))) continue;
    lines << lineKey(run);
    chosen_ << run.id;
  }
}

// A run in the trash is not among runs_; if it comes back, it is drawn as it was.
void DrawnRuns::choose(const QVector<qint64>& runs) {
  for (const RunRow& run : std::as_const(runs_)) {
    if (runs.contains(run.id))
      chosen_ << run.id;
    else
      chosen_.remove(run.id);
  }
  update();
}

QVector<qint64> DrawnRuns::ids() const {
  QVector<qint64> ids;
  for (const DrawnRun& run : drawn_) ids << run.run;
  return ids;
}

// A group keeps the line that it got when it was first drawn; of several new ones the oldest gets
// the first.
void DrawnRuns::update() {
  for (auto run = runs_.rbegin(); run != runs_.rend(); ++run) {
    if (isDrawn(run->id) && !lines_.contains(lineKey(*run))) lines_ << lineKey(*run);
  }
  QVector<DrawnRun> drawn;
  for (const RunRow& run : std::as_const(runs_)) {
    if (isDrawn(run.id)) drawn.push_back({run.id, run.name, int(lines_.indexOf(lineKey(run)))});
  }
  if (drawn == drawn_) return;
  drawn_ = drawn;
  emit changed(drawn_);
}

Json DrawnRuns::saveState() const {
  return {{"runs", jsonOf(begun_ ? ids() : restored_)}, {"lines", jsonOf(QStringList(lines_))}};
}

void DrawnRuns::restoreState(const Json& state) {
  const SavedState saved(state);
  restored_ = saved.numbers("runs").value_or(QVector<qint64>());
  lines_ = saved.texts("lines").value_or(QStringList());
  lines_.removeIf([seen = QSet<QString>()](const QString& key) mutable {
    return seen.contains(key) || (seen << key, false);
  });
}

}  // namespace strata::ui
