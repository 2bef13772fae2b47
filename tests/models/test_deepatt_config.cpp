// Keys, parameter counts and presets of the family deepatt, without a model being made.
#include <QtTest>

#include "core/run/experiment.h"
#include "tests/fixture.h"
#include "tests/models/preset_fixture.h"
#include "tests/program.h"

using namespace strata;

class TestDeepAttConfig : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void parameterCounts_data();
  void parameterCounts();
  void thePaperRecipe();
  void theSmallDataRecipe();
  void impossibleCombinationsAreNamed();
};

// models.md section 7.
void TestDeepAttConfig::parameterCounts_data() {
  QTest::addColumn<QString>("preset");
  QTest::addColumn<QString>("change");
  QTest::addColumn<qint64>("count");
  const auto row = [](const char* preset, qint64 count, const char* change = "") {
    QTest::addRow("%s %s", preset, change) << preset << change << count;
  };
  row("deepatt/att-1-1", 22188008);
  row("deepatt/rnnsearch", 13275112);
  row("deepatt/att-1-1-noff", 13275112);
  row("deepatt/att-2-2", 34781672);
  row("deepatt/att-2-2-noff", 19577320);
  row("deepatt/att-2-2-noff-w1024", 56418792);
  row("deepatt/att-5-3", 64166888);
  row("deepatt/att-9-7", 114541544);
  row("deepatt/att-9-7-small-data", 114541544);
  row("deepatt/ed-9-7", 114933736);
  row("deepatt/att-9-7-onecolumn", 72828392);
  row("deepatt/att-9-7-onecolumn-w1024", 270399976);
  row("deepatt/att-9-7", 114503144, "model.peephole=false");
}

void TestDeepAttConfig::parameterCounts() {
  QFETCH(QString, preset);
  QFETCH(QString, change);
  QFETCH(qint64, count);
  std::vector<std::string> overrides;
  if (!change.isEmpty()) overrides.push_back(change.toStdString());
  QCOMPARE(countOf(preset.toStdString(), 8848, 6632, overrides), count);
}

void TestDeepAttConfig::thePaperRecipe() {
  QCOMPARE(countOf("deepatt/att-9-7", 200000, 80000), std::int64_t{219896448});
  QCOMPARE(countOf("deepatt/ed-9-7", 200000, 80000), std::int64_t{220288640});
  const ExperimentSpec spec =
      parseExperiment(resolveConfig({.preset = "deepatt/att-5-3"}, builtInSources()));
  const OptimizerSpec& optimizer = spec.training.phases.at(0).optimizer;
  QCOMPARE(optimizer.lr, 4e-5);
  QCOMPARE(optimizer.weightDecay, 2.0);
  QCOMPARE(optimizer.decay, OptimizerSpec::Decay::kDecoupled);
  QCOMPARE(optimizer.decaySkip, (std::vector<std::string>{"embed_tokens", "bias"}));
  QCOMPARE(optimizer.groups.size(), std::size_t{1});
  QCOMPARE(optimizer.groups[0].lr.value(), 5e-4);
  QCOMPARE(optimizer.groups[0].match, std::vector<std::string>{".recurrent."});
  QCOMPARE(spec.decoding.beam, 3);
  QCOMPARE(spec.decoding.lengthPenalty.text(), "none");
}

void TestDeepAttConfig::theSmallDataRecipe() {
  const ExperimentSpec spec =
      parseExperiment(resolveConfig({.preset = "deepatt/att-2-2-small-data"}, builtInSources()));
  const OptimizerSpec& optimizer = spec.training.phases.at(0).optimizer;
  QCOMPARE(optimizer.weightDecay, 1e-4);
  QCOMPARE(optimizer.decay, OptimizerSpec::Decay::kCoupled);
  QCOMPARE(optimizer.groups[0].lr.value(), 5e-4);
  QCOMPARE(spec.training.clipNorm, 5.0);
  QCOMPARE(spec.model.at("encoder_layers").get<int>(), 2);
}

void TestDeepAttConfig::impossibleCombinationsAreNamed() {
  const auto refused = [](std::vector<std::string> overrides) {
    return usageErrorOf([&] {
      resolveConfig({.preset = "deepatt/att-2-2", .overrides = std::move(overrides)},
                    builtInSources());
    });
  };
  QVERIFY(holds(refused({"model.columns=3"}), "model.columns"));
  QVERIFY(holds(refused({"model.hidden=510", "model.columns=1"}), "model.hidden"));
  QVERIFY(holds(refused({"model.interface=max", "model.attention_dim=64"}), "model.attention_dim"));
  QVERIFY(holds(refused({"model.interface=mean"}), "model.interface"));
  QVERIFY(holds(refused({"model.decoder_layers=0"}), "model.decoder_layers"));
}

STRATA_GUILESS_TEST(TestDeepAttConfig)
#include "test_deepatt_config.moc"
