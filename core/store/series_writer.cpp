#include "core/store/series_writer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/store/imported.h"

namespace strata {
namespace {

// From this column on.
PointStatistics readStatistics(Query& row, int column) {
  return {.minimum = row.number(column),
          .maximum = row.number(column + 2),
          .minimumStep = row.integer(column + 1),
          .maximumStep = row.integer(column + 3),
          .minimumLast = row.integer(column + 4),
          .maximumLast = row.integer(column + 5),
          .nonFinite = row.integer(column + 6)};
}

// Of a new series, as its column says it.
int betterOf(Database& database, std::int64_t run, std::string_view name) {
  Query row(database,
            "SELECT r.preset, d.better FROM runs r LEFT JOIN directions d ON d.run = r.id AND "
            "d.series = ?2 WHERE r.id = ?1",
            run, name);
  if (!row.next()) return 0;
  if (!row.isNull(1)) return static_cast<int>(row.integer(1));
  const std::string preset = row.text(0);
  return signOf(directionIn(preset, name));
}

}  // namespace

SeriesWriter::State& SeriesWriter::stateOf(std::string_view name) {
  if (const auto found = states_.find(name); found != states_.end()) return found->second;
  State state;
  Query row(
      database_,
      "SELECT id, generation, count, sealed, last_step, last_value, minimum, minimum_step, "
      "maximum, maximum_step, minimum_last, maximum_last, non_finite FROM series WHERE run = ? "
      "AND name = ?",
      run_, name);
  if (row.next()) {
    state.id = row.integer(0);
    state.generation = row.integer(1);
    state.count = row.integer(2);
    state.sealed = row.integer(3);
    state.lastStep = row.integer(4);
    state.lastValue = row.number(5);
    state.statistics = readStatistics(row, 6);
  } else {
    change(database_,
           "INSERT INTO series (run, name, generation, count, sealed, last_step, minimum_step, "
           "maximum_step, minimum_last, maximum_last, non_finite, better) "
           "VALUES (?, ?, 0, 0, 0, -1, -1, -1, -1, -1, 0, ?)",
           run_, name, betterOf(database_, run_, name));
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
    // Rows know only that it is NaN: a chunk must not say more.
    if (std::isnan(point.value))
      state.waiting.back().value = std::numeric_limits<double>::quiet_NaN();
    state.lastStep = point.step;
  }
}

void SeriesWriter::cutAllAfter(std::int64_t step) {
  Query rows(database_, "SELECT name FROM series WHERE run = ? AND last_step > ?", run_, step);
  while (rows.next()) stateOf(rows.text(0));  // known to the index: only read
  for (auto& [name, state] : states_) {
    if (state.lastStep > step) cutFrom(state, step + 1);
  }
}

// Removes the points at `step` and beyond.
void SeriesWriter::cutFrom(State& state, std::int64_t step) {
  ++state.generation;
  const auto cutWaiting = [&] {
    const auto first =
        std::ranges::find_if(state.waiting, [&](const PackedPoint& p) { return p.step >= step; });
    state.waiting.erase(first, state.waiting.end());
  };
  cutWaiting();
  if (state.waiting.empty()) {
    reopen(state, step);
    cutWaiting();
  }
  if (!state.waiting.empty()) state.lastStep = state.waiting.back().step;
}

// Takes the points after the last sealed chunk that ends before `step` out of the index. They wait
// to be written again; points of the chunks beyond the first one that reaches `step` are lost.
void SeriesWriter::reopen(State& state, std::int64_t step) {
  {
    Query chunk(database_,
                "SELECT position, data FROM chunks WHERE series = ? AND last_step >= ? "
                "ORDER BY position LIMIT 1",
                state.id, step);
    if (chunk.next()) {
      state.sealed = chunk.integer(0);
      unpackChunk(database_, chunk.blob(1), state.waiting);
    }
  }
  const std::vector<PackedPoint> rows = takeRows(state);
  state.waiting.insert(state.waiting.end(), rows.begin(), rows.end());
  change(database_, "DELETE FROM chunks WHERE series = ? AND position >= ?", state.id,
         state.sealed);
  countChunks(state);
}

// Recomputes count, last point and extremes from the sealed chunks.
void SeriesWriter::countChunks(State& state) {
  state.statistics = {};
  state.count = state.sealed;
  state.lastStep = -1;
  state.lastValue = std::numeric_limits<double>::quiet_NaN();
  Query chunks(database_,
               "SELECT minimum, minimum_step, maximum, maximum_step, minimum_last, maximum_last, "
               "non_finite FROM chunks WHERE series = ? ORDER BY position",
               state.id);
  while (chunks.next()) state.statistics.add(readStatistics(chunks, 0));
  Query last(database_,
             "SELECT last_step, data FROM chunks WHERE series = ? ORDER BY position DESC LIMIT 1",
             state.id);
  if (!last.next()) return;
  state.lastStep = last.integer(0);
  std::vector<PackedPoint> points;
  unpackChunk(database_, last.blob(1), points);
  if (!points.empty()) state.lastValue = points.back().value;
}

void SeriesWriter::flush() {
  flushAll(false);
}

void SeriesWriter::flushAndPack() {
  Query rows(database_, "SELECT name FROM series WHERE run = ? AND count > sealed", run_);
  while (rows.next()) stateOf(rows.text(0));  // known to the index: only read
  flushAll(true);
}

void SeriesWriter::flushAll(bool pack) {
  for (auto& [name, state] : states_) {
    store(state, pack);
    writeRow(state);
  }
  states_.clear();
}

void SeriesWriter::store(State& state, bool pack) {
  if (state.waiting.empty() && (!pack || state.count == state.sealed)) return;
  for (const auto& point : state.waiting) state.statistics.add(point);
  if (!state.waiting.empty()) state.lastValue = state.waiting.back().value;
  std::vector<PackedPoint> all;
  std::span<const PackedPoint> loose(state.waiting);
  if (pack || state.sealed % kChunkPoints != 0 ||
      state.count - state.sealed + std::ssize(loose) >= kChunkPoints) {
    all = takeLoose(state);
    all.insert(all.end(), loose.begin(), loose.end());
    for (loose = all; std::ssize(loose) >= kChunkPoints; loose = loose.subspan(kChunkPoints))
      seal(state, loose.first(kChunkPoints));
    if (pack && !loose.empty()) seal(state, std::exchange(loose, {}));
    state.count = state.sealed;
  }
  Query insert(database_,
               "INSERT INTO points (series, position, step, wall, value) VALUES (?, ?, ?, ?, ?)");
  for (const auto& p : loose) {
    insert.with(state.id, state.count++, p.step, p.wall, p.value).run();
  }
  state.waiting.clear();
}

// Takes the points after the last full chunk out of the index: rows, or the shorter chunk that the
// end of the run has made of them.
std::vector<PackedPoint> SeriesWriter::takeLoose(State& state) {
  if (state.sealed % kChunkPoints == 0) return takeRows(state);
  state.sealed -= state.sealed % kChunkPoints;
  std::vector<PackedPoint> points;
  {
    Query chunk(database_, "SELECT data FROM chunks WHERE series = ? AND position = ?", state.id,
                state.sealed);
    unpackChunk(database_, chunk.next() ? chunk.blob(0) : std::span<const std::byte>(), points);
  }
  change(database_, "DELETE FROM chunks WHERE series = ? AND position = ?", state.id, state.sealed);
  return points;
}

std::vector<PackedPoint> SeriesWriter::takeRows(const State& state) {
  Query rows(database_, "SELECT step, wall, value FROM points WHERE series = ? ORDER BY position",
             state.id);
  auto points = rows.all([](Query& row) {
    return PackedPoint{row.integer(0), row.integer(1), row.number(2)};
  });
  change(database_, "DELETE FROM points WHERE series = ?", state.id);
  return points;
}

void SeriesWriter::seal(State& state, std::span<const PackedPoint> points) {
  const PointStatistics statistics = statisticsOf(points);
  const std::string data = encodeChunk(points);
  change(database_,
         "INSERT INTO chunks (series, position, first_step, last_step, count, minimum, "
         "minimum_step, maximum, maximum_step, minimum_last, maximum_last, non_finite, data) "
         "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
         state.id, state.sealed, points.front().step, points.back().step,
         static_cast<std::int64_t>(points.size()), statistics.minimum, statistics.minimumStep,
         statistics.maximum, statistics.maximumStep, statistics.minimumLast, statistics.maximumLast,
         statistics.nonFinite, std::as_bytes(std::span(data)));
  state.sealed += static_cast<std::int64_t>(points.size());
}

void SeriesWriter::writeRow(const State& state) {
  const auto& s = state.statistics;
  change(database_,
         "UPDATE series SET generation = ?, count = ?, sealed = ?, last_step = ?, last_value = ?, "
         "minimum = ?, minimum_step = ?, maximum = ?, maximum_step = ?, minimum_last = ?, "
         "maximum_last = ?, non_finite = ? WHERE id = ?",
         state.generation, state.count, state.sealed, state.lastStep, state.lastValue, s.minimum,
         s.minimumStep, s.maximum, s.maximumStep, s.minimumLast, s.maximumLast, s.nonFinite,
         state.id);
}

}  // namespace strata
