// Model keys, parameter counts and presets of the family densenmt, without a model being made.
#include <QtTest>

#include "core/base/files.h"
#include "core/run/experiment.h"
#include "models/densenmt/config.h"
#include "tests/fixture.h"
#include "tests/models/preset_fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

Json modelOf(const std::string& preset, std::vector<std::string> overrides = {}) {
  return resolveConfig({.file = "", .preset = preset, .overrides = std::move(overrides)},
                       builtInSources())["model"];
}

ExperimentSpec specOf(const std::string& preset) {
  return parseExperiment(resolveConfig({.file = "", .preset = preset}, builtInSources()));
}

}  // namespace

class TestDenseNmtConfig : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void parameterCounts_data();
  void parameterCounts();
  void countsOfTheLargeModels();
  void everyPresetResolves();
  void thePaperRecipes();
  void dependentValuesAreFilledIn();
  void widthsOverrideOneSide();
  void stacksArePlanned();
  void absentKeysAreTheReleasedCode();
  void impossibleConfigurationsAreNamed();
  void referenceConfigsAreRead();
};

// models.md section 7, vocabularies of 8,848 and 6,632 words.
void TestDenseNmtConfig::parameterCounts_data() {
  QTest::addColumn<QString>("preset");
  QTest::addColumn<qint64>("e256");
  QTest::addColumn<qint64>("e128");
  QTest::addColumn<qint64>("e64");
  const auto row = [](const char* preset, qint64 e256, qint64 e128, qint64 e64) {
    QTest::newRow(preset) << preset << e256 << e128 << e64;
  };
  row("base-4l", 10144720, 7152336, 5524048);
  row("enc-4l", 10077136, 7084752, 5456464);
  row("dec-4l", 10534864, 7411408, 5717584);
  row("att-4l", 10408912, 7416528, 5788240);
  row("4l-1", 10467280, 7343824, 5650000);
  row("4l-2", 10469328, 7345872, 5652048);
  row("base-8l", 10741456, 7757264, 6133072);
  row("8l-1", 12824464, 9791120, 8142352);
  row("8l-2", 12825488, 9792144, 8143376);
  row("8l-2-b5", 12180880, 9122960, 7461904);
  row("8l-2-b6-linear", 11301328, 8243408, 6582352);
  row("8l-2-b5-linear", 11154384, 8071888, 6398544);
  row("literal-4l-1", 10598352, 7474896, 5781072);
  row("literal-4l-2", 10666448, 7542992, 5849168);
  row("literal-8l-1", 12178896, 9112784, 7447632);
  row("literal-8l-2", 12378064, 9311952, 7646800);
}

void TestDenseNmtConfig::parameterCounts() {
  QFETCH(QString, preset);
  QFETCH(qint64, e256);
  QFETCH(qint64, e128);
  QFETCH(qint64, e64);
  const std::string name = "densenmt/" + preset.toStdString();
  QCOMPARE(countOf(name, 8848, 6632), e256);
  QCOMPARE(countOf(name, 8848, 6632, {"model.token_embed_dim=128"}), e128);
  QCOMPARE(countOf(name, 8848, 6632, {"model.token_embed_dim=64"}), e64);
  if (preset.contains("-b")) return;
  QCOMPARE(countOf(name + "-e128", 8848, 6632), e128);
  QCOMPARE(countOf(name + "-e64", 8848, 6632), e64);
}

