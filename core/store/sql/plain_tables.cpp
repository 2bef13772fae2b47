// The tables that one statement on the index gives.
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "core/store/database.h"
#include "core/store/sql/sql_table.h"

namespace strata {
namespace {

using enum SqlType;
namespace fs = std::filesystem;

// What a value of the index is made into.
enum class Form {
  kAsIs,
  kFolder,   // a folder relative to the workspace: absolute
  kPresence  // the same: 1 if it is there, 0 if it has been removed
};

// A column with the expression of the index that gives it.
struct PlainColumn {
  SqlColumn column;
  std::string expression;
  Form form = Form::kAsIs;
};

struct PlainTable {
  std::string name, help;
  std::vector<PlainColumn> columns;  // after run and run_id
  std::string from;                  // r is the run's row, which may be absent
  std::string order;
  std::string all = {}, ofRun = {};  // the statements, which Query wants to live on
};

class PlainRows : public SqlRows {
 public:
  PlainRows(Workspace& workspace, const PlainTable& table, const SqlScan& scan)
      : root_(workspace.root()), table_(table) {
    if (scan.run)
      rows_.emplace(workspace.database(), table.ofRun, *scan.run);
    else
      rows_.emplace(workspace.database(), table.all);
  }
  bool next() override {
    if (!rows_->next()) return false;
    run_ = rows_->isNull(1) ? 0 : rows_->integer(1);
    place_ = places_[run_]++;
    return true;
  }
  std::int64_t number() const override { return rowNumber(run_, place_); }
  void value(std::size_t column, SqlResult& result) override {
    const int at = static_cast<int>(column);
    if (rows_->isNull(at)) return result.null();
    const PlainColumn& wanted = table_.columns[column];
    if (wanted.form == Form::kFolder) return result.text((root_ / rows_->text(at)).string());
    if (wanted.form == Form::kPresence)
      return result.integer(fs::exists(root_ / rows_->text(at)) ? 1 : 0);
    if (wanted.column.type == kInteger) return result.integer(rows_->integer(at));
    if (wanted.column.type == kReal) return result.number(rows_->number(at));
    result.text(rows_->text(at));
  }

