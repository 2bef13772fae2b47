#include "ui/data/seed_groups.h"

#include <QStringList>

#include "core/sweeps/run_groups.h"
#include "ui/data/text.h"

namespace strata::ui {

RunSummary groupedSummary(const RunRow& run) {
  RunSummary made;
  made.id = run.id;
  made.name = toStd(run.name);
  made.preset = toStd(run.preset);
  made.dataset = toStd(run.dataset);
  made.group = toStd(run.group);
  made.status = run.status;
  made.metric = toStd(run.metric);
  made.best = run.best;
  made.last = run.last;
  made.tokensPerSecond = run.tokensPerSecond;
  made.seconds = run.seconds;
  made.seed = run.seed;
  return made;
}

QVector<SeedGroup> seedGroups(const QVector<RunRow>& all, const QVector<qint64>& chosen) {
  QVector<SeedGroup> groups;
  QStringList keys;
  for (const qint64 id : chosen) {
    const RunRow* run = findRun(all, id);
    if (run == nullptr) continue;
    const QString key = qs(groupKeyOf(groupedSummary(*run)));
    if (!keys.contains(key)) {
      keys << key;
      groups << SeedGroup{run->name, {}};
    }
    groups[keys.indexOf(key)].runs << id;
  }
  for (SeedGroup& group : groups) {
    if (group.runs.size() < 2) continue;
    group.label = translated("%1, %2 seeds")
                      .arg(qs(nameWithoutSeed(toStd(group.label))))
                      .arg(group.runs.size());
  }
  return groups;
}

}  // namespace strata::ui
