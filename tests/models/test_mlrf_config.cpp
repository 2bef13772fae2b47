// Model keys, parameter counts and presets of the family transformer, without a model being made.
#include <QtTest>

#include "core/base/files.h"
#include "core/run/experiment.h"
#include "models/mlrf/config.h"
#include "tests/fixture.h"
#include "tests/models/preset_fixture.h"
#include "tests/program.h"

using namespace strata;

class TestMlrfConfig : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void parameterCounts_data();
  void parameterCounts();
  void everyPresetResolves();
  void thePaperRecipe();
  void theRestart();
  void theDemosDifferInTheFusionAndTheRateOnly();
  void defaultsDependOnTheType();
  void presetsThatAverageNormalise();
  void laterKeysAreLeftOutAtTheirDefaults();
  void impossibleCombinationsAreNamed();
  void referenceConfigsAreRead();
};

void TestMlrfConfig::parameterCounts_data() {
  QTest::addColumn<QString>("preset");
  QTest::addColumn<QString>("change");
  QTest::addColumn<qint64>("paper");    // 8,389 and 6,428 words
  QTest::addColumn<qint64>("public_");  // 8,848 and 6,632 words
  const auto row = [](const char* preset, qint64 paper, qint64 publicCount,
                      const char* change = "") {
    QTest::addRow("%s%s", preset, change) << preset << change << paper << publicCount;
  };
  row("mlrf/base", 10974748, 11196904);
  row("mlrf/enc-avg", 10974748, 11196904);
  row("mlrf/dec-avg", 10974748, 11196904);
  row("mlrf/base-4l", 12817948, 13040104);
  row("mlrf/base-6l", 16504348, 16726504);
  row("mlrf/enc-fnn", 11631644, 11853800);
  row("mlrf/dec-fnn", 11631644, 11853800);
  row("mlrf/enc-sa4", 11897884, 12120040);
  row("mlrf/dec-sa4", 11897884, 12120040);
  row("mlrf/enc-sa6", 12162076, 12384232);
  row("mlrf/dec-sa6", 12162076, 12384232);
  row("mlrf/dec-sa6", 13472796, 13694952, "model.decoder_fusion.w1=per_hop");
  row("mlrf/dec-sa6", 12948508, 13170664, "model.decoder_fusion.w1=per_layer");
  row("mlrf/dec-sa4-independent-w1", 12684316, 12906472);
  // Without gain and bias of the fusion's normalisation: 2 x 256 fewer.
  row("mlrf/dec-sa4", 11897372, 12119528, "model.decoder_fusion.without_norm=true");
  row("mlrf/dec-sa4", 11897884, 12120040, "model.decoder_fusion.residual=true");
  row("mlrf/both-fnn", 12287516, 12509672);
  row("mlrf/both-sa4", 12819996, 13042152);
  row("mlrf/both-fnn-sa4", 12553756, 12775912);
}

void TestMlrfConfig::parameterCounts() {
  QFETCH(QString, preset);
  QFETCH(QString, change);
  QFETCH(qint64, paper);
  QFETCH(qint64, public_);
  std::vector<std::string> overrides;
  if (!change.isEmpty()) overrides.push_back(change.toStdString());
  QCOMPARE(countOf(preset.toStdString(), 8389, 6428, overrides), paper);
  QCOMPARE(countOf(preset.toStdString(), 8848, 6632, overrides), public_);
}

void TestMlrfConfig::everyPresetResolves() {
  QCOMPARE(countOf("baseline/transformer-iwslt", 8848, 6632), 39469056);
  QCOMPARE(countOf("baseline/transformer-iwslt", 10152, 10152, {"model.share_all_embeddings=true"}),
           36741120);
  QVERIFY(presets().size() > 40);
  for (const Preset& preset : presets()) {
    const Json config = resolveConfig({.file = "", .preset = preset.name}, builtInSources());
    parseExperiment(config);
    QVERIFY2(!preset.description.empty(), preset.name.c_str());
    QVERIFY2(parameterCountOf(modelConfig(config["model"], 8389, 6428)) > 0, preset.name.c_str());
  }
}