void TestDenseNmtConfig::countsOfTheLargeModels() {
  QCOMPARE(countOf("densenmt/8l-1", 8848, 6632, {"model.summary_every=5"}), 12179344);
  QCOMPARE(countOf("densenmt/8l-1-e128", 8848, 6632, {"model.summary_every=5"}), 9121424);
  QCOMPARE(countOf("densenmt/8l-1-e64", 8848, 6632, {"model.summary_every=5"}), 7460368);
  QCOMPARE(countOf("baseline/fconv-iwslt", 8848, 6632), 9619408);
  QCOMPARE(countOf("densenmt/8l-2", 8848, 6632, {"model.base_width=embedding"}), 14355472);
  QCOMPARE(countOf("densenmt/literal-4l-1", 8848, 6632, {"model.attention_values=key_and_base"}),
           10401232);
  QCOMPARE(countOf("densenmt/literal-4l-2", 8848, 6632, {"model.attention_values=key_and_base"}),
           10337232);
  QCOMPARE(countOf("densenmt/literal-att-4l", 8848, 6632), 10869200);
  QCOMPARE(countOf("densenmt/literal-8l-2-hid128", 8848, 6632), 15196624);
  QCOMPARE(countOf("densenmt/wmt-15", 42000, 42000), 170923296);
  QCOMPARE(countOf("densenmt/wmt-15-quarter", 42000, 42000), 176134688);
  QCOMPARE(countOf("densenmt/literal-wmt-15", 42000, 42000), 159946016);
  QCOMPARE(countOf("densenmt/convs2s-15", 42000, 42000), 213669920);
}

void TestDenseNmtConfig::everyPresetResolves() {
  int found = 0;
  for (const Preset& preset : presets()) {
    const Json model = modelOf(preset.name);
    if (model["family"] != "densenmt") continue;
    specOf(preset.name);
    QVERIFY2(!preset.description.empty(), preset.name.c_str());
    const auto config = parseModelConfig<densenmt::DenseConfig>(modelConfig(model, 100, 90));
    QCOMPARE(configJson(parseModelConfig<densenmt::DenseConfig>(configJson(config))),
             configJson(config));
    ++found;
  }
  QVERIFY(found >= 13 + 18 + 6 + 1);
}

void TestDenseNmtConfig::thePaperRecipes() {
  const ExperimentSpec spec = specOf("densenmt/8l-2");
  const PhaseSpec& phase = spec.training.phases.at(0);
  QCOMPARE(phase.optimizer.kind, OptimizerSpec::Kind::kNag);
  QCOMPARE(phase.optimizer.momentum, 0.99);
  QCOMPARE(phase.optimizer.lr, 0.25);
  QCOMPARE(phase.schedule.kind, ScheduleSpec::Kind::kPlateau);
  QCOMPARE(phase.batch.size, 32);
  QCOMPARE(phase.batch.unit, BatchSpec::Unit::kSentences);
  QCOMPARE(spec.training.dropout, 0.2);
  QCOMPARE(spec.training.clipNorm, 0.1);
  QCOMPARE(spec.training.minLr, 1e-4);
  QCOMPARE(spec.training.maxEpochs, 100);
  QCOMPARE(spec.decoding.beam, 5);
  QCOMPARE(spec.decoding.lengthPenalty.text(), "mean");
  const ExperimentSpec wmt = specOf("densenmt/wmt-15");
  QCOMPARE(wmt.training.dropout, 0.1);
  QCOMPARE(wmt.training.phases.at(0).batch.size, 48);
  QCOMPARE(wmt.decoding.lengthPenalty.text(), "power:0.1");
  const ExperimentSpec fconv = specOf("baseline/fconv-iwslt");
  QCOMPARE(fconv.criterion.labelSmoothing, 0.1);
  QCOMPARE(fconv.training.phases.at(0).batch.size, 4000);
  QCOMPARE(fconv.training.phases.at(0).schedule.kind, ScheduleSpec::Kind::kForceAnneal);
}

void TestDenseNmtConfig::dependentValuesAreFilledIn() {
  QCOMPARE(modelOf("densenmt/4l-1")["encoder_grad_scale"], "params");
  QCOMPARE(modelOf("densenmt/4l-2")["encoder_grad_scale"], "none");
  const Json small = modelOf("densenmt/4l-2-e64");
  QCOMPARE(small["embed_dim"], 256);
  QCOMPARE(small["out_embed_dim"], 64);
  QCOMPARE(small["decoder_hidden"], 256);
  QCOMPARE(modelOf("densenmt/4l-2", {"model.embed_dim=64"})["token_embed_dim"], 64);
}

