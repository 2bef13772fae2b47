#include "ui/data/series_watch.h"

#include <QSet>
#include <algorithm>

#include "ui/data/text.h"

namespace strata::ui {
namespace {
constexpr std::size_t kPointsAtOnce = 200'000;
}  // namespace

SeriesWatch::SeriesWatch(const QVector<SeriesKey>& keys) {
  for (const SeriesKey& key : keys) watched_[key] = {};
}

void SeriesWatch::goOnFrom(SeriesWatch& earlier) {
  names_ = std::move(earlier.names_);
  for (auto& [key, cursor] : watched_) {
    const auto found = earlier.watched_.find(key);
    if (found != earlier.watched_.end())
      cursor = found->second;
    else if (key.name.isEmpty())
      names_.remove(key.runId);
  }
}

void SeriesWatch::read(OpenWorkspace& open, const Send<News>& send) {
  News news = read(open.workspace);
  // One by one: the window does something else in between.
  for (auto& names : news.names) send({.names = {std::move(names)}, .points = {}});
  for (const auto& part : inParts(news.points, kPointsAtOnce)) send({.names = {}, .points = part});
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
