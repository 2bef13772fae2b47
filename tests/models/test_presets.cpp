// Every preset's configuration can be written to a run's folder and read back.
#include <QtTest>

#include "core/base/files.h"
#include "core/run/experiment.h"
#include "models/presets.h"
#include "tests/fixture.h"
#include "tests/program.h"

using namespace strata;

class TestPresets : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void effectiveConfigurationsReadBack_data();
  void effectiveConfigurationsReadBack();
  void anEmptyDependentValueIsNoValue();
};

// Every preset and partial preset alone, and every system with every recipe of its paper and those
// of all papers, as in the README: "deepatt/att-2-2,deepatt/small-data".
void TestPresets::effectiveConfigurationsReadBack_data() {
  QTest::addColumn<QString>("preset");
  const auto row = [](const std::string& name) {
    QTest::newRow(name.c_str()) << QString::fromStdString(name);
  };
  std::vector<std::string> parts;
  for (const std::string& name : builtInSources().presetNames()) {
    row(name);
    if (!isPreset(name)) parts.push_back(name);
  }
  const auto paperOf = [](const std::string& name) { return name.substr(0, name.find('/')); };
  int combinations = 0;
  for (const Preset& system : presets()) {
    for (const std::string& part : parts) {
      if (paperOf(part) != paperOf(system.name) && paperOf(part) != "recipe") continue;
      row(system.name + "," + part);
      ++combinations;
    }
  }
  QVERIFY(presets().size() > 100 && combinations > 100);
}

void TestPresets::effectiveConfigurationsReadBack() {
  QFETCH(QString, preset);
  const ConfigSources sources = builtInSources();
  const Json effective = resolveConfig({.preset = preset.toStdString()}, sources);
  // As the run's folder keeps it and `runs` reads it.
  const Json kept = withNewKeys(parseYaml(toYaml(effective), "config.effective.yaml").value);
  QCOMPARE(Json::diff(effective, kept).dump(), std::string("[]"));
  // As `train --resume` does.
  Json resumed;
  QCOMPARE(errorOf([&] { resumed = resolveResume(kept, {}, sources); }), std::string());
  QCOMPARE(Json::diff(effective, resumed).dump(), std::string("[]"));
  parseExperiment(kept);
  // As `train config.effective.yaml` does.
  const TemporaryFolder folder;
  writeFileAtomic(folder / "config.effective.yaml", toYaml(effective));
  const Json again = resolveConfig({.file = (folder / "config.effective.yaml").string()}, sources);
  QCOMPARE(Json::diff(effective, again).dump(), std::string("[]"));
}

// "attention_dim: null" stands for the width of the layers; a key with a default has no null.
void TestPresets::anEmptyDependentValueIsNoValue() {
  const auto resolved = [](const char* override) {
    return resolveConfig({.preset = "deepatt/att-2-2", .overrides = {override}}, builtInSources());
  };
  QVERIFY(resolved("model.attention_dim=null")["model"]["attention_dim"].is_null());
  QCOMPARE(resolved("model.attention_dim=64")["model"]["attention_dim"], 64);
  QHOLDS(usageErrorOf([&] { resolved("model.hidden=null"); }), "'model.hidden' must be an integer");
  QHOLDS(usageErrorOf([&] { resolved("model.attention_dim=wide"); }), "'model.attention_dim'");
}

STRATA_GUILESS_TEST(TestPresets)
#include "test_presets.moc"
