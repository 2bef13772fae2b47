#include <QtTest>
#ifndef Q_MOC_RUN
#include <torch/types.h>
#endif

#include "tests/fixture.h"
#include "tests/models/model_fixture.h"
#include "tests/program.h"

namespace strata {
namespace {

using namespace testing;

Json keysOf(const Json& changes = Json::object()) {
  Json keys{{"family", "deepatt"}, {"embed_dim", 6},      {"hidden", 8},
            {"encoder_layers", 3}, {"decoder_layers", 2}, {"attention_dim", 5}};
  keys.update(changes);
  return keys;
}

std::shared_ptr<TranslationModel> shaken(const Json& keys,
                                         torch::ScalarType type = torch::kFloat64) {
  auto model = smallModel(keys, type);
  shake(*model);
  return model;
}

void addVariants() {
  QTest::addColumn<QByteArray>("keys");
  const auto row = [](const char* name, const Json& changes) {
    QTest::newRow(name) << QByteArray::fromStdString(keysOf(changes).dump());
  };
  row("two columns", Json::object());
  row("one column", {{"columns", 1}});
  row("without fast-forward", {{"fast_forward", false}});
  row("whole f", {{"half", false}});
  row("forward", {{"direction", "forward"}});
  row("without peepholes", {{"peephole", false}});
  row("tanh", {{"decoder_init", "tanh"}});
  const Json ed{{"interface", "max"}, {"attention_dim", nullptr}};
  const auto edWith = [&](const Json& more) {
    Json keys = ed;
    keys.update(more);
    return keys;
  };
  row("ed", ed);
  row("ed whose last layer runs backward", edWith({{"encoder_layers", 2}}));
  row("ed tanh one column", edWith({{"decoder_init", "tanh"}, {"columns", 1}}));
  row("rnnsearch", {{"encoder_layers", 1}, {"decoder_layers", 1}, {"fast_forward", false}});
}

}  // namespace

class TestDeepAtt : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void paddingIsInvisible_data() { addVariants(); }
  void paddingIsInvisible();
  void stepsEqualTeacherForcing_data() { addVariants(); }
  void stepsEqualTeacherForcing();
  void dropoutFollowsItsKey();
  void filesComeBack();
  void theFirstWordIsNotRead();
  void alignmentsSumToOne();
  void interventionsActInStepsToo();
  void thePapersStart();
  void xaviersStart();
};

void TestDeepAtt::paddingIsInvisible() {
  QFETCH(QByteArray, keys);
  const Json json = parseJson(keys.toStdString(), "test");
  checkPadding(*shaken(json), 1e-9);
  checkPadding(*shaken(json, torch::kFloat32), 1e-4);
}

void TestDeepAtt::stepsEqualTeacherForcing() {
  QFETCH(QByteArray, keys);
  checkSteps(*shaken(parseJson(keys.toStdString(), "test")));
}

void TestDeepAtt::dropoutFollowsItsKey() {
  checkDropout(*shaken(keysOf()));
}

void TestDeepAtt::filesComeBack() {
  checkFiles(*smallModel(keysOf({{"decoder_init", "tanh"}}), torch::kFloat32));
  checkFiles(
      *smallModel(keysOf({{"interface", "max"}, {"attention_dim", nullptr}}), torch::kFloat32));
}

// y_0 is the zero vector, whatever the first id.
void TestDeepAtt::theFirstWordIsNotRead() {
  const torch::NoGradGuard frozen;
  const auto model = shaken(keysOf());
  model->eval();
  const Sentences all = threeSentences();
  Tensor other = all.targetIn.clone();
  other.select(1, 0).fill_(9);
  QVERIFY(torch::equal(featuresOf(*model, all.source, all.targetIn),
                       featuresOf(*model, all.source, other)));
  other.select(1, 1).fill_(9);
  QVERIFY(!torch::equal(featuresOf(*model, all.source, all.targetIn),
                        featuresOf(*model, all.source, other)));
}

void TestDeepAtt::alignmentsSumToOne() {
  const torch::NoGradGuard frozen;
  const auto model = shaken(keysOf());
  model->eval();
  Recorder recorder;
  const Sentences all = threeSentences();
  model->decode(*model->encode(all.source, &recorder), all.targetIn, &recorder);
  QCOMPARE(recorder.tensors().size(), std::size_t{2});  // encoder.memory and the alignment
  const Tensor alpha_BTS = recorder.tensors().back().values;
  QCOMPARE(alpha_BTS.sizes().vec(), (std::vector<std::int64_t>{3, 4, 5}));
  QVERIFY((alpha_BTS.sum(-1) - 1).abs().max().item<double>() < 1e-12);
  QCOMPARE(alpha_BTS.masked_select(all.source.padding_BS.unsqueeze(1)).abs().sum().item<double>(),
           0.0);
}

void TestDeepAtt::interventionsActInStepsToo() {
  checkInterventions(
      *shaken(keysOf()),
      {"decoder.attention=zero", "decoder.attention[source=1]=zero",
       "decoder.layers.1.fast_forward=zero", "decoder.layers.1.fast_forward=mean",
       "encoder.memory=0.1", "encoder.columns.1.layers.2.fast_forward=zero", "encoder.levels.1=0.5",
       "decoder.levels.0=0.1", "decoder.levels.2[feature=1]=2",
       "decoder.attention[target=2]=read:1", "decoder.attention[target=1,source=0]=mask"});
  checkWeightsGiven(*shaken(keysOf()), {"decoder.attention"});
  checkOwnWeights(*shaken(keysOf()), {"decoder.attention"});
}

// models.md 2.6: the recurrent group is 0, matrices have the deviation 0.07, other biases are 0.
void TestDeepAtt::thePapersStart() {
  const auto model = smallModel(keysOf({{"hidden", 64}, {"decoder_init", "tanh"}}));
  for (const auto& parameter : model->named_parameters()) {
    const Tensor& value = parameter.value();
    if (parameter.key().find(".recurrent.") != std::string::npos ||
        parameter.key().ends_with(".bias")) {
      QVERIFY2(value.abs().sum().item<double>() == 0, parameter.key().c_str());
    } else if (value.numel() > 4000) {
      const double deviation = value.std().item<double>();
      QVERIFY2(std::abs(deviation - 0.07) < 0.005, parameter.key().c_str());
    }
  }
  QVERIFY(holds(usageErrorOf([&] { model->initialise("iwslt", 1); }), "training.init 'iwslt'"));
}

// models.md 2.6: the start for small data. That a gradient reaches all 16 layers is in matrix.py.
void TestDeepAtt::xaviersStart() {
  const auto model = smallModel(keysOf({{"hidden", 512}, {"decoder_init", "tanh"}}));
  model->initialise("xavier", 1);
  for (const auto& parameter : model->named_parameters()) {
    const Tensor& value = parameter.value();
    if (parameter.key().find(".recurrent.") != std::string::npos ||
        parameter.key().ends_with(".bias")) {
      QVERIFY2(value.abs().sum().item<double>() == 0, parameter.key().c_str());
      continue;
    }
    const bool table = parameter.key().find("embed_tokens") != std::string::npos;
    const double expected =
        table ? 0.07 : std::sqrt(2.0 / static_cast<double>(value.size(0) + value.size(1)));
    if (value.numel() > 20000)
      QVERIFY2(std::abs(value.std().item<double>() / expected - 1) < 0.05, parameter.key().c_str());
  }
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestDeepAtt)
#include "test_deepatt.moc"
