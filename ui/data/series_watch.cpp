#include "ui/data/series_watch.h"

#include <QSet>
#include <algorithm>

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

QVector<QVector<SeriesPoints>> SeriesWatch::inParts(const QVector<SeriesPoints>& points,
                                                    std::size_t most) {
  QVector<QVector<SeriesPoints>> parts;
  std::size_t room = 0;
  for (const SeriesPoints& series : points) {
    std::size_t at = 0;
    do {
      if (room == 0) {
        parts.push_back({});
        room = most;
      }
      const std::size_t end = std::min(series.points.size(), at + room);
      SeriesPoints part{series.key, {}, series.replaces && at == 0};
      part.points.assign(series.points.begin() + std::ptrdiff_t(at),
                         series.points.begin() + std::ptrdiff_t(end));
      room -= end - at;
      parts.back() << std::move(part);
      at = end;
    } while (at < series.points.size());
  }
  return parts;
}

}  // namespace strata::ui
