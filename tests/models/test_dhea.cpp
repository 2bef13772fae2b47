#include <QtTest>
#ifndef Q_MOC_RUN
#include <torch/types.h>
#endif

#include "core/decode/scorer.h"
#include "tests/fixture.h"
#include "tests/models/model_fixture.h"
#include "tests/program.h"

namespace strata {
namespace {

using namespace testing;

Json keysOfHistory(const std::string& history, bool stable = false) {
  return {{"family", "dhea"},     {"hidden", 8},
          {"encoder_layers", 3},  {"decoder_layers", 2},
          {"history", history},   {"residual", stable},
          {"layer_norm", stable}, {"first_direction", stable ? "backward" : "forward"}};
}

std::shared_ptr<TranslationModel> shakenDhea(const Json& keys,
                                             torch::ScalarType type = torch::kFloat64) {
  auto model = smallModel(keys, type);
  shake(*model);
  return model;
}

void addHistories() {
  QTest::addColumn<QByteArray>("keys");
  const auto row = [](const char* name, Json keys) {
    QTest::newRow(name) << QByteArray::fromStdString(keys.dump());
  };
  for (const char* history : {"none", "sum", "gate", "hybrid"})
    row(history, keysOfHistory(history));
  row("gate stable", keysOfHistory("gate", true));
  row("hybrid stable", keysOfHistory("hybrid", true));
  Json shared = keysOfHistory("sum");
  shared["share_qkv"] = true;
  row("shared", shared);
  Json placed = keysOfHistory("gate");
  placed["positional_encoding"] = true;
  row("positions", placed);
}

}  // namespace

class TestDhea : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void paddingIsInvisible_data() { addHistories(); }
  void paddingIsInvisible();
  void stepsEqualTeacherForcing_data() { addHistories(); }
  void stepsEqualTeacherForcing();
  void dropoutFollowsItsKey();
  void filesComeBack();
  void mapsSumToOne();
  void meansDoNotSeePadding();
  void aGateOfOneIsTheSourceAlone();
  void interventionsActInStepsToo();
  void theStableStart();
};

void TestDhea::paddingIsInvisible() {
  QFETCH(QByteArray, keys);
  const Json json = parseJson(keys.toStdString(), "test");
  checkPadding(*shakenDhea(json), 1e-9);
  checkPadding(*shakenDhea(json, torch::kFloat32), 1e-4);
}

void TestDhea::stepsEqualTeacherForcing() {
  QFETCH(QByteArray, keys);
  checkSteps(*shakenDhea(parseJson(keys.toStdString(), "test")));
}

void TestDhea::dropoutFollowsItsKey() {
  checkDropout(*shakenDhea(keysOfHistory("gate")));
}

void TestDhea::filesComeBack() {
  checkFiles(*smallModel(keysOfHistory("gate", true), torch::kFloat32));
  checkFiles(*smallModel(keysOfHistory("hybrid"), torch::kFloat32));
}

void TestDhea::mapsSumToOne() {
  const auto model = shakenDhea(keysOfHistory("gate"));
  model->eval();
  Recorder recorder;
  const Sentences all = threeSentences();
  const torch::NoGradGuard frozen;
  model->decode(*model->encode(all.source, &recorder), all.targetIn, &recorder);
  // encoder.memory, and of each of two layers both maps, the gate and the norms
  QCOMPARE(recorder.tensors().size(), std::size_t{9});
  for (const RecordedTensor& recorded : recorder.tensors()) {
    if (recorded.info.kind == "gate")
      QVERIFY(((recorded.values > 0) & (recorded.values < 1)).all().item<bool>());
    if (!recorded.info.kind.ends_with("attention")) continue;
    QVERIFY((recorded.values.sum(-1) - 1).abs().max().item<double>() < 1e-12);
    if (recorded.info.kind != "history_attention") continue;
    QCOMPARE(recorded.values.sizes().vec(), (std::vector<std::int64_t>{3, 4, 4}));
    QCOMPARE(recorded.values.triu(1).abs().max().item<double>(), 0.0);
  }
}

// The mean of an internal over sentences in one batch is that over single sentences. A row
// of a hybrid map sums to 1 over S + T columns, so that its mean is sum of T / sum of T (S + T).
void TestDhea::meansDoNotSeePadding() {
  const ScoredPairs pairs{{{8, 9, 2}, {4, 5, 6, 7, 2}, {10, 2}}, {{7, 8, 9, 2}, {5, 6, 2}, {2}}};
  for (const char* history : {"gate", "hybrid"}) {
    const auto model = shakenDhea(keysOfHistory(history));
    std::vector<std::string> names;
    for (const RecordingInfo& info : model->recordable()) names.push_back(info.name);
    const auto together = internalMeans(*model, pairs, names, {.batchSentences = 3});
    const auto alone = internalMeans(*model, pairs, names, {.batchSentences = 1});
    QCOMPARE(together.size(), names.size());
    for (const std::string& name : names)
      QVERIFY2(largest(together.at(name), alone.at(name)) < 1e-12, name.c_str());
    if (!together.contains("decoder.layers.0.hybrid_attn")) continue;
    const double expected = (4.0 + 3 + 1) / (4 * (3 + 4) + 3 * (5 + 3) + 1 * (2 + 1));
    for (const auto& means : {together, alone}) {
      const double mean = means.at("decoder.layers.0.hybrid_attn").item<double>();
      QVERIFY(std::abs(mean - expected) < 1e-12);
    }
  }
}

