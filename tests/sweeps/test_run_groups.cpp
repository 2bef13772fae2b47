#include <QtTest>
#include <cmath>
#include <limits>

#include "core/sweeps/run_groups.h"
#include "tests/program.h"

using namespace strata;

// Runs that differ only in their seed as one line.
class TestRunGroups : public QObject {
  Q_OBJECT
 private slots:
  void namesLoseTheirSeed();
  void meansAreOverTheRunsWithAScore();
  void groupsOfOneNameAreToldApart();
};

static RunSummary run(std::int64_t id, const std::string& name, const std::string& group,
                      double best) {
  RunSummary made;
  made.id = id;
  made.name = name;
  made.group = group;
  made.best = best;
  made.last = best + 1;
  made.seed = 10 - id;
  made.metric = "valid/bleu";
  made.status = std::isnan(best) ? RunStatus::kFailed : RunStatus::kFinished;
  return made;
}

void TestRunGroups::namesLoseTheirSeed() {
  const std::pair<const char*, const char*> names[] = {
      {"dec-sa4-s2", "dec-sa4"},   {"dec-sa4-seed12", "dec-sa4"}, {"dec-sa4_3", "dec-sa4"},
      {"mlrf.toy.s1", "mlrf.toy"}, {"dec-sa4", "dec-sa4"},        {"-1", "-1"}};
  for (const auto& [name, shorter] : names) QCOMPARE(nameWithoutSeed(name), std::string(shorter));
}

void TestRunGroups::meansAreOverTheRunsWithAScore() {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const auto groups = runGroups({run(1, "deep-s1", "d", 30), run(2, "flat", "f", 20),
                                 run(3, "deep-s2", "d", 33), run(4, "deep-s3", "d", none)});
  QCOMPARE(groups.size(), std::size_t(2));
  QCOMPARE(groups[0].name, std::string("deep"));
  QCOMPARE(groups[0].runs.size(), std::size_t(3));
  QCOMPARE(groups[0].best.count, std::size_t(2));
  QCOMPARE(*groups[0].best.mean, 31.5);
  QVERIFY(std::abs(*groups[0].best.deviation - 3 / std::sqrt(2.0)) < 1e-12);
  QVERIFY(std::abs(*groups[0].best.low - (31.5 - 12.7062 * 1.5)) < 1e-9);  // t(1) std / sqrt(2)
  QCOMPARE(*groups[0].last.mean, 32.5);
  QCOMPARE(groups[1].name, std::string("flat"));
  QVERIFY(groups[1].best.mean && !groups[1].best.deviation && !groups[1].best.low);
  const Table table = shownTable(groups);
  const auto cell = [&](std::size_t row, const std::string& title) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (table.columns[c].title == title) return table.rows[row][c].text();
    }
    return std::string("no column");
  };
  QCOMPARE(cell(0, "status"), std::string("1 failed, 2 finished"));
  QCOMPARE(cell(0, "seeds"), std::string("6 7 9"));
  QCOMPARE(cell(0, "best"), std::string("31.5000"));
  QCOMPARE(cell(1, "std"), std::string("–"));
  QCOMPARE(cell(1, "tokens/s"), std::string("–"));  // none is known
  QCOMPARE(toJson(groups)[0].at("best").at("mean"), Json(31.5));
  QCOMPARE(toJson(groups)[0].at("runs").size(), std::size_t(3));
}

// Runs of older versions have no group.
void TestRunGroups::groupsOfOneNameAreToldApart() {
  auto groups = runGroups({run(1, "a-s1", "x", 1), run(2, "a-s2", "x", 1), run(3, "a-s3", "y", 1),
                           run(4, "a-s4", "y", 1)});
  QCOMPARE(groups.size(), std::size_t(2));
  QCOMPARE(groups[0].name, std::string("a-s1"));
  QCOMPARE(groups[1].name, std::string("a-s3"));
  groups = runGroups({run(1, "a-s1", "", 1), run(2, "a-s2", "", 1), run(3, "b-s1", "", 1)});
  QCOMPARE(groups.size(), std::size_t(2));
  QCOMPARE(groups[0].name, std::string("a"));
  QVERIFY(runGroups({}).empty());
  QVERIFY(shownTable(runGroups({})).rows.empty());
}

STRATA_GUILESS_TEST(TestRunGroups)
#include "test_run_groups.moc"
