// Keys, parameter counts and presets of the family dhea, without a model being made.
#include <QtTest>

#include "core/run/experiment.h"
#include "models/dhea/config.h"
#include "tests/fixture.h"
#include "tests/models/preset_fixture.h"
#include "tests/program.h"

using namespace strata;

class TestDheaConfig : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void parameterCounts_data();
  void parameterCounts();
  void thePaperRecipe();
  void impossibleCombinationsAreNamed();
};

// models.md section 7.
void TestDheaConfig::parameterCounts_data() {
  QTest::addColumn<QString>("preset");
  QTest::addColumn<QString>("change");
  QTest::addColumn<qint64>("paper");
  QTest::addColumn<qint64>("small");  // d = 256, 2 + 2 layers
  const auto row = [](const char* preset, qint64 paper, qint64 small, const char* change = "") {
    QTest::addRow("%s %s", preset, change) << preset << change << paper << small;
  };
  row("dhea/none", 39653376, 8679424);
  row("dhea/sum", 42799104, 9072640);
  row("dhea/gate", 44898304, 9335296);
  row("dhea/hybrid", 39653376, 8679424);
  row("dhea/sum", 39653376, 0, "model.share_qkv=true");
  row("dhea/none-stable", 39667712, 0);
  row("dhea/sum-stable", 42813440, 0);
  row("dhea/gate-stable", 44912640, 0);
  row("dhea/hybrid-stable", 39667712, 0);
}

void TestDheaConfig::parameterCounts() {
  QFETCH(QString, preset);
  QFETCH(QString, change);
  QFETCH(qint64, paper);
  QFETCH(qint64, small);
  std::vector<std::string> overrides;
  if (!change.isEmpty()) overrides.push_back(change.toStdString());
  QCOMPARE(countOf(preset.toStdString(), 8848, 6632, overrides), paper);
  if (small == 0) return;
  for (const char* text : {"model.hidden=256", "model.encoder_layers=2", "model.decoder_layers=2"})
    overrides.emplace_back(text);
  QCOMPARE(countOf(preset.toStdString(), 8848, 6632, overrides), small);
}

void TestDheaConfig::thePaperRecipe() {
  QCOMPARE(countOf("dhea/gate", 30000, 30000), std::int64_t{79656960});
  const ExperimentSpec spec =
      parseExperiment(resolveConfig({.preset = "dhea/gate-big"}, builtInSources()));
  const PhaseSpec& phase = spec.training.phases.at(0);
  QCOMPARE(phase.schedule.kind, ScheduleSpec::Kind::kNoam);
  QCOMPARE(phase.schedule.dim, 1024);
  QCOMPARE(phase.schedule.warmup, 4000);
  QCOMPARE(phase.batch.size * spec.training.accumulate, 65536);
  QCOMPARE(spec.training.clipNorm, 25.0);
  QCOMPARE(spec.training.maxUpdates, 300000);
  QCOMPARE(spec.criterion.labelSmoothing, 0.1);
  QCOMPARE(spec.decoding.beam, 8);
  QCOMPARE(spec.decoding.lengthPenalty.text(), "gnmt:0.6");
}

void TestDheaConfig::impossibleCombinationsAreNamed() {
  const auto refused = [](std::vector<std::string> overrides) {
    return usageErrorOf([&] {
      resolveConfig({.preset = "dhea/gate", .overrides = std::move(overrides)}, builtInSources());
    });
  };
  QVERIFY(holds(refused({"model.history=none", "model.share_qkv=true"}), "model.share_qkv"));
  QVERIFY(holds(refused({"model.history=hybrid", "model.share_qkv=true"}), "model.share_qkv"));
  QVERIFY(holds(refused({"model.hidden=9", "model.positional_encoding=true"}),
                "model.positional_encoding"));
  QVERIFY(holds(refused({"model.hidden=0"}), "model.hidden"));
  QVERIFY(holds(refused({"model.history=both"}), "model.history"));
  QVERIFY(holds(refused({"model.heads=2"}), "model.heads"));
}

STRATA_GUILESS_TEST(TestDheaConfig)
#include "test_dhea_config.moc"
