#include "ui/data/values.h"

#include <algorithm>
#include <iterator>

#include "ui/data/text.h"

namespace strata::ui {
namespace {

bool same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

}  // namespace

bool operator==(const RunFacts& a, const RunFacts& b) {
  return a.id == b.id && a.name == b.name && a.status == b.status && a.preset == b.preset &&
         a.group == b.group && a.dataset == b.dataset && a.metric == b.metric &&
         same(a.best, b.best) && same(a.last, b.last) && a.bestStep == b.bestStep &&
         a.lastStep == b.lastStep && a.step == b.step &&
         same(a.tokensPerSecond, b.tokensPerSecond) && same(a.seconds, b.seconds) &&
         a.seed == b.seed && a.tags == b.tags && a.note == b.note && a.message == b.message &&
         a.diverged == b.diverged && a.pending == b.pending && a.folder == b.folder &&
         a.trashed == b.trashed && a.missing == b.missing && a.created == b.created;
}

QString missingText(const RunFacts& run) {
  return translated(
             "The folder of %1 is missing: %2.\nPut it back, or remove the run from the list "
             "(Monitor, or strata-run workspace forget %3).")
      .arg(run.name, run.folder)
      .arg(run.id);
}

const RunRow* findRun(const QVector<RunRow>& runs, qint64 id) {
  const auto found = std::ranges::find(runs, id, &RunRow::id);
  return found == runs.end() ? nullptr : &*found;
}

QVector<RunRow> newestFirst(const QVector<RunRow>& runs) {
  QVector<RunRow> found;
  found.reserve(runs.size());
  std::copy_if(runs.rbegin(), runs.rend(), std::back_inserter(found),
               [](const RunRow& run) { return !run.trashed; });
  if (!std::ranges::is_sorted(found, std::ranges::greater(), &RunRow::id))  // usually it is
    std::ranges::sort(found, std::ranges::greater(), &RunRow::id);
  return found;
}

}  // namespace strata::ui