void TestMlrfConfig::thePaperRecipe() {
  const ExperimentSpec spec =
      parseExperiment(resolveConfig({.file = "", .preset = "mlrf/base-mle"}, builtInSources()));
  const PhaseSpec& phase = spec.training.phases.at(0);
  QCOMPARE(phase.epochs, 40);
  QCOMPARE(phase.batch.size, 80);
  QCOMPARE(phase.batch.unit, BatchSpec::Unit::kSentences);
  QCOMPARE(phase.schedule.kind, ScheduleSpec::Kind::kNoam);
  QCOMPARE(phase.schedule.warmup, 16000);
  QCOMPARE(spec.training.dropout, 0.1);
  QCOMPARE(spec.decoding.beam, 8);
  QCOMPARE(spec.decoding.lengthPenalty.text(), "gnmt:1.6");
}

void TestMlrfConfig::theRestart() {
  const auto phases =
      parseExperiment(resolveConfig({.file = "", .preset = "mlrf/both-fnn-sa4"}, builtInSources()))
          .training.phases;
  QCOMPARE(phases.size(), 2U);
  QVERIFY(phases[1].restart);
  QCOMPARE(phases[1].epochs, 20);
  QCOMPARE(phases[1].optimizer.lr, 5e-5);
  QCOMPARE(phases[1].batch.size, 32);
  QCOMPARE(phases[1].schedule.kind, ScheduleSpec::Kind::kConstant);
  QCOMPARE(phases[0].batch.size, 80);
}

void TestMlrfConfig::theDemosDifferInTheFusionAndTheRateOnly() {
  Json base = resolveConfig({.preset = "demo/base"}, builtInSources());
  Json fused = resolveConfig({.preset = "demo/mlrf"}, builtInSources());
  QVERIFY(base["model"] != fused["model"]);
  for (Json* config : {&base, &fused}) {
    config->erase("preset");
    (*config)["model"].erase("encoder_fusion");
    (*config)["model"].erase("decoder_fusion");
    (*config)["training"]["optimizer"].erase("lr");
    QCOMPARE((*config)["training"]["phases"][1]["optimizer"].erase("lr"), std::size_t(1));
  }
  QCOMPARE(base, fused);
}

void TestMlrfConfig::defaultsDependOnTheType() {
  const auto model = [](const std::string& preset) {
    return resolveConfig({.file = "", .preset = preset}, builtInSources())["model"];
  };
  QCOMPARE(model("mlrf/dec-sa4")["decoder_fusion"]["include_embedding"], true);
  QCOMPARE(model("mlrf/dec-sa4")["decoder_fusion"]["layer_embedding"], true);
  QCOMPARE(model("mlrf/dec-avg")["decoder_fusion"]["include_embedding"], false);
  QCOMPARE(model("mlrf/dec-avg")["decoder_fusion"]["layer_embedding"], false);
  QCOMPARE(model("mlrf/dec-sa4-no-word")["decoder_fusion"]["include_embedding"], false);
  QCOMPARE(model("mlrf/dec-sa4-no-word")["decoder_fusion"]["layer_embedding"], true);
}

// "The layer normalization after the fusion layer", without parameters; a stored configuration
// without the key has none.
void TestMlrfConfig::presetsThatAverageNormalise() {
  int averages = 0;
  for (const Preset& preset : presets()) {
    const Json model = resolveConfig({.preset = preset.name}, builtInSources())["model"];
    if (model["family"] != "transformer") continue;
    for (const char* side : {"encoder_fusion", "decoder_fusion"}) {
      if (model[side]["type"] != "avg") continue;
      QVERIFY2(model[side]["avg_norm"] == "plain", preset.name.c_str());
      ++averages;
    }
  }
  QVERIFY(averages >= 8);
  const Json stored =
      modelConfig({{"family", "transformer"}, {"encoder_fusion", {{"type", "avg"}}}}, 100, 90);
  QCOMPARE(configJson(parseModelConfig<mlrf::MlrfConfig>(stored))["encoder_fusion"]["avg_norm"],
           "none");
}

