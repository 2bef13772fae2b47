// The tables of runs as a whole: what the index and the run's folder say of each.
#include <algorithm>
#include <map>

#include "core/base/error.h"
#include "core/run/configuration_group.h"
#include "core/store/runs.h"
#include "core/store/sql/sql_table.h"

namespace strata {
namespace {

using enum SqlType;

std::vector<RunSummary> runsOf(Workspace& workspace, const SqlScan& scan) {
  if (!scan.run) return listRuns(workspace, {.trashed = true});
  if (!isRun(workspace, std::to_string(*scan.run))) return {};
  return {runById(workspace, *scan.run)};
}

// A column of `runs` with where its value comes from.
struct RunColumn {
  SqlColumn column;
  void (*value)(const RunSummary& run, SqlResult& result);
};

void orNull(std::int64_t value, SqlResult& result) {
  value < 0 ? result.null() : result.integer(value);
}

const std::vector<RunColumn>& runColumns() {
  static const std::vector<RunColumn> kColumns{
      {{"id", kInteger, "Number of the run", SqlKey::kRunId},
       [](const RunSummary& run, SqlResult& to) { to.integer(run.id); }},
      {{"name", kText, "Its name, which no other run has", SqlKey::kRun},
       [](const RunSummary& run, SqlResult& to) { to.text(run.name); }},
      {{"preset", kText, "Preset, or several separated by commas"},
       [](const RunSummary& run, SqlResult& to) { to.text(run.preset); }},
      {{"dataset", kText, "Dataset"},
       [](const RunSummary& run, SqlResult& to) { to.text(run.dataset); }},
      {{"family", kText, "Family of the model, such as transformer"},
       [](const RunSummary& run, SqlResult& to) { to.text(run.family); }},
      {{"seed", kInteger, "Seed"},
       [](const RunSummary& run, SqlResult& to) { to.integer(run.seed); }},
      {{"status", kText,
        "created, queued, running, paused, stopped, finished, failed or interrupted"},
       [](const RunSummary& run, SqlResult& to) { to.text(nameOf(run.status)); }},
      {{"message", kText, "Why it failed, stopped or was interrupted; else empty"},
       [](const RunSummary& run, SqlResult& to) { to.text(run.message); }},
      {{"diverged", kInteger, "1 if it failed at numbers that are not finite, else 0"},
       [](const RunSummary& run, SqlResult& to) { to.integer(run.diverged ? 1 : 0); }},
      {{"step", kInteger, "Updates done"},
       [](const RunSummary& run, SqlResult& to) { to.integer(run.step); }},
      {{"metric", kText, "Series that best and last are of"},
       [](const RunSummary& run, SqlResult& to) { to.text(run.metric); }},
      {{"best", kReal, "Best value of the metric; NULL if there is none"},
       [](const RunSummary& run, SqlResult& to) { to.number(run.best); }},
      {{"best_step", kInteger, "First step with that value; NULL if there is none"},
       [](const RunSummary& run, SqlResult& to) { orNull(run.firstBestStep, to); }},
      {{"last", kReal, "Newest value of the metric; NULL if there is none"},
       [](const RunSummary& run, SqlResult& to) { to.number(run.last); }},
      {{"last_step", kInteger, "Its step; NULL if there is none"},
       [](const RunSummary& run, SqlResult& to) { orNull(run.lastStep, to); }},
      {{"tokens_per_second", kReal, "Newest training speed, target tokens/s; NULL if unknown"},
       [](const RunSummary& run, SqlResult& to) {
         run.tokensPerSecond > 0 ? to.number(run.tokensPerSecond) : to.null();
       }},
      {{"seconds", kReal, "Time of training, over all starts, s"},
       [](const RunSummary& run, SqlResult& to) { to.number(run.seconds); }},
      {{"created", kReal, "When it was created, s since 1970-01-01 UTC"},
       [](const RunSummary& run, SqlResult& to) { to.number(run.created); }},
      {{"configuration", kText,
        "The same for runs that differ only in seed and name; empty for runs of early versions"},
       [](const RunSummary& run, SqlResult& to) { to.text(run.group); }},
      {{"note", kText, "The user's note"},
       [](const RunSummary& run, SqlResult& to) { to.text(run.note); }},
      {{"trashed", kInteger, "1 if it is in the trash, else 0"},
       [](const RunSummary& run, SqlResult& to) { to.integer(run.trashed ? 1 : 0); }},
      {{"folder", kText, "Its folder, absolute"},
       [](const RunSummary& run, SqlResult& to) { to.text(run.folder.string()); }},
  };
  return kColumns;
}

class RunRows : public SqlRows {
 public:
  explicit RunRows(std::vector<RunSummary> runs) : runs_(std::move(runs)) {}
  bool next() override { return ++at_ < runs_.size() + 1; }
  void value(std::size_t column, SqlResult& result) override {
    runColumns()[column].value(runs_[at_ - 1], result);
  }
  std::int64_t number() const override { return runs_[at_ - 1].id; }

 private:
  std::vector<RunSummary> runs_;
  std::size_t at_ = 0;  // after the current one
};

// Reads one run's configuration after the other.
class SettingRows : public SqlRows {
 public:
  explicit SettingRows(std::vector<RunSummary> runs) : runs_(std::move(runs)) {}
  bool next() override {
    if (at_ != values_.end()) ++at_, ++place_;
    while (at_ == values_.end()) {
      if (run_ == runs_.size()) return false;
      values_ = read(runs_[run_++]);
      at_ = values_.begin();
      place_ = 0;
    }
    return true;
  }
  std::int64_t number() const override { return rowNumber(runs_[run_ - 1].id, place_); }
  void value(std::size_t column, SqlResult& result) override {
    const RunSummary& run = runs_[run_ - 1];
    const Json& setting = at_->second;
    if (column == 0) return result.text(run.name);
    if (column == 1) return result.integer(run.id);
    if (column == 2) return result.text(at_->first);
    if (column == 3) return result.text(settingText(setting));
    setting.is_number() ? result.number(setting.get<double>()) : result.null();
  }

 private:
  using Values = std::map<std::string, Json>;
  static Values read(const RunSummary& run) {
    try {
      return configurationValues(runConfig(run));
    } catch (const Error&) {
      return {};  // a damaged folder, which `workspace check` reports
    }
  }

  std::vector<RunSummary> runs_;
  std::size_t run_ = 0;     // after the current one
  std::int64_t place_ = 0;  // of the current setting among its run's
  Values values_;
  Values::iterator at_ = values_.end();
};

}  // namespace

SqlTable runsTable() {
  SqlTable table{
      .name = "runs", .help = "Runs, those in the trash, too", .columns = {}, .open = {}};
  for (const RunColumn& each : runColumns()) table.columns.push_back(each.column);
  table.open = [](Workspace& workspace, const SqlScan& scan, SqlWork&) {
    return std::make_unique<RunRows>(runsOf(workspace, scan));
  };
  return table;
}

SqlTable settingsTable() {
  return {.name = "settings",
          .help = "The complete configuration of each run, a key a row",
          .columns = withRun({{"key", kText, "Key, such as training.optimizer.lr"},
                              {"value", kText, "Its value as text; lists as in JSON"},
                              {"number", kReal, "The value if it is a number, else NULL"}}),
          .open = [](Workspace& workspace, const SqlScan& scan, SqlWork&) {
            return std::make_unique<SettingRows>(runsOf(workspace, scan));
          }};
}

}  // namespace strata
