#pragma once
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/run/events.h"
#include "core/store/database.h"
#include "core/store/event_log.h"
#include "core/store/index.h"
#include "core/store/jobs.h"
#include "core/store/looks.h"
#include "core/store/run_session.h"
#include "core/store/runs.h"

namespace strata {

inline Json smallConfig(const std::string& preset = "mlrf/base") {
  return Json{{"preset", preset},
              {"seed", 7},
              {"data", {{"dataset", "toy"}}},
              {"model", {{"family", "transformer"}}},
              {"checkpoint", {{"metric", "valid/nll"}}}};
}

// Runs `work` in a child process and returns waitpid's status. The parent must not have threads
// or connections that the child uses.
inline int inChild(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      work();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "child: %s\n", error.what());
      ::_exit(9);
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

// The content of all folders as text, without ids of series.
inline std::string contentOf(Workspace& workspace) {
  static const std::vector<const char*> kQueries{
      "SELECT id, folder, name, preset, dataset, family, seed, metric, status, message, note, "
      "step, "
      "created, log_bytes FROM runs ORDER BY id",
      "SELECT * FROM tags ORDER BY run, tag",
      "SELECT * FROM starts ORDER BY run, number",
      "SELECT run, name, generation, count, sealed, last_step, last_value, minimum, minimum_step, "
      "maximum, maximum_step, minimum_last, maximum_last, non_finite, better FROM series ORDER BY "
      "run, name",
      "SELECT * FROM directions ORDER BY run, series",
      "SELECT s.run, s.name, p.position, p.step, p.wall, p.value FROM points p JOIN series s ON "
      "s.id "
      "= p.series ORDER BY 1, 2, 3",
      "SELECT s.run, s.name, c.position, c.first_step, c.last_step, c.count, hex(c.data) FROM "
      "chunks "
      "c JOIN series s ON s.id = c.series ORDER BY 1, 2, 3",
      "SELECT * FROM samples ORDER BY run, step, set_name, sentence",
      "SELECT * FROM checkpoints ORDER BY run, step",
      "SELECT * FROM recordings ORDER BY run, step",
      "SELECT * FROM jobs ORDER BY id",
      "SELECT * FROM looks ORDER BY run, time"};
  static const std::vector<int> kColumns{14, 2, 17, 15, 3, 6, 7, 7, 5, 3, 14, 7};
  std::string text;
  for (std::size_t i = 0; i < kQueries.size(); ++i) {
    text += std::string("== ") + kQueries[i] + "\n";
    Query rows(workspace.database(), kQueries[i]);
    while (rows.next()) {
      for (int column = 0; column < kColumns[i]; ++column)
        text += (rows.isNull(column) ? std::string("NULL") : rows.text(column)) + "|";
      text += "\n";
    }
  }
  return text;
}

inline std::vector<ScalarEvent> series(const std::string& name, std::int64_t from,
                                       std::int64_t to) {
  std::vector<ScalarEvent> events;
  for (std::int64_t step = from; step < to; ++step)
    events.push_back(
        {0, name, step, 1.0 / static_cast<double>(step + 3), 1.7e9 + 0.25 * double(step)});
  return events;
}

// Something of every table: runs "first" (1, in the trash), "b" (2), "c" (3).
inline void fillWorkspace(Workspace& workspace) {
  const auto a = createRun(workspace, {"a", smallConfig(), ""});
  setTags(workspace, a.id, {"x", "y"});
  setNote(workspace, a.id, "a note");
  renameRun(workspace, a.id, "first");
  const Job job = enqueueRun(workspace, {"b", smallConfig("mlrf/both-fnn-sa4"), ""});
  enqueueRun(workspace, {"c", smallConfig(), ""}, "cuda:0");
  (void)claimJob(workspace);
  {
    RunSession session(workspace, job.run, {.job = job.id, .program = "0.1", .device = "cpu"});
    session.scalars(series("train/nll", 0, 10000));
    session.scalars(series("train/nll", 6000, 6010));
    session.scalars(series("valid/nll", 0, 3));
    session.sample({job.run, "valid", 10, 0, "ein Haus", "a house", "a mouse"});
    session.checkpoint({job.run, 10, "checkpoints/step-00000010", true});
    session.recording({job.run, 10, "recordings/step-10"});
    session.end({.runId = job.run, .step = 6009, .outcome = RunOutcome::kPaused, .message = "m"});
  }
  enqueueResume(workspace, job.run);
  recordTestLook(workspace, {.run = job.run, .dataset = "toy", .set = "test"});
  recordTestLook(workspace, {.dataset = "toy", .set = "test"});
  appendToRun(workspace, 3,
              LogRecord{RecordKind::kScalars, packScalars(series("valid/nll", 0, 5))});
  trashRun(workspace, a.id);
}

}  // namespace strata