void TestDenseNmtConfig::widthsOverrideOneSide() {
  const auto config = parseModelConfig<densenmt::DenseConfig>(modelConfig(
      modelOf("densenmt/base-4l", {"model.decoder_layers=2", "model.hidden=[8, 8, 16, 8]",
                                   "model.decoder_hidden=12", "model.decoder_kernel=[2, 5]"}),
      100, 90));
  const auto encoder = encoderPlan(config), decoder = decoderPlan(config);
  QCOMPARE(encoder.layers[2].inputWidth, 8);
  QCOMPARE(encoder.layers[2].width, 16);
  QVERIFY(encoder.layers[2].projectsSkip && encoder.layers[3].projectsSkip);
  QVERIFY(!encoder.layers[1].projectsSkip);
  QCOMPARE(decoder.inputWidth, 12);
  QCOMPARE(decoder.layers[0].kernel, 2);  // causal: an even one has no middle to miss
  QCOMPARE(decoder.layers[1].kernel, 5);
}

// Widths counted by hand: H = 192, d = 96, 8 layers, the sixth summarises.
void TestDenseNmtConfig::stacksArePlanned() {
  const auto config =
      parseModelConfig<densenmt::DenseConfig>(modelConfig(modelOf("densenmt/8l-2"), 100, 90));
  const auto encoder = encoderPlan(config), decoder = decoderPlan(config);
  const std::vector<std::int64_t> encoderIn{192, 288, 384, 480, 576, 672, 192, 288},
      decoderIn{192, 384, 576, 768, 960, 1152, 192, 384};
  for (std::size_t i = 0; i < 8; ++i) {
    QCOMPARE(encoder.layers[i].inputWidth, encoderIn[i]);
    QCOMPARE(decoder.layers[i].inputWidth, decoderIn[i]);
    QCOMPARE(encoder.layers[i].kind == densenmt::LayerPlan::Kind::kSummary, i == 5);
  }
  QCOMPARE(encoder.partWidths, (std::vector<std::int64_t>{96, 96, 192}));
  QCOMPARE(decoder.outputWidth, 576);
  const auto partsOf = [](const std::string& override) {
    return attendedWidths(parseModelConfig<densenmt::DenseConfig>(
                              modelConfig(modelOf("densenmt/8l-2", {override}), 100, 90)))
        .size();
  };
  QCOMPARE(partsOf("model.summary_every=5"), 4U);
  QCOMPARE(partsOf("model.summary_every=4"), 1U);  // ends on a summary
  QCOMPARE(partsOf("model.summary_every=0"), 9U);
  QCOMPARE(partsOf("model.dense_attention=1"), 1U);
}

// Models and runs that were stored before there were keys for the paper's equations have the
// configuration of today.
void TestDenseNmtConfig::absentKeysAreTheReleasedCode() {
  const Json released = modelOf("densenmt/8l-2"), printed = modelOf("densenmt/literal-8l-2");
  for (const char* key : {"base_width", "attention_values", "without_base", "without_query_word",
                          "without_length_gain", "without_parts_gain"}) {
    QVERIFY2(!released.contains(key), key);
    QVERIFY2(printed.contains(key), key);
  }
  QCOMPARE(modelOf("densenmt/8l-2",
                   {"model.base_width=hidden", "model.attention_values=key_and_word",
                    "model.without_base=false", "model.without_query_word=false",
                    "model.without_length_gain=false", "model.without_parts_gain=false"}),
           released);
  const auto read = [](const Json& model) {
    return parseModelConfig<densenmt::DenseConfig>(modelConfig(model, 100, 90));
  };
  const densenmt::DenseConfig config = read(released);
  QVERIFY(config.baseWidth == densenmt::BaseWidth::kHidden);
  QVERIFY(config.attentionValues == densenmt::AttentionValues::kKeyAndWord);
  QVERIFY(!config.withoutBase && !config.withoutQueryWord);
  QVERIFY(!config.withoutLengthGain && !config.withoutPartsGain);
  // What a model's config.json says is what was asked for.
  for (const Json& model : {released, printed}) {
    const Json stored = configJson(read(model));
    for (const auto& [key, value] : model.items()) {
      if (key != "family") QVERIFY2(stored.at(key) == value, key.c_str());
    }
    QCOMPARE(stored.contains("base_width"), model.contains("base_width"));
  }
}

