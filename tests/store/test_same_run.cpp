#include <QTest>

#include "core/store/jobs.h"
#include "core/store/same_run.h"
#include "store/store_fixture.h"
#include "tests/fixture.h"
#include "tests/program.h"

using namespace strata;

class TestSameRun : public QObject {
  Q_OBJECT
 private slots:
  void onlyTheSameConfigurationCounts();
};

void TestSameRun::onlyTheSameConfigurationCounts() {
  TemporaryFolder folder;
  Workspace workspace(folder / "w");
  Json config = smallConfig();  // seed 7
  QVERIFY(!sameRun(workspace, config));
  enqueueRun(workspace, {"a", config, "mlrf/base"});
  const Job b = enqueueRun(workspace, {"b", config, ""});  // the preset's name changes nothing
  config["seed"] = 1;
  enqueueRun(workspace, {"one", config, ""});
  config["seed"] = 7;
  const auto found = sameRun(workspace, config);
  QVERIFY(found.has_value());
  QCOMPARE(found->run.name, std::string("b"));  // the newest
  QCOMPARE(found->freeSeed, std::uint64_t(2));  // 1 and 7 are taken
  config["seed"] = 3;
  QVERIFY(!sameRun(workspace, config));
  config["seed"] = 7;
  config["model"]["layers"] = 5;
  QVERIFY(!sameRun(workspace, config));
  trashRun(workspace, b.run);
  QCOMPARE(sameRun(workspace, smallConfig())->run.name, std::string("a"));
}

STRATA_GUILESS_TEST(TestSameRun)
#include "test_same_run.moc"
