#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/chunk.h"
#include "core/store/database.h"
#include "core/store/event_log.h"

namespace strata {

// Writes points of one run's series into the index, within the caller's writing transaction. Points
// are buffered until flush(), so that many of them cost few statements.
class SeriesWriter {
 public:
  SeriesWriter(Database& database, std::int64_t run) : database_(database), run_(run) {}

  // Points in their order of arrival. A step that is not beyond the series' last one replaces the
  // series from there on.
  void add(std::string_view name, std::span<const PackedPoint> points);
  // Removes every point beyond `step` from every series of the run: the run is rewound.
  void cutAllAfter(std::int64_t step);
  void flush();
  // The same, and packs the newest points of all series of the run, which has ended: they take a
  // third of the space, and are read faster. A run that goes on unpacks them again.
  void flushAndPack();

 private:
  struct State {
    std::int64_t id = 0;
    std::int64_t generation = 0;
    std::int64_t count = 0;      // number of points in the index
    std::int64_t sealed = 0;     // of these, in chunks
    std::int64_t lastStep = -1;  // including buffered points
    double lastValue = 0;
    PointStatistics statistics;
    std::vector<PackedPoint> waiting;
  };

  State& stateOf(std::string_view name);
  void cutFrom(State& state, std::int64_t step);
  void reopen(State& state, std::int64_t step);
  void countChunks(State& state);
  void flushAll(bool pack);
  void store(State& state, bool pack);
  std::vector<PackedPoint> takeLoose(State& state);
  std::vector<PackedPoint> takeRows(const State& state);
  void seal(State& state, std::span<const PackedPoint> points);
  void writeRow(const State& state);

  Database& database_;
  std::int64_t run_;
  std::map<std::string, State, std::less<>> states_;
};

}  // namespace strata