void TestDenseNmtConfig::impossibleConfigurationsAreNamed() {
  const auto error = [](std::vector<std::string> overrides) {
    return usageErrorOf([&] { countOf("densenmt/4l-2", 100, 90, overrides); });
  };
  QHOLDS(error({"model.kernel=4"}), "'model.kernel': the encoder's kernels");
  QHOLDS(error({"model.encoder_kernel=[3, 3, 2, 3]"}), "'model.encoder_kernel': the encoder's");
  QHOLDS(error({"model.hidden=[8, 8, 8]"}),
         "'model.hidden': lists 3 numbers, but encoder_layers is 4");
  QHOLDS(error({"model.decoder_growth=[8]"}), "'model.decoder_growth': lists 1 numbers");
  QHOLDS(error({"model.hidden=[]"}), "'model.hidden'");
  QHOLDS(error({"model.hidden=0"}), "'model.hidden'");
  QHOLDS(error({"model.growth=[8, 8, 0, 8]"}), "'model.growth'");
  QHOLDS(error({"model.position_rows=2"}), "'model.position_rows': must be at least 3, not 2");
  QHOLDS(error({"model.dense_attention=3"}), "'model.dense_attention'");
  QHOLDS(error({"model.dense_encoder=false", "model.dense_decoder=false", "model.summary_every=2"}),
         "'model.summary_every': summaries belong to dense stacks");
  QHOLDS(error({"model.summary_every=1", "model.summary_kind=linear_extra"}),
         "'model.summary_every': must be at least 2: a linear summary");
  QHOLDS(error({"model.encoder_grad_scale=flow"}), "'model.encoder_grad_scale'");
  QHOLDS(error({"model.dense_attention=1", "model.encoder_grad_scale=flow",
                "model.attention_values=key_and_base"}),
         "'model.encoder_grad_scale'");
  QHOLDS(error({"model.dense_attention=1", "model.without_base=true"}),
         "'model.without_base': with dense_attention = 1");
  QHOLDS(error({"model.dense_encoder=false", "model.dense_decoder=false",
                "model.base_width=embedding"}),
         "'model.base_width': embedding is the width of a dense stack's");
  QHOLDS(error({"model.summary_kind=linear"}), "must be one of conv, linear_extra");
  QHOLDS(error({"model.dense_atention=1"}), "'model.dense_attention'");
  QHOLDS(usageErrorOf([] {
           parseModelConfig<densenmt::DenseConfig>({{"format", 1},
                                                    {"family", "densenmt"},
                                                    {"src_vocab", 9},
                                                    {"tgt_vocab", 9},
                                                    {"hidden", "wide"}});
         }),
         "'hidden' must be an integer or a list of integers from 1 to 65536, not \"wide\"");
}

void TestDenseNmtConfig::referenceConfigsAreRead() {
  int read = 0;
  for (const fs::path& models : referenceFolders("models/densenmt")) {
    for (const auto& entry : fs::directory_iterator(models)) {
      const Json config = parseJson(readFile(entry.path() / "config.json"), "config.json");
      const Json again = configJson(parseModelConfig<densenmt::DenseConfig>(config));
      for (const auto& [key, value] : config.items()) QCOMPARE(again[key], value);
      ++read;
    }
  }
  qInfo("%d model configurations read", read);
  QVERIFY(read > 0);
}

STRATA_GUILESS_TEST(TestDenseNmtConfig)
#include "test_densenmt_config.moc"
