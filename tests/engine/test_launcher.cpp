#include <QtTest>

#include <map>

#include "app/launcher.h"
#include "core/base/error.h"
#include "tests/program.h"

namespace strata {

class TestLauncher : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void torchrunSaysWhereTheProcessesMeet();
  void srunSaysItInItsOwnWords();
  void oneProcessIsAlone();
  void whatIsMissingIsNamed();
  void theFirstHostOfAList();
};

namespace {

std::optional<Launch> launchWith(const std::map<std::string, std::string>& variables) {
  return launchOf([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

std::string refusal(const std::map<std::string, std::string>& variables) {
  try {
    launchWith(variables);
  } catch (const Error& error) {
    return error.kind() == ErrorKind::kUsage ? error.what() : "another error";
  }
  return "none";
}

}  // namespace

void TestLauncher::torchrunSaysWhereTheProcessesMeet() {
  const auto launch = launchWith({{"RANK", "3"},
                                  {"WORLD_SIZE", "4"},
                                  {"MASTER_ADDR", "node1"},
                                  {"MASTER_PORT", "29400"},
                                  {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                                  {"TORCHELASTIC_RESTART_COUNT", "2"}});
  QCOMPARE(launch->rank, 3);
  QCOMPARE(launch->size, 4);
  QCOMPARE(launch->address, std::string("node1"));
  QCOMPARE(launch->port, 29400);
  QVERIFY(launch->storeIsElsewhere);
  QCOMPARE(launch->attempt, std::string("2"));
}

void TestLauncher::srunSaysItInItsOwnWords() {
  const std::map<std::string, std::string> step{
      {"SLURM_PROCID", "1"},  {"SLURM_STEP_NUM_TASKS", "16"},
      {"SLURM_NTASKS", "16"}, {"SLURM_JOB_ID", "77"},
      {"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NODELIST", "gpu[07-08]"}};
  const auto launch = launchWith(step);
  QCOMPARE(launch->rank, 1);
  QCOMPARE(launch->size, 16);
  QCOMPARE(launch->address, std::string("gpu07"));
  QVERIFY(!launch->storeIsElsewhere);
  auto next = step;
  next["SLURM_JOB_ID"] = "78";
  QVERIFY(launchWith(next)->port != launch->port);
  auto told = step;
  told["MASTER_ADDR"] = "10.0.0.1";
  told["MASTER_PORT"] = "1234";
  QCOMPARE(launchWith(told)->address, std::string("10.0.0.1"));
  QCOMPARE(launchWith(told)->port, 1234);
  auto again = step;
  again["SLURM_RESTART_COUNT"] = "1";  // requeued
  QVERIFY(launchWith(again)->attempt != launch->attempt);
}

void TestLauncher::oneProcessIsAlone() {
  QVERIFY(!launchWith({}));
  QCOMPARE(launchWith({{"WORLD_SIZE", "1"}, {"RANK", "0"}})->size, 1);
  // An allocation of four tasks in which the program was started once.
  QVERIFY(!launchWith({{"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "0"}}));
  // A job submitted from within a step of two tasks.
  QVERIFY(
      !launchWith({{"SLURM_NTASKS", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_PROCID", "0"}}));
}

void TestLauncher::whatIsMissingIsNamed() {
  QVERIFY(refusal({{"WORLD_SIZE", "2"}}).find("RANK is not set") != std::string::npos);
  QVERIFY(refusal({{"WORLD_SIZE", "2"}, {"RANK", "0"}}).find("MASTER_ADDR is not set") !=
          std::string::npos);
  QVERIFY(refusal({{"SLURM_STEP_NUM_TASKS", "2"}}).find("SLURM_PROCID is not set") !=
          std::string::npos);
  QVERIFY(refusal({{"WORLD_SIZE", "2"}, {"RANK", "2"}, {"MASTER_ADDR", "a"}, {"MASTER_PORT", "1"}})
              .find("RANK is 2") != std::string::npos);
  QVERIFY(refusal({{"WORLD_SIZE", "0"}, {"RANK", "0"}}).find("WORLD_SIZE is 0") !=
          std::string::npos);
  QVERIFY(refusal({{"WORLD_SIZE", "two"}}).find("'two', not a number") != std::string::npos);
  QVERIFY(refusal({{"OMPI_COMM_WORLD_SIZE", "2"}}).find("mpirun") != std::string::npos);
}

void TestLauncher::theFirstHostOfAList() {
  QCOMPARE(firstHost("node7"), std::string("node7"));
  QCOMPARE(firstHost("node7,node8"), std::string("node7"));
  QCOMPARE(firstHost("node[07-12,20],gpu1"), std::string("node07"));
  QCOMPARE(firstHost("node[3,5]"), std::string("node3"));
  QCOMPARE(firstHost("rack[1-2]n[01-08]"), std::string("rack1n01"));
  QCOMPARE(firstHost("rack[1-2]-a,b"), std::string("rack1-a"));
  QCOMPARE(firstHost(""), std::string());
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestLauncher)
#include "test_launcher.moc"