// With the gate fixed at 1 the history has no part: switching it off changes nothing more. With the
// history switched off in a sum, the model is the one without.
void TestDhea::aGateOfOneIsTheSourceAlone() {
  const torch::NoGradGuard frozen;
  const Sentences all = threeSentences();
  const auto features = [&](TranslationModel& model, const std::vector<std::string>& texts) {
    model.eval();
    const Interventions interventions = Interventions::parse(texts);
    Recorder recorder;
    recorder.intervene(&interventions);
    return model.decode(*model.encode(all.source, &recorder), all.targetIn, &recorder);
  };
  const auto gated = shakenDhea(keysOfHistory("gate"));
  const std::vector<std::string> open{"decoder.layers.0.gate=1", "decoder.layers.1.gate=1"};
  auto alone = open;
  alone.insert(alone.end(),
               {"decoder.layers.0.history_context=zero", "decoder.layers.1.history_context=zero"});
  QVERIFY(largest(features(*gated, open), features(*gated, alone)) < 1e-12);
  QVERIFY(largest(features(*gated, open), features(*gated, {})) > 1e-6);

  const auto sum = shakenDhea(keysOfHistory("sum")), none = smallModel(keysOfHistory("none"));
  const auto from = sum->named_parameters();
  for (auto& parameter : none->named_parameters()) parameter.value().copy_(from[parameter.key()]);
  const Tensor off =
      features(*sum, {"decoder.layers.0.buffer_attn=zero", "decoder.layers.1.buffer_attn=zero"});
  QVERIFY(largest(off, features(*none, {})) < 1e-12);
}

void TestDhea::interventionsActInStepsToo() {
  checkInterventions(
      *shakenDhea(keysOfHistory("gate")),
      {"decoder.layers.0.gate=0.5", "decoder.layers.1.source_attn=zero",
       "decoder.layers.0.buffer_attn=zero", "decoder.layers.1.source_context=zero",
       "decoder.layers.1.source_context=mean", "decoder.layers.0.history_context[feature=3]=2",
       "encoder.memory=zero", "encoder.levels.1=zero", "decoder.levels.0=0.5",
       "decoder.levels.1[feature=2]=3", "decoder.layers.0.source_attn[target=2]=read:1",
       "decoder.layers.1.buffer_attn[target=2]=read:0*0.2,2*0.8",
       "decoder.layers.1.buffer_attn[target=2,history=1]=mask"});
  checkInterventions(*shakenDhea(keysOfHistory("hybrid")),
                     {"decoder.layers.0.hybrid_attn=zero", "decoder.layers.1.history_context=zero",
                      "decoder.layers.1.hybrid_attn[target=2]=read:0"});
  checkWeightsGiven(*shakenDhea(keysOfHistory("gate")),
                    {"decoder.layers.0.source_attn", "decoder.layers.1.source_attn"});
  checkOwnWeights(*shakenDhea(keysOfHistory("gate")),
                  {"decoder.layers.0.source_attn", "decoder.layers.1.buffer_attn"});
  checkOwnWeights(*shakenDhea(keysOfHistory("hybrid")), {"decoder.layers.1.hybrid_attn"});
}

// models.md 3.3: matrices within Xavier's bound, biases 0 but the forget gate's, which is 1.
void TestDhea::theStableStart() {
  const auto model = smallModel(keysOfHistory("gate", true), torch::kFloat32, "xavier");
  const auto parameters = model->named_parameters();
  const Tensor bias = parameters["encoder.layers.0.lstm.bias"];
  QVERIFY(torch::equal(bias.narrow(0, 8, 8), torch::ones({8})));
  QCOMPARE(bias.abs().sum().item<double>(), 8.0);
  const Tensor weight = parameters["decoder.layers.1.lstm.weight_ih"];  // [32, 16]
  const double bound = std::sqrt(6.0 / (32 + 16));
  const double highest = weight.abs().max().item<double>();
  QVERIFY(highest <= bound && highest > 0.9 * bound);
  QCOMPARE(parameters["decoder.layers.0.norm.weight"].sum().item<double>(), 16.0);
  QVERIFY(holds(usageErrorOf([&] { model->initialise("iwslt", 1); }), "training.init 'iwslt'"));
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestDhea)
#include "test_dhea.moc"
