#include "ui/data/series_watch.h"

#include <QSet>

#include "ui/data/text.h"

namespace strata::ui {

void SeriesWatch::watch(const QVector<SeriesKey>& keys) {
  std::map<SeriesKey, SeriesCursor> next;
  for (const SeriesKey& key : keys) {
    const auto found = watched_.find(key);
    next[key] = found == watched_.end() ? SeriesCursor{} : found->second;
    if (key.name.isEmpty() && found == watched_.end()) names_.remove(key.runId);
  }
  watched_ = std::move(next);
}

SeriesWatch::News SeriesWatch::read(Workspace& workspace) {
  News news;
  QSet<qint64> runs;
  for (auto& [key, cursor] : watched_) {
    runs.insert(key.runId);
    if (key.name.isEmpty()) continue;
    SeriesIncrement increment = readSeriesSince(workspace, key.runId, toStd(key.name), cursor);
    const bool first = cursor.generation < 0;
    cursor = increment.next;
    if (increment.points.empty() && !increment.replaces && !first) continue;
    news.points << SeriesPoints{key, std::move(increment.points), increment.replaces};
  }
  for (const qint64 run : runs) {
    QStringList names;
    for (const SeriesSummary& series : listSeries(workspace, run)) names << qs(series.name);
    if (names_.contains(run) && names_[run] == names) continue;
    names_[run] = names;
    news.names.emplace_back(run, names);
  }
  return news;
}

}  // namespace strata::ui
