#pragma once
#include <string>
#include <string_view>

#include "core/base/json.h"
#include "core/store/database.h"
#include "core/store/index.h"
#include "core/store/series_writer.h"

namespace strata {

// Applies the records of one run's log to the index, in their order, within the caller's
// transaction.
class EventIndexer {
 public:
  // `known`: the index already has the run's row.
  EventIndexer(Database& database, RunPlace place, bool known)
      : database_(database),
        place_(std::move(place)),
        series_(database, place_.id),
        known_(known) {}

  bool known() const { return known_; }

  void apply(RecordKind kind, std::string_view payload);
  void create(const Json& event);  // the row of the run
  void finish();                   // writes pending values

 private:
  void applyScalars(std::string_view payload);
  void applyEvent(const Json& event);
  void started(const Json& event);
  void ended(const Json& event);
  void sample(const Json& event);
  void checkpoint(const Json& event);
  void recording(const Json& event);
  void job(const Json& event);
  void tags(const Json& event);
  void directions(const Json& event);
  void seen(std::int64_t step, double time);

  Database& database_;
  RunPlace place_;
  SeriesWriter series_;
  bool known_;
  std::int64_t step_ = -1;  // the newest step seen; -1: none
  double time_ = 0;         // of the newest event
};

void indexLook(Database& database, std::int64_t run, const Json& event);

}  // namespace strata
