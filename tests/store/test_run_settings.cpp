#include <QtTest>

#include "core/run/configuration_group.h"
#include "core/store/index.h"
#include "core/store/run_settings.h"
#include "store/store_fixture.h"
#include "tests/fixture.h"
#include "tests/program.h"

using namespace strata;

class TestRunSettings : public QObject {
  Q_OBJECT
 private slots:
  void valuesHaveTheirPath();
  void aChangedConfigurationIsReadAgain();
  void keysThatDifferAreFound();
};

void TestRunSettings::valuesHaveTheirPath() {
  TemporaryFolder folder;
  Workspace workspace(folder / "w");
  Json config = smallConfig();
  config["name"] = "a";
  config["training"]["phases"] = Json::array({1, 2});
  const RunSummary run = createRun(workspace, {"a", config, "mlrf/base"});
  RunSettings settings;
  const RunSettings::Run& known = settings.of(run);
  QCOMPARE(known.values->at("data.dataset"), Json("toy"));
  QCOMPARE(known.values->at("training.phases"), Json::array({1, 2}));
  QCOMPARE(known.values->at("preset"), Json("mlrf/base"));
  QVERIFY(!known.values->contains("seed") && !known.values->contains("name"));
  QCOMPARE(known.group, configurationGroup(runConfig(run)));
}

void TestRunSettings::aChangedConfigurationIsReadAgain() {
  TemporaryFolder folder;
  Workspace workspace(folder / "w");
  Json config = smallConfig();
  config["training"]["dropout"] = 0.1;
  const RunSummary run = createRun(workspace, {"a", config, ""});
  RunSettings settings;
  QCOMPARE(settings.of(run).values->at("training.dropout"), Json(0.1));
  config["training"]["dropout"] = 0.25;
  replaceConfig(workspace, run.id, config);
  // File systems may have ticks of some milliseconds.
  const fs::path file = configFileOf(run.folder);
  fs::last_write_time(file, fs::last_write_time(file) + std::chrono::seconds(2));
  QCOMPARE(settings.of(run).values->at("training.dropout"), Json(0.25));
  fs::remove(file);
  QVERIFY(!errorOf([&] { settings.of(run); }).empty());
}

void TestRunSettings::keysThatDifferAreFound() {
  const RunSettings::Values a{{"lr", 1}, {"depth", 6}, {"type", "sa"}},
      b{{"lr", 1}, {"depth", 7}, {"type", "sa"}, {"hops", 4}};
  QCOMPARE(differingKeys({&a, &b}), (std::vector<std::string>{"depth", "hops"}));
  QCOMPARE(differingKeys({&a}), std::vector<std::string>());
  QCOMPARE(differingKeys({}), std::vector<std::string>());
}

STRATA_GUILESS_TEST(TestRunSettings)
#include "test_run_settings.moc"