// A run that was stored before there were these keys has the configuration of today.
void TestMlrfConfig::laterKeysAreLeftOutAtTheirDefaults() {
  const auto fusion = [](std::vector<std::string> overrides) {
    return resolveConfig({.preset = "mlrf/dec-sa4", .overrides = std::move(overrides)},
                         builtInSources())["model"]["decoder_fusion"];
  };
  const Json usual = fusion({});
  QVERIFY(!usual.contains("without_norm") && !usual.contains("residual"));
  QCOMPARE(
      fusion({"model.decoder_fusion.without_norm=false", "model.decoder_fusion.residual=false"}),
      usual);
  const Json other =
      fusion({"model.decoder_fusion.without_norm=true", "model.decoder_fusion.residual=true"});
  QCOMPARE(other["without_norm"], true);
  QCOMPARE(other["residual"], true);
  // A model has them, too, if they are on.
  const Json made = modelConfig(
      resolveConfig({.preset = "mlrf/dec-sa4", .overrides = {"model.decoder_fusion.residual=true"}},
                    builtInSources())["model"],
      100, 90);
  QCOMPARE(made["decoder_fusion"]["residual"], true);
  QVERIFY(!made["decoder_fusion"].contains("without_norm"));
  const Json stored = resolveConfig({.preset = "mlrf/dec-sa4"}, builtInSources());
  validateConfig(stored, builtInSources(), "a stored configuration");
  const Json changed =
      resolveConfig({.preset = "mlrf/dec-sa4", .overrides = {"model.decoder_fusion.residual=true"}},
                    builtInSources());
  QHOLDS(usageErrorOf([&] { resolveContinued(stored, changed, builtInSources()); }),
         "model.decoder_fusion.residual false instead of true");
}

void TestMlrfConfig::impossibleCombinationsAreNamed() {
  const auto error = [](std::vector<std::string> overrides) {
    return usageErrorOf([&] { countOf("mlrf/base", 100, 90, overrides); });
  };
  QHOLDS(error({"model.heads=3"}), "'model.heads': 3 heads do not divide embed_dim = 256");
  QHOLDS(error({"model.decoder_fusion={type: sa, hops: 0}"}), "model.decoder_fusion.hops");
  QHOLDS(error({"model.encoder_fusion={type: avg, layer_embedding: true}"}),
         "model.encoder_fusion.layer_embedding");
  QHOLDS(error({"model.encoder_fusion={type: avg, residual: true}"}),
         "model.encoder_fusion.residual");
  QHOLDS(error({"model.encoder_fusion={type: max, without_norm: true}"}),
         "model.encoder_fusion.without_norm");
  QHOLDS(error({"model.encoder_fusion.type=avg", "model.encoder_layers=1"}), "at least two levels");
  QHOLDS(error({"model.share_all_embeddings=true"}), "share_all_embeddings");
  QHOLDS(error({"model.decoder_fusion.tpye=sa"}), "'model.decoder_fusion.type'");
  QHOLDS(usageErrorOf([] { modelConfig({{"family", "transformr"}}, 10, 10); }), "transformr");
}

void TestMlrfConfig::referenceConfigsAreRead() {
  std::vector<fs::path> families = referenceFolders("models/mlrf");
  for (const fs::path& folder : referenceFolders("models/transformer")) families.push_back(folder);
  int read = 0;
  for (const fs::path& family : families) {
    for (const auto& entry : fs::directory_iterator(family)) {
      const Json config = parseJson(readFile(entry.path() / "config.json"), "config.json");
      const Json again = configJson(parseModelConfig<mlrf::MlrfConfig>(config));
      for (const auto& [key, value] : config.items()) {
        if (!value.is_object()) {
          QCOMPARE(again[key], value);
          continue;
        }
        for (const auto& [name, inner] : value.items()) QCOMPARE(again[key][name], inner);
      }
      ++read;
    }
  }
  qInfo("%d model configurations read", read);
  QVERIFY(read > 0);
}

STRATA_GUILESS_TEST(TestMlrfConfig)
#include "test_mlrf_config.moc"
