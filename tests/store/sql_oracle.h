#pragma once
// The tables of core/store/sql, made in another way: ordinary tables of SQLite, filled with what
// the functions of core/store say.
#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include <cmath>
#include <initializer_list>
#include <string>
#include <vector>

#include "core/run/configuration_group.h"
#include "core/store/jobs.h"
#include "core/store/looks.h"
#include "core/store/runs.h"
#include "core/store/scalars.h"
#include "core/store/sql/sql_query.h"

namespace strata {

class SqlOracle {
 public:
  explicit SqlOracle(Workspace& workspace) : workspace_(workspace) {
    for (const SqlTable& table : sqlTables()) {
      std::string columns;
      for (const SqlColumn& each : table.columns)
        columns += (columns.empty() ? "" : ", ") + each.name + " " + std::string(nameOf(each.type));
      database_.exec("CREATE TABLE " + table.name + " (" + columns + ")");
    }
    database_.exec("BEGIN");
    for (const RunSummary& run : listRuns(workspace, {.trashed = true})) addRun(run);
    for (const TestLook& look : listTestLooks(workspace)) addLook(look);
    for (const Job& job : listJobs(workspace, true)) addJob(job);
    database_.exec("COMMIT");
  }

  SQLite::Database& database() { return database_; }

 private:
  using Values = std::vector<SqlValue>;

  static SqlValue real(double value) { return std::isnan(value) ? SqlValue() : SqlValue(value); }
  static SqlValue known(std::int64_t value) { return value < 0 ? SqlValue() : SqlValue(value); }
  static SqlValue flag(bool value) { return std::int64_t{value}; }

  void add(const std::string& table, const Values& values) {
    std::string marks;
    for (std::size_t i = 0; i < values.size(); ++i) marks += i == 0 ? "?" : ",?";
    SQLite::Statement row(database_, "INSERT INTO " + table + " VALUES (" + marks + ")");
    for (std::size_t i = 0; i < values.size(); ++i) {
      const int at = static_cast<int>(i) + 1;
      if (const auto* integer = std::get_if<std::int64_t>(&values[i])) row.bind(at, *integer);
      if (const auto* number = std::get_if<double>(&values[i])) row.bind(at, *number);
      if (const auto* text = std::get_if<std::string>(&values[i])) row.bind(at, *text);
    }
    row.exec();
  }

  void addRun(const RunSummary& run) {
    const auto status = std::string(nameOf(run.status));
    add("runs", {run.id,
                 run.name,
                 run.preset,
                 run.dataset,
                 run.family,
                 run.seed,
                 status,
                 run.message,
                 flag(run.diverged),
                 run.step,
                 run.metric,
                 real(run.best),
                 known(run.firstBestStep),
                 real(run.last),
                 known(run.lastStep),
                 run.tokensPerSecond > 0 ? SqlValue(run.tokensPerSecond) : SqlValue(),
                 run.seconds,
                 run.created,
                 run.group,
                 run.note,
                 flag(run.trashed),
                 run.folder.string()});
    for (const auto& tag : run.tags) add("tags", {run.name, run.id, tag});
    for (const auto& [key, value] : configurationValues(runConfig(run)))
      add("settings", {run.name, run.id, key, settingText(value),
                       value.is_number() ? SqlValue(value.get<double>()) : SqlValue()});
    addCurves(run);
    std::int64_t number = 0;
    for (const RunStart& start : runStarts(workspace_, run.id))
      add("starts", {run.name,
                     run.id,
                     ++number,
                     start.time,
                     start.lastSeen,
                     start.fromStep,
                     start.job == 0 ? SqlValue() : SqlValue(start.job),
                     start.program,
                     start.libtorch,
                     start.device,
                     std::int64_t{start.threads},
                     std::int64_t{start.processes},
                     flag(start.mklFast),
                     start.command,
                     start.host,
                     start.pid,
                     start.datasetDigest,
                     start.sourceVocabularyDigest,
                     start.targetVocabularyDigest,
                     start.targetVocabulary == 0 ? SqlValue() : SqlValue(start.targetVocabulary),
                     start.trained.pairs == 0 ? SqlValue() : SqlValue(start.trained.pairs),
                     start.trained.leftOut,
                     start.trained.dropped});
    for (const SampledSentence& each : sampledSentences(workspace_, run.id)) {
      for (const auto& translation : each.translations)
        add("samples", {run.name, run.id, translation.step, each.set, each.sentence, each.source,
                        each.reference, translation.text});
    }
    for (const StoredCheckpoint& each : listCheckpointRows(workspace_, run.id))
      add("checkpoints", {run.name, run.id, each.step, flag(each.best), each.time,
                          each.folder.string(), flag(each.present)});
    for (const StoredRecording& each : listRecordingRows(workspace_, run.id))
      add("recordings", {run.name, run.id, each.step, each.folder.string(), flag(each.present)});
  }

  void addCurves(const RunSummary& run) {
    for (const SeriesSummary& each : listSeries(workspace_, run.id)) {
      add("series", {run.name, run.id, each.name, each.count, each.lastStep, real(each.lastValue),
                     real(each.minimum), known(each.minimumStep), real(each.maximum),
                     known(each.maximumStep), each.nonFinite});
      for (const ScalarPoint& point : readSeries(workspace_, run.id, each.name))
        add("scalars",
            {run.name, run.id, each.name, point.step, point.wallTime, real(point.value)});
    }
  }

  void addLook(const TestLook& look) {
    for (const auto& [metric, score] : look.scores.items())
      add("test_scores",
          {look.run == 0 ? SqlValue() : SqlValue(runById(workspace_, look.run).name),
           look.run == 0 ? SqlValue() : SqlValue(look.run), look.time, look.dataset, look.set,
           look.checkpoint, metric, score.is_number() ? SqlValue(score.get<double>()) : SqlValue(),
           look.settings.dump()});
  }

  void addJob(const Job& job) {
    const auto time = [](double seconds) { return seconds == 0 ? SqlValue() : SqlValue(seconds); };
    add("jobs",
        {job.name, job.run, job.id, job.position, std::string(nameOf(job.state)), flag(job.resume),
         job.device, job.host, job.message, job.created, time(job.claimed), time(job.ended)});
  }

  Workspace& workspace_;
  SQLite::Database database_{":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE};
};

}  // namespace strata
