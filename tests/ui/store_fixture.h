#pragma once
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "core/run/recording.h"
#include "core/store/jobs.h"
#include "core/store/run_session.h"
#include "core/store/runs.h"
#include "core/store/workspace.h"
#include "tests/inside/recording_fixture.h"

// A workspace as the trainer would leave it, written through core/store with values that are easy
// to check.
namespace fixture {
using namespace strata;

inline Json config(const std::string& dataset = "toy") {
  return {{"seed", 1},
          {"preset", "mlrf/both-fnn-sa4"},
          {"data", {{"dataset", dataset}}},
          {"model",
           {{"family", "transformer"},
            {"encoder_fusion", {{"type", "fnn"}, {"include_embedding", true}}},
            {"decoder_fusion", {{"type", "sa"}, {"hops", 2}, {"include_embedding", true}}}}},
          {"checkpoint", {{"metric", "valid/nll"}}}};
}

inline RunSummary makeRun(Workspace& workspace, const std::string& name) {
  return createRun(workspace, {name, config(), "mlrf/both-fnn-sa4"});
}

// Loss 5 - step/1000 every 10 steps up to `last`, a validation every 100.
inline void train(RunSession& session, std::int64_t from, std::int64_t last) {
  std::vector<ScalarEvent> events;
  for (std::int64_t step = from; step <= last; step += 10) {
    const double time = 1.7e9 + double(step);
    events.push_back({session.run(), "train/nll", step, 5 - double(step) / 1000, time});
    events.push_back({session.run(), "lr", step, 1e-4 * double(step), time});
    events.push_back({session.run(), "train/tokens_per_second", step, 4000, time});
    if (step % 100 == 0) {
      events.push_back({session.run(), "valid/nll", step, 4.5 - double(step) / 1000, time});
    }
  }
  session.scalars(events);
  session.flush();
}

inline void record(RunSession& session, std::int64_t step, int level) {
  const std::string folder = "recordings/step-" + std::to_string(step);
  writeRecordings(session.folder() / folder, {sentence(0, level), sentence(1, level)});
  session.recording({session.run(), step, folder});
  session.flush();
}

inline RunStart start() {
  RunStart made;
  made.program = "test";
  made.device = "cpu";
  made.threads = 1;
  made.command = "test";
  return made;
}

// Finished runs "first", "second" and "third" of 100 steps, with two recordings each.
inline void makeThreeRuns(Workspace& workspace) {
  for (const char* name : {"first", "second", "third"}) {
    const RunSummary run = makeRun(workspace, name);
    RunSession session(workspace, run.id, start());
    train(session, 10, 100);
    record(session, 50, 1);
    record(session, 100, 1);
    session.end({run.id, 100, RunOutcome::kFinished, ""});
  }
}

}  // namespace fixture
