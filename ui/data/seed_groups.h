#pragma once
#include <QString>
#include <QVector>

#include "ui/data/values.h"

namespace strata::ui {

// Runs that differ only in their seed, in the order of the given ones.
struct SeedGroup {
  QString label;  // of the first, or "NAME, 3 seeds"
  QVector<qint64> runs;
};
// What of a run its group is formed and shown by.
RunSummary groupedSummary(const RunRow& run);
QVector<SeedGroup> seedGroups(const QVector<RunRow>& all, const QVector<qint64>& chosen);

}  // namespace strata::ui
