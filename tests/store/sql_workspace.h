#pragma once
// A workspace with runs of all kinds, and questions to it in SQL.
#include <fmt/format.h>

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/store/chunk.h"
#include "core/store/jobs.h"
#include "core/store/looks.h"
#include "core/store/run_session.h"
#include "core/store/sql/sql_query.h"
#include "store/store_fixture.h"

namespace strata {

struct Answer : SqlOutput {
  std::vector<std::string> names;
  std::vector<std::string> rows;  // values separated by |
  SqlWork work;

  void columns(const std::vector<std::string>& given) override { names = given; }
  bool row(const std::vector<SqlValue>& values) override {
    std::string text;
    for (const SqlValue& value : values) {
      if (const auto* integer = std::get_if<std::int64_t>(&value)) text += std::to_string(*integer);
      if (const auto* number = std::get_if<double>(&value)) text += fmt::format("{:.17g}", *number);
      if (const auto* words = std::get_if<std::string>(&value)) text += *words;
      text += std::holds_alternative<std::monostate>(value) ? "NULL|" : "|";
    }
    rows.push_back(text);
    return true;
  }
};

inline Answer ask(Workspace& workspace, const std::string& sql, const SqlOptions& options = {}) {
  Answer answer;
  answer.work = runSql(workspace, sql, options, answer);
  return answer;
}

inline std::string errorOf(Workspace& workspace, const std::string& sql,
                           const SqlOptions& options = {}) {
  try {
    ask(workspace, sql, options);
    return "no error";
  } catch (const Error& error) {
    return error.what();
  }
}

inline ScalarEvent point(const std::string& name, std::int64_t step, double value) {
  return {0, name, step, value, 1.7e9 + double(step)};
}

// Runs: long (three packed chunks), rewound, strange numbers, in the trash, without anything, and
// one that trains now.
class SqlWorkspace {
 public:
  SqlWorkspace() : workspace_(folder_.path() / "w") {
    addRuns();
    addLooks();
    live_ = std::make_unique<RunSession>(workspace_, made("live"), RunStart{});
    live_->scalars(series("train/nll", 1, 700));
    live_->flush();
  }
  Workspace& workspace() { return workspace_; }

 private:
  std::int64_t made(const std::string& name) {
    Json config = smallConfig();
    config["seed"] = 1 + static_cast<int>(name.size());
    return createRun(workspace_, {name, config, ""}).id;
  }

  std::int64_t ended(const std::string& name, const std::vector<ScalarEvent>& events) {
    const auto run = made(name);
    RunSession session(workspace_, run, {.device = "cpu", .threads = 2});
    session.scalars(events);
    session.sample({run, "valid", 10, 0, "ein 'Haus'", "a house", name});
    session.sample({run, "valid", 20, 0, "ein 'Haus'", "a house", name + "!"});
    session.checkpoint({run, 10, "checkpoints/step-00000010", true});
    session.recording({run, 10, "recordings/step-10"});
    fs::create_directories(session.folder() / "recordings/step-10");
    session.end({.runId = run, .step = 20, .outcome = RunOutcome::kFinished, .message = {}});
    return run;
  }

  void addRuns() {
    long_ = ended("long", series("train/nll", 1, 2 * kChunkPoints + 500));
    setTags(workspace_, long_, {"good", "a b"});
    setNote(workspace_, long_, "a \"note\"");
    const auto rewound = ended("rewound", series("valid/nll", 1, 40));
    {
      RunSession again(workspace_, rewound, {.fromStep = 20});
      again.scalars({point("valid/nll", 30, 0.5), point("valid/bleu", 30, 12)});
      again.end({.runId = rewound, .step = 30, .outcome = RunOutcome::kFailed, .message = "why"});
    }
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    ended("strange", {point("valid/nll", 1, nan), point("valid/nll", 2, infinity),
                      point("valid/nll", 3, -infinity), point("valid/nll", 4, -0.0),
                      point("valid/nll", 5'000'000'000, 1e-300), point("it's", 1, 1)});
    trashRun(workspace_, ended("gone", series("train/nll", 1, 5)));
    made("bare");
    enqueueRun(workspace_, {"waits", smallConfig(), ""});
  }

  void addLooks() {
    recordTestLook(workspace_, {.time = 5,
                                .run = long_,
                                .dataset = "toy",
                                .set = "test",
                                .checkpoint = "step-00000010",
                                .settings = {{"beam", 5}},
                                .scores = {{"BLEU", 30.5}, {"chrF", nullptr}}});
    recordTestLook(workspace_, {.time = 6,
                                .dataset = "toy",
                                .set = "test",
                                .checkpoint = "/m",
                                .settings = nullptr,
                                .scores = {{"BLEU", 1}}});
  }

  TemporaryFolder folder_;
  Workspace workspace_;
  std::int64_t long_ = 0;
  std::unique_ptr<RunSession> live_;
};

}  // namespace strata
