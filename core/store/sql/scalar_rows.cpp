// The table of all points of all curves: packed chunks and loose rows of the index, unrolled.
#include <algorithm>
#include <optional>

#include "core/store/chunk.h"
#include "core/store/database.h"
#include "core/store/sql/sql_table.h"

namespace strata {
namespace {

constexpr std::string_view kAllSeries =
    "SELECT s.id, s.run, s.name, r.name FROM series s JOIN runs r ON r.id = s.run ORDER BY s.run, "
    "s.name";
constexpr std::string_view kSeriesOfRun =
    "SELECT s.id, s.run, s.name, r.name FROM series s JOIN runs r ON r.id = s.run WHERE s.run = ? "
    "ORDER BY s.name";
constexpr std::string_view kSeriesOfName =
    "SELECT s.id, s.run, s.name, r.name FROM series s JOIN runs r ON r.id = s.run WHERE s.name = ? "
    "ORDER BY s.run";
constexpr std::string_view kOneSeries =
    "SELECT s.id, s.run, s.name, r.name FROM series s JOIN runs r ON r.id = s.run WHERE s.run = ? "
    "AND s.name = ?";
constexpr std::string_view kChunks =
    "SELECT data, position FROM chunks WHERE series = ? AND last_step >= ? AND first_step <= ? "
    "ORDER BY "
    "position";
constexpr std::string_view kLoose =
    "SELECT step, wall, value, position FROM points WHERE series = ? AND step >= ? AND step <= ? "
    "ORDER BY "
    "position";

// Series after series, of each one chunk after the other, then its newest points.
class ScalarRows : public SqlRows {
 public:
  ScalarRows(Workspace& workspace, const SqlScan& scan, SqlWork& work)
      : database_(workspace.database()), scan_(scan), work_(work) {
    if (scan.run && scan.series)
      series_.emplace(database_, kOneSeries, *scan.run, *scan.series);
    else if (scan.run)
      series_.emplace(database_, kSeriesOfRun, *scan.run);
    else if (scan.series)
      series_.emplace(database_, kSeriesOfName, *scan.series);
    else
      series_.emplace(database_, kAllSeries);
  }

  bool next() override {
    if (++at_ < end_) return true;
    while (!nextBlock()) {
      if (!nextSeries()) return false;
    }
    return true;
  }

  void value(std::size_t column, SqlResult& result) override {
    const PackedPoint& point = points_[at_];
    switch (column) {
      case 0:
        return result.text(runName_);
      case 1:
        return result.integer(run_);
      case 2:
        return result.text(name_);
      case 3:
        return result.integer(point.step);
      case 4:
        return result.number(static_cast<double>(point.wall) / 1e6);
      default:
        return result.number(point.value);
    }
  }

  std::int64_t number() const override {
    return rowNumber(id_, position_ + static_cast<std::int64_t>(at_));
  }

 private:
  bool nextSeries() {
    chunks_.reset();
    if (!series_->next()) return false;
    id_ = series_->integer(0);
    run_ = series_->integer(1);
    name_ = series_->text(2);
    runName_ = series_->text(3);
    chunks_.emplace(database_, kChunks, id_, scan_.firstStep, scan_.lastStep);
    return true;
  }

  // The next points of the series. False: it has no more.
  bool nextBlock() {
    while (chunks_) {
      points_.clear();
      if (chunks_->next()) {
        unpack();
      } else {
        chunks_.reset();
        readLoose();
      }
      if (at_ < end_) return true;
    }
    return false;
  }

  void unpack() {
    ++work_.chunks;
    position_ = chunks_->integer(1);
    unpackChunk(database_, chunks_->blob(0), points_);
    const auto step = [](const PackedPoint& point) { return point.step; };
    const auto begin = std::ranges::lower_bound(points_, scan_.firstStep, {}, step);
    const auto end = std::ranges::upper_bound(points_, scan_.lastStep, {}, step);
    at_ = static_cast<std::size_t>(begin - points_.begin());
    end_ = static_cast<std::size_t>(end - points_.begin());
  }

  void readLoose() {
    Query rows(database_, kLoose, id_, scan_.firstStep, scan_.lastStep);
    while (rows.next()) {
      // Steps ascend, so what the condition leaves is without gaps.
      if (points_.empty()) position_ = rows.integer(3);
      points_.push_back({rows.integer(0), rows.integer(1), rows.number(2)});
    }
    at_ = 0;
    end_ = points_.size();
  }

  Database& database_;
  SqlScan scan_;
  SqlWork& work_;
  std::optional<Query> series_, chunks_;
  std::int64_t id_ = 0, run_ = 0;
  std::string name_, runName_;
  std::vector<PackedPoint> points_;
  std::int64_t position_ = 0;     // of points_[0] in the series
  std::size_t at_ = 0, end_ = 0;  // of the current point, and after the last one that is wanted
};

}  // namespace

SqlTable scalarsTable() {
  using enum SqlType;
  return {.name = "scalars",
          .help = "Every point of every curve",
          .columns = withRun({{"series", kText, "Curve, such as valid/nll", SqlKey::kSeries},
                              {"step", kInteger, "Update, ascending in a series", SqlKey::kStep},
                              {"wall", kReal, "When it was measured, s since 1970-01-01 UTC"},
                              {"value", kReal, "Value; NULL if it was not a number"}}),
          .open = [](Workspace& workspace, const SqlScan& scan, SqlWork& work) {
            return std::make_unique<ScalarRows>(workspace, scan, work);
          }};
}

}  // namespace strata
