#include "ui/data/seed_groups.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>

#include "ui/data/text.h"

namespace strata::ui {
namespace {

// "dec-sa4" of "dec-sa4-s2", "dec-sa4-seed2" and "dec-sa4-2".
QString nameWithoutSeed(const QString& name) {
  static const QRegularExpression seed(QStringLiteral("[-_ .#]+(?:s|seed)?[-_ ]*\\d+$"));
  const QString rest = QString(name).remove(seed);
  return rest.isEmpty() ? name : rest;
}

// Of runs whose group is unknown, everything that is known of it.
QString keyOf(const RunRow& run) {
  if (!run.group.isEmpty()) return run.group;
  return QStringList{run.preset, run.dataset, nameWithoutSeed(run.name)}.join(QChar(u'\n'));
}

}  // namespace

QVector<SeedGroup> seedGroups(const QVector<RunRow>& all, const QVector<qint64>& chosen) {
  QVector<SeedGroup> groups;
  QStringList keys;
  for (const qint64 id : chosen) {
    const RunRow* run = findRun(all, id);
    if (run == nullptr) continue;
    const QString key = keyOf(*run);
    if (!keys.contains(key)) {
      keys << key;
      groups << SeedGroup{run->name, {}};
    }
    groups[keys.indexOf(key)].runs << id;
  }
  for (SeedGroup& group : groups) {
    if (group.runs.size() < 2) continue;
    group.label =
        translated("%1, %2 seeds").arg(nameWithoutSeed(group.label)).arg(group.runs.size());
  }
  return groups;
}

}  // namespace strata::ui