 private:
  fs::path root_;
  const PlainTable& table_;
  std::optional<Query> rows_;
  std::map<std::int64_t, std::int64_t> places_;  // by run: of its next row
  std::int64_t run_ = 0, place_ = 0;             // of the current row
};

SqlTable made(PlainTable described) {
  static std::deque<PlainTable> kept;  // as long as the program
  PlainTable& table = kept.emplace_back(std::move(described));
  std::vector<PlainColumn> run;
  for (const SqlColumn& each : withRun({}))
    run.push_back({each, each.key == SqlKey::kRun ? "r.name" : "r.id"});
  table.columns.insert(table.columns.begin(), run.begin(), run.end());
  std::string select = "SELECT ";
  SqlTable sql{.name = table.name, .help = table.help, .columns = {}, .open = {}};
  for (const PlainColumn& each : table.columns) {
    select += (sql.columns.empty() ? "" : ", ") + each.expression;
    sql.columns.push_back(each.column);
  }
  select += " FROM " + table.from;
  table.all = select + " ORDER BY " + table.order;
  table.ofRun = select + " WHERE r.id = ? ORDER BY " + table.order;
  sql.open = [&table](Workspace& workspace, const SqlScan& scan, SqlWork&) {
    return std::make_unique<PlainRows>(workspace, table, scan);
  };
  return sql;
}

const char* const kTime = "When, s since 1970-01-01 UTC";

PlainTable seriesTable() {
  return {
      .name = "series",
      .help = "Curves with their newest, lowest and highest values",
      .columns = {{{"series", kText, "Its name, such as valid/nll"}, "s.name"},
                  {{"points", kInteger, "Number of points"}, "s.count"},
                  {{"last_step", kInteger, "Step of the newest point"}, "s.last_step"},
                  {{"last_value", kReal, "Newest value; NULL if it is not a number"},
                   "s.last_value"},
                  {{"minimum", kReal, "Lowest finite value; NULL if there is none"}, "s.minimum"},
                  {{"minimum_step", kInteger, "First step with it; NULL if there is none"},
                   "NULLIF(s.minimum_step, -1)"},
                  {{"maximum", kReal, "Highest finite value; NULL if there is none"}, "s.maximum"},
                  {{"maximum_step", kInteger, "First step with it; NULL if there is none"},
                   "NULLIF(s.maximum_step, -1)"},
                  {{"non_finite", kInteger, "Number of values that are NaN or infinite"},
                   "s.non_finite"}},
      .from = "series s JOIN runs r ON r.id = s.run AND s.count > 0",
      .order = "s.run, s.name"};
}

PlainTable tagsTable() {
  return {.name = "tags",
          .help = "Tags of runs",
          .columns = {{{"tag", kText, "A tag"}, "t.tag"}},
          .from = "tags t JOIN runs r ON r.id = t.run",
          .order = "t.run, t.tag"};
}

PlainTable startsTable() {
  return {
      .name = "starts",
      .help = "Each start of a run, its continuations, too",
      .columns = {{{"number", kInteger, "1, 2, ..."}, "s.number"},
                  {{"time", kReal, kTime}, "s.time"},
                  {{"last_seen", kReal, "Time of its last event, s since 1970-01-01 UTC"},
                   "s.last_seen"},
                  {{"from_step", kInteger, "Step that it continued from; 0: from the beginning"},
                   "s.from_step"},
                  {{"job", kInteger, "Its job in the queue; NULL if it was not queued"},
                   "NULLIF(s.job, 0)"},
                  {{"program", kText, "Version of Strata"}, "s.program"},
                  {{"libtorch", kText, "Version of libtorch"}, "s.libtorch"},
                  {{"device", kText, "Device, such as cpu"}, "s.device"},
                  {{"threads", kInteger, "Threads of each process"}, "s.threads"},
                  {{"processes", kInteger, "Processes that trained together"}, "s.processes"},
                  {{"mkl_fast", kInteger, "STRATA_MKL_FAST: 1 or 0"}, "s.mkl_fast"},
                  {{"command", kText, "Command line"}, "s.command"},
                  {{"host", kText, "Computer"}, "s.host"},
                  {{"pid", kInteger, "Process"}, "s.pid"},
                  {{"dataset_digest", kText, "Digest of the dataset"}, "s.dataset_digest"},
                  {{"source_vocabulary_digest", kText, "Digest of its source vocabulary"},
                   "s.source_vocabulary_digest"},
                  {{"target_vocabulary_digest", kText, "Digest of its target vocabulary"},
                   "s.target_vocabulary_digest"},
                  {{"target_vocabulary", kInteger, "Its words; NULL: unknown"},
                   "NULLIF(s.target_vocabulary, 0)"},
                  {{"pairs", kInteger,
                    "Pairs that it was trained on, in both directions twice; NULL: unknown"},
                   "NULLIF(s.pairs, 0)"},
                  {{"left_out", kInteger,
                    "Pairs that were too long for data.max_length or a batch"},
                   "s.left_out"},
                  {{"dropped_units", kInteger,
                    "Pairs that were dropped by --max-subwords when the dataset was prepared"},
                   "s.dropped_units"}},
      .from = "starts s JOIN runs r ON r.id = s.run",
      .order = "s.run, s.number"};
}

PlainTable samplesTable() {
  return {.name = "samples",
          .help = "Sentences that were translated while the run was trained",
          .columns = {{{"step", kInteger, "Update"}, "s.step"},
                      {{"set_name", kText, "Evaluation set"}, "s.set_name"},
                      {{"sentence", kInteger, "Its number in the set, from 0"}, "s.sentence"},
                      {{"source", kText, "Source text"}, "s.source"},
                      {{"reference", kText, "Reference"}, "s.reference"},
                      {{"hypothesis", kText, "Translation at that step"}, "s.hypothesis"}},
          .from = "samples s JOIN runs r ON r.id = s.run",
          .order = "s.run, s.step, s.set_name, s.sentence"};
}

PlainTable checkpointsTable() {
  const char* const folder = "r.folder || '/' || c.folder";
  return {
      .name = "checkpoints",
      .help = "Checkpoints that were saved, also those removed since",
      .columns = {{{"step", kInteger, "Update"}, "c.step"},
                  {{"best", kInteger, "1 if it was the best when it was saved, else 0"}, "c.best"},
                  {{"time", kReal, kTime}, "c.time"},
                  {{"folder", kText, "Its folder, absolute"}, folder, Form::kFolder},
                  {{"present", kInteger, "1 if it is there, 0 if it was removed"},
                   folder,
                   Form::kPresence}},
      .from = "checkpoints c JOIN runs r ON r.id = c.run",
      .order = "c.run, c.step"};
}

PlainTable recordingsTable() {
  const char* const folder = "r.folder || '/' || c.folder";
  return {.name = "recordings",
          .help = "Recordings of internals, also those removed since",
          .columns = {{{"step", kInteger, "Update"}, "c.step"},
                      {{"folder", kText, "Its folder, absolute"}, folder, Form::kFolder},
                      {{"present", kInteger, "1 if it is there, 0 if it was removed"},
                       folder,
                       Form::kPresence}},
          .from = "recordings c JOIN runs r ON r.id = c.run",
          .order = "c.run, c.step"};
}

PlainTable jobsTable() {
  return {
      .name = "jobs",
      .help = "Jobs of the queue: trainings that wait, go on or have ended",
      .columns = {{{"id", kInteger, "Number of the job"}, "j.id"},
                  {{"position", kReal, "Place in the queue: the lowest is trained first"},
                   "j.position"},
                  {{"state", kText, "queued, claimed, running or how it ended"}, "j.state"},
                  {{"resume", kInteger, "1 if it continues the run, else 0"}, "j.resume"},
                  {{"device", kText, "Device that it was given"}, "j.device"},
                  {{"host", kText, "Computer of its worker"}, "j.host"},
                  {{"message", kText, "Why it failed"}, "j.message"},
                  {{"created", kReal, "When it was queued, s since 1970-01-01 UTC"}, "j.created"},
                  {{"claimed", kReal, "When a worker took it; NULL if none has"},
                   "NULLIF(j.claimed, 0)"},
                  {{"ended", kReal, "When it ended; NULL if it has not"}, "NULLIF(j.ended, 0)"}},
      .from = "jobs j JOIN runs r ON r.id = j.run",
      .order = "j.id"};
}

PlainTable testScoresTable() {
  return {
      .name = "test_scores",
      .help = "Scores on test sets, a metric a row; run is NULL for a model outside the runs",
      .columns = {{{"time", kReal, kTime}, "l.time"},
                  {{"dataset", kText, "Dataset"}, "l.dataset"},
                  {{"set_name", kText, "Test set"}, "l.set_name"},
                  {{"checkpoint", kText, "Checkpoint, or the folder of a model"}, "l.checkpoint"},
                  {{"metric", kText, "Metric, such as BLEU"}, "m.key"},
                  {{"score", kReal, "Score; NULL if it is not a number"},
                   "CASE WHEN m.type IN ('integer', 'real') THEN m.value END"},
                  {{"settings", kText, "How it was decoded and scored, as JSON"}, "l.settings"}},
      .from = "looks l JOIN json_each(l.scores) m LEFT JOIN runs r ON r.id = l.run",
      .order = "l.time, l.rowid, m.id"};
}

}  // namespace

std::vector<SqlTable> plainTables() {
  std::vector<SqlTable> tables;
  for (PlainTable (*table)() : {seriesTable, tagsTable, startsTable, samplesTable, checkpointsTable,
                                recordingsTable, jobsTable, testScoresTable})
    tables.push_back(made(table()));
  return tables;
}

}  // namespace strata
