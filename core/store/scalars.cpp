#include "core/store/scalars.h"

#include <algorithm>
#include <optional>

#include "core/store/chunk.h"
#include "core/store/database.h"
#include "core/store/imported.h"

namespace strata {
namespace {

struct SeriesRow {
  std::int64_t id = 0, generation = 0, count = 0;
};

std::optional<SeriesRow> findSeries(Database& database, std::int64_t run, const std::string& name) {
  Query row(database, "SELECT id, generation, count FROM series WHERE run = ? AND name = ?", run,
            name);
  if (!row.next()) return {};
  return SeriesRow{row.integer(0), row.integer(1), row.integer(2)};
}

// The points from `position` on.
std::vector<ScalarPoint> pointsFrom(Database& database, const SeriesRow& series,
                                    std::int64_t position) {
  std::vector<ScalarPoint> points;
  const std::int64_t chunkStart = position - position % kChunkPoints;
  points.reserve(static_cast<std::size_t>(std::max<std::int64_t>(series.count - chunkStart, 0)));
  std::int64_t first = -1;  // position of points[0]
  Query chunks(database,
               "SELECT position, data FROM chunks WHERE series = ? AND position >= ? ORDER BY "
               "position",
               series.id, chunkStart);
  while (chunks.next()) {
    if (first < 0) first = chunks.integer(0);
    unpackChunk(database, chunks.blob(1), points);
  }
  if (first >= 0 && first < position)
    points.erase(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(position - first));
  Query rows(database,
             "SELECT step, wall, value FROM points WHERE series = ? AND position >= ? ORDER BY "
             "position",
             series.id, position);
  while (rows.next())
    points.push_back({rows.integer(0), static_cast<double>(rows.integer(1)) / 1e6, rows.number(2)});
  if (std::ssize(points) != series.count - position) {
    throw IndexDamaged(
        "{}: a series has {} points from position {} on instead of {}: run `strata-run workspace "
        "repair`",
        database.file().string(), points.size(), position, series.count - position);
  }
  return points;
}

}  // namespace

double SeriesSummary::best() const {
  if (direction == SeriesDirection::kUnknown) return std::numeric_limits<double>::quiet_NaN();
  return direction == SeriesDirection::kHigher ? maximum : minimum;
}

std::int64_t SeriesSummary::bestStep() const {
  if (direction == SeriesDirection::kUnknown) return -1;
  return direction == SeriesDirection::kHigher ? maximumLast : minimumLast;
}

std::vector<SeriesSummary> listSeries(Workspace& workspace, std::int64_t run) {
  Query rows(
      workspace.database(),
      "SELECT name, count, last_step, last_value, minimum, minimum_step, maximum, "
      "maximum_step, minimum_last, maximum_last, non_finite, better FROM series WHERE run = ? "
      "AND count > 0 ORDER BY name",
      run);
  return rows.all([&](Query& row) {
    return SeriesSummary{.run = run,
                         .name = row.text(0),
                         .count = row.integer(1),
                         .lastStep = row.integer(2),
                         .lastValue = row.number(3),
                         .minimum = row.number(4),
                         .maximum = row.number(6),
                         .minimumStep = row.integer(5),
                         .maximumStep = row.integer(7),
                         .minimumLast = row.integer(8),
                         .maximumLast = row.integer(9),
                         .nonFinite = row.integer(10),
                         .direction = directionOfSign(row.integer(11))};
  });
}

std::vector<ScalarPoint> readSeries(Workspace& workspace, std::int64_t run,
                                    const std::string& name) {
  return readSeries(workspace.database(), run, name);
}

std::vector<ScalarPoint> readSeries(Database& database, std::int64_t run, const std::string& name) {
  return database.read([&]() -> std::vector<ScalarPoint> {
    const auto series = findSeries(database, run, name);
    return series ? pointsFrom(database, *series, 0) : std::vector<ScalarPoint>();
  });
}

std::vector<ScalarPoint> readLastPoints(Workspace& workspace, std::int64_t run,
                                        const std::string& name, std::int64_t count) {
  Database& database = workspace.database();
  return database.read([&]() -> std::vector<ScalarPoint> {
    const auto series = findSeries(database, run, name);
    if (!series) return {};
    return pointsFrom(database, *series, std::max<std::int64_t>(0, series->count - count));
  });
}

SeriesIncrement readSeriesSince(Workspace& workspace, std::int64_t run, const std::string& name,
                                const SeriesCursor& since) {
  Database& database = workspace.database();
  return database.read([&]() -> SeriesIncrement {
    const auto series = findSeries(database, run, name);
    if (!series) return {.points = {}, .replaces = since.generation >= 0, .next = {}};
    const bool goesOn = since.generation == series->generation && since.count <= series->count;
    SeriesIncrement increment;
    increment.replaces = !goesOn;
    increment.next = {series->generation, series->count};
    if (!goesOn || since.count < series->count)
      increment.points = pointsFrom(database, *series, goesOn ? since.count : 0);
    return increment;
  });
}

}  // namespace strata
