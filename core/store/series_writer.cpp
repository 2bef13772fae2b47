#include "core/store/series_writer.h"

#include <algorithm>
#include <limits>

#include "core/base/error.h"

namespace strata {
namespace {

PackedPoint pointOf(Query& row, int column) {
  return {row.integer(column), row.integer(column + 1), row.number(column + 2)};
}

void readStatistics(Query& row, int column, PointStatistics& out) {
  out.minimum = row.number(column);
  out.minimumStep = row.integer(column + 1);
  out.maximum = row.number(column + 2);
  out.maximumStep = row.integer(column + 3);
  out.nonFinite = row.integer(column + 4);
}

}  // namespace

SeriesWriter::State& SeriesWriter::stateOf(std::string_view name) {
  if (const auto found = states_.find(name); found != states_.end()) return found->second;
  State state;
  Query row(database_,
            "SELECT id, generation, count, sealed, last_step, last_value, minimum, minimum_step, "
            "maximum, maximum_step, non_finite FROM series WHERE run = ? AND name = ?");
  if (row.with(run_, name).next()) {
    state.id = row.integer(0);
    state.generation = row.integer(1);
    state.count = row.integer(2);
    state.sealed = row.integer(3);
    state.lastStep = row.integer(4);
    state.lastValue = row.number(5);
    readStatistics(row, 6, state.statistics);
  } else {
    Query(database_,
          "INSERT INTO series (run, name, generation, count, sealed, last_step, minimum_step, "
          "maximum_step, non_finite) VALUES (?, ?, 0, 0, 0, -1, -1, -1, 0)")
        .with(run_, name)
        .run();
    state.id = lastInsertId(database_);
  }
  return states_.emplace(std::string(name), std::move(state)).first->second;
}

void SeriesWriter::add(std::string_view name, std::span<const PackedPoint> points) {
  State& state = stateOf(name);
  for (const auto& point : points) {
    const bool any = state.count > 0 || !state.waiting.empty();
    if (any && point.step <= state.lastStep) cutFrom(state, point.step);
    state.waiting.push_back(point);
    state.lastStep = point.step;
  }
}

void SeriesWriter::cutAllAfter(std::int64_t step) {
  std::vector<std::string> names;
  Query rows(database_, "SELECT name FROM series WHERE run = ? AND last_step > ?");
  for (rows.with(run_, step); rows.next();) names.push_back(rows.text(0));
  for (const auto& name : names) stateOf(name);
  for (auto& [name, state] : states_) {
    if (state.lastStep > step) cutFrom(state, step + 1);
  }
}

// Removes the points at `step` and beyond.
void SeriesWriter::cutFrom(State& state, std::int64_t step) {
  ++state.generation;
  const auto first =
      std::ranges::find_if(state.waiting, [&](const PackedPoint& p) { return p.step >= step; });
  state.waiting.erase(first, state.waiting.end());
  if (state.waiting.empty()) cutStored(state, step);
  if (!state.waiting.empty()) {
    state.lastStep = state.waiting.back().step;
  }
}

void SeriesWriter::cutStored(State& state, std::int64_t step) {
  reopenChunks(state, step);
  Query(database_, "DELETE FROM points WHERE series = ? AND step >= ?").with(state.id, step).run();
  recount(state);
}

// The sealed chunks that reach `step` are unpacked into rows before it.
void SeriesWriter::reopenChunks(State& state, std::int64_t step) {
  std::vector<PackedPoint> points;
  Query chunk(database_,
              "SELECT position, data FROM chunks WHERE series = ? AND last_step >= ? "
              "ORDER BY position LIMIT 1");
  if (!chunk.with(state.id, step).next()) return;
  const std::int64_t position = chunk.integer(0);
  if (!decodeChunk(chunk.blob(1), points))
    throw Error("{}: a chunk of scalars is damaged: run `strata-run workspace repair`",
                database_.file().string());
  Query(database_, "DELETE FROM points WHERE series = ?").with(state.id).run();
  Query(database_, "DELETE FROM chunks WHERE series = ? AND position >= ?")
      .with(state.id, position)
      .run();
  state.sealed = position;
  Query insert(database_,
               "INSERT INTO points (series, position, step, wall, value) VALUES (?, ?, ?, ?, ?)");
  for (std::size_t i = 0; i < points.size() && points[i].step < step; ++i) {
    const auto& p = points[i];
    insert.with(state.id, position + static_cast<std::int64_t>(i), p.step, p.wall, p.value).run();
  }
}

// Recomputes count, last point and extremes from the stored points.
void SeriesWriter::recount(State& state) {
  state.statistics = {};
  state.count = state.sealed;
  state.lastStep = -1;
  state.lastValue = std::numeric_limits<double>::quiet_NaN();
  Query chunks(database_,
               "SELECT minimum, minimum_step, maximum, maximum_step, non_finite, last_step "
               "FROM chunks WHERE series = ? ORDER BY position");
  for (chunks.with(state.id); chunks.next();) {
    PointStatistics one;
    readStatistics(chunks, 0, one);
    state.statistics.add(one);
    state.lastStep = chunks.integer(5);
  }
  bool rows = false;
  Query points(database_,
               "SELECT step, wall, value FROM points WHERE series = ? ORDER BY position");
  for (points.with(state.id); points.next(); rows = true) {
    const PackedPoint point = pointOf(points, 0);
    state.statistics.add(point);
    state.lastStep = point.step;
    state.lastValue = point.value;
    ++state.count;
  }
  if (rows || state.sealed == 0) return;
  Query last(database_, "SELECT data FROM chunks WHERE series = ? ORDER BY position DESC LIMIT 1");
  std::vector<PackedPoint> tail;
  if (last.with(state.id).next() && decodeChunk(last.blob(0), tail) && !tail.empty())
    state.lastValue = tail.back().value;
}

void SeriesWriter::flush() {
  for (auto& [name, state] : states_) {
    store(state);
    writeRow(state);
  }
  states_.clear();
}

void SeriesWriter::store(State& state) {
  if (state.waiting.empty()) return;
  for (const auto& point : state.waiting) state.statistics.add(point);
  state.lastValue = state.waiting.back().value;
  std::vector<PackedPoint> loose;
  const auto waiting = static_cast<std::int64_t>(state.waiting.size());
  if (state.count - state.sealed + waiting >= kChunkPoints) {
    loose = takeRows(state);
    loose.insert(loose.end(), state.waiting.begin(), state.waiting.end());
    std::span<const PackedPoint> rest(loose);
    for (; std::ssize(rest) >= kChunkPoints; rest = rest.subspan(kChunkPoints))
      seal(state, rest.first(kChunkPoints));
    loose.erase(loose.begin(), loose.end() - std::ssize(rest));
    state.count = state.sealed;
  } else {
    loose = std::move(state.waiting);
  }
  Query insert(database_,
               "INSERT INTO points (series, position, step, wall, value) VALUES (?, ?, ?, ?, ?)");
  for (const auto& p : loose) {
    insert.with(state.id, state.count++, p.step, p.wall, p.value).run();
  }
  state.waiting.clear();
}

std::vector<PackedPoint> SeriesWriter::takeRows(const State& state) {
  std::vector<PackedPoint> points;
  Query rows(database_, "SELECT step, wall, value FROM points WHERE series = ? ORDER BY position");
  for (rows.with(state.id); rows.next();) points.push_back(pointOf(rows, 0));
  Query(database_, "DELETE FROM points WHERE series = ?").with(state.id).run();
  return points;
}

void SeriesWriter::seal(State& state, std::span<const PackedPoint> points) {
  const PointStatistics statistics = statisticsOf(points);
  const std::string data = encodeChunk(points);
  Query(database_,
        "INSERT INTO chunks (series, position, first_step, last_step, count, minimum, "
        "minimum_step, maximum, maximum_step, non_finite, data) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .with(state.id, state.sealed, points.front().step, points.back().step,
            static_cast<std::int64_t>(points.size()), statistics.minimum, statistics.minimumStep,
            statistics.maximum, statistics.maximumStep, statistics.nonFinite,
            std::as_bytes(std::span(data)))
      .run();
  state.sealed += static_cast<std::int64_t>(points.size());
}

void SeriesWriter::writeRow(const State& state) {
  const auto& s = state.statistics;
  Query(database_,
        "UPDATE series SET generation = ?, count = ?, sealed = ?, last_step = ?, last_value = ?, "
        "minimum = ?, minimum_step = ?, maximum = ?, maximum_step = ?, non_finite = ? WHERE id = ?")
      .with(state.generation, state.count, state.sealed, state.lastStep, state.lastValue, s.minimum,
            s.minimumStep, s.maximum, s.maximumStep, s.nonFinite, state.id)
      .run();
}

}  // namespace strata
