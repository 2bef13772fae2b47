// DenseNMT, its ablations and the residual baseline: padding, incremental decoding, the scaling of
// gradients, and what can be recorded and replaced.
#include <QtTest>
#ifndef Q_MOC_RUN
#include <torch/types.h>
#endif

#include <cmath>

#include "core/nn/cross_entropy.h"
#include "core/nn/interventions.h"
#include "models/densenmt/decoder.h"
#include "models/presets.h"
#include "tests/fixture.h"
#include "tests/models/model_fixture.h"
#include "tests/program.h"

namespace strata {
namespace {

using namespace strata::testing;
using torch::Tensor;

struct Variant {
  const char* name;
  const char* keys;
};
constexpr Variant kVariants[] = {
    {"dense", R"({})"},
    {"residual", R"({"dense_encoder": false, "dense_decoder": false, "dense_attention": 1,
                     "encoder_hidden": [8, 12, 12], "decoder_kernel": [3, 2, 5]})"},
    {"summaries", R"({"summary_every": 2, "token_embed_dim": 4})"},
    {"linear summaries", R"({"summary_every": 3, "summary_kind": "linear_extra"})"},
    {"one attention", R"({"dense_attention": 1})"},
    {"as printed", R"({"base_width": "embedding", "attention_values": "own", "without_base": true,
                       "without_query_word": true, "without_length_gain": true,
                       "without_parts_gain": true})"},
    {"as printed, summaries",
     R"({"base_width": "embedding", "attention_values": "own", "without_base": true,
         "summary_every": 3, "summary_kind": "linear_extra", "token_embed_dim": 4})"},
    {"as printed, one attention", R"({"base_width": "embedding", "attention_values": "own",
                                      "dense_attention": 1, "without_query_word": true})"},
    {"one L(h) for keys and values", R"({"attention_values": "key_and_base"})"},
    {"summaries as wide as embeddings", R"({"base_width": "embedding", "summary_every": 2})"},
    {"as printed, residual", R"({"dense_encoder": false, "dense_decoder": false,
                                 "attention_values": "own", "without_base": true})"},
};

std::shared_ptr<TranslationModel> makeDense(const std::string& keys,
                                            torch::ScalarType type = torch::kFloat64) {
  Json config{{"family", "densenmt"}, {"embed_dim", 8},      {"position_rows", 12},
              {"encoder_layers", 3},  {"decoder_layers", 3}, {"hidden", 10},
              {"growth", 6}};
  config.update(parseJson(keys, "test"));
  auto model = smallModel(config, type);
  model->eval();
  return model;
}

Tensor logitsOf(TranslationModel& model, const SourceBatch& source, const Tensor& targetIn,
                Recorder* recorder = nullptr) {
  return model.project(model.decode(*model.encode(source, recorder), targetIn, recorder));
}

std::map<std::string, Tensor> gradientsOf(TranslationModel& model) {
  const Sentences all = threeSentences();
  model.zero_grad();
  const auto memory = model.encode(all.source, nullptr);
  crossEntropy(model, model.decode(*memory, all.targetIn, nullptr), all.targetOut, {})
      .loss.backward();
  model.scaleGradients();
  std::map<std::string, Tensor> gradients;
  for (auto& parameter : model.named_parameters())
    gradients[parameter.key()] = parameter.value().grad().clone();
  return gradients;
}

}  // namespace

class TestDenseNmt : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void parametersAreCounted_data() { variants(); }
  void parametersAreCounted();
  void paddingIsInvisible_data() { variants(); }
  void paddingIsInvisible();
  void stepsEqualTeacherForcing_data() { variants(); }
  void stepsEqualTeacherForcing();
  void stepsKeepWhatConvolutionsReachOnly();
  void gradientsAreScaled();
  void scalingLeavesTheForwardPassAlone();
  void mapsSumToOneAndKeysMakeThem();
  void blocksAreSwitchedOff();
  void internalsAreReplacedInStepsToo();
  void longSentencesAreRefused();
  void dropoutFollowsItsKey();
  void freshParametersFollowThePaper();
  void savedModelsComeBack();

 private:
  static void variants();
};

void TestDenseNmt::variants() {
  QTest::addColumn<QString>("keys");
  for (const Variant& variant : kVariants) QTest::newRow(variant.name) << variant.keys;
}

// The count without a model equals the model's own.
void TestDenseNmt::parametersAreCounted() {
  QFETCH(QString, keys);
  const auto model = makeDense(keys.toStdString());
  QCOMPARE(parameterCountOf(model->config()), model->parameterCount());
}

void TestDenseNmt::paddingIsInvisible() {
  QFETCH(QString, keys);
  checkPadding(*makeDense(keys.toStdString()), 1e-9);
  checkPadding(*makeDense(keys.toStdString(), torch::kFloat32), 1e-4);
}

void TestDenseNmt::stepsEqualTeacherForcing() {
  QFETCH(QString, keys);
  const torch::NoGradGuard frozen;
  const auto model = makeDense(keys.toStdString());
  checkSteps(*model);
  const Sentences all = threeSentences();
  const auto memory = model->encode(all.source, nullptr);
  const Tensor words = torch::randint(4, 17, {3, 8}, torch::kInt64);
  const Tensor expected =
      torch::log_softmax(model->project(model->decode(*memory, words, nullptr)), -1);
  // Rows are moved, repeated and dropped at every step; each continues with its own history.
  const auto search = model->begin(*memory);
  std::vector<std::int64_t> rows{0, 1, 2};
  const std::vector<std::vector<std::int64_t>> moves{
      {2, 0, 0, 1}, {1, 0, 3}, {2, 2, 1, 0, 1}, {4, 3}};
  for (std::int64_t t = 0; t < words.size(1); ++t) {
    const Tensor own = torch::tensor(rows);
    const Tensor got = model->step(*search, words.select(1, t).index_select(0, own), nullptr);
    QVERIFY(largest(got, expected.select(1, t).index_select(0, own)) < 1e-9);
    if (t % 2 == 1 || std::size_t(t / 2) >= moves.size()) continue;
    const auto& move = moves[std::size_t(t / 2)];
    search->reorder(torch::tensor(move));
    std::vector<std::int64_t> moved;
    for (const std::int64_t row : move) moved.push_back(rows[std::size_t(row)]);
    rows = moved;
    QCOMPARE(search->rows(), std::int64_t(rows.size()));
  }
}

// Of K = 3, two inputs a layer however long the prefix; nothing of the source grows.
void TestDenseNmt::stepsKeepWhatConvolutionsReachOnly() {
  const torch::NoGradGuard frozen;
  const auto model = makeDense("{}");
  const Sentences all = threeSentences();
  const auto memory = model->encode(all.source, nullptr);
  const auto state = model->begin(*memory);
  const auto& own = dynamic_cast<const densenmt::DenseState&>(*state);
  for (int t = 0; t < 9; ++t) {
    model->step(*state, torch::full({3}, 5, torch::kInt64), nullptr);
    std::int64_t values = 0;
    for (const auto& past : own.past_RI) {
      for (const Tensor& input : past) values += input.numel();
    }
    // Widths 10, 22 and 34 of the three layers' inputs.
    QCOMPARE(values, std::int64_t{3 * std::min(t + 1, 2) * (10 + 22 + 34)});
  }
}

void TestDenseNmt::gradientsAreScaled() {
  for (const char* embedding : {"8", "4"}) {
    const auto with = [&](const char* scale) {
      return gradientsOf(*makeDense(std::string(R"({"dense_attention": 1, "token_embed_dim": )") +
                                    embedding + R"(, "encoder_grad_scale": ")" + scale + "\"}"));
    };
    const auto plain = with("none"), parameters = with("params"), flow = with("flow");
    bool differs = false;
    for (const auto& [name, gradient] : plain) {
      const bool table = name.starts_with("encoder.embed_");
      const double factor = name.starts_with("encoder.") && !table ? 1.0 / 6 : 1;  // three layers
      QVERIFY2(largest(parameters.at(name), gradient * factor) < 1e-12, name.c_str());
      if (!table) QVERIFY2(largest(flow.at(name), parameters.at(name)) < 1e-12, name.c_str());
      if (table) differs = differs || largest(flow.at(name), parameters.at(name)) > 1e-6;
    }
    QVERIFY(differs);
  }
}

void TestDenseNmt::scalingLeavesTheForwardPassAlone() {
  const Sentences all = threeSentences();
  const auto logits = [&](const char* keys) {
    return logitsOf(*makeDense(keys), all.source, all.targetIn).detach();
  };
  QVERIFY(torch::equal(logits(R"({"dense_attention": 1, "encoder_grad_scale": "flow"})"),
                       logits(R"({"dense_attention": 1, "encoder_grad_scale": "none"})")));
}

// Four parts of three dense layers: each map is the softmax of q A_j^T, so with keys of zero it is
// even over the true positions.
void TestDenseNmt::mapsSumToOneAndKeysMakeThem() {
  const torch::NoGradGuard frozen;
  const auto model = makeDense("{}");
  const Sentences all = threeSentences();
  Recorder recorder;
  logitsOf(*model, all.source, all.targetIn, &recorder);
  QCOMPARE(recorder.tensors().size(), std::size_t{3 * 4 + 2 * 4});
  for (const RecordedTensor& recorded : recorder.tensors()) {
    if (recorded.info.kind != "attention") continue;
    QCOMPARE(recorded.values.sizes().vec(), (std::vector<std::int64_t>{3, 4, 5}));
    QVERIFY((recorded.values.sum(-1) - 1).abs().max().item<double>() < 1e-12);
    QCOMPARE(recorded.values[0].narrow(1, 3, 2).abs().max().item<double>(), 0.0);
  }
  const Interventions even = Interventions::parse({"encoder.keys.1=zero"});
  Recorder intervened({"decoder.layers.2.attn.*", "encoder.values.1", "encoder.keys.1"});
  intervened.intervene(&even);
  logitsOf(*model, all.source, all.targetIn, &intervened);
  for (const RecordedTensor& recorded : intervened.tensors()) {
    if (recorded.info.name == "encoder.keys.1")
      QCOMPARE(recorded.values.abs().max().item<double>(), 0.0);
    if (recorded.info.name != "decoder.layers.2.attn.1") continue;
    QVERIFY(largest(recorded.values[0].narrow(1, 0, 3),
                    torch::full({4, 3}, 1.0 / 3, torch::kFloat64)) < 1e-12);
  }
}

// A zeroed block has no effect on its readers, on both sides and in both kinds of stack.
void TestDenseNmt::blocksAreSwitchedOff() {
  const torch::NoGradGuard frozen;
  const Sentences all = threeSentences();
  for (const char* keys : {kVariants[0].keys, kVariants[1].keys}) {
    const auto model = makeDense(keys);
    const Tensor plain = logitsOf(*model, all.source, all.targetIn);
    for (const char* block : {"encoder.layers.0.block", "decoder.layers.1.block"}) {
      const Interventions off = Interventions::parse({std::string(block) + "=zero"});
      off.check(model->recordable());
      Recorder recorder({block});
      recorder.intervene(&off);
      const Tensor without = logitsOf(*model, all.source, all.targetIn, &recorder);
      QVERIFY(largest(plain, without) > 1e-6);
      QCOMPARE(recorder.tensors().size(), std::size_t{1});
      QCOMPARE(recorder.tensors()[0].values.abs().max().item<double>(), 0.0);
    }
  }
  // The last decoder block of a dense stack goes nowhere but into the bottleneck, as the state's
  // last columns.
  const auto model = makeDense("{}");
  const Interventions off = Interventions::parse({"decoder.layers.2.block=zero"});
  Recorder recorder({"none"});
  recorder.intervene(&off);
  const Tensor without = logitsOf(*model, all.source, all.targetIn, &recorder);
  Tensor weight = model->named_parameters()["decoder.bottleneck.weight_v"];
  Tensor gain = model->named_parameters()["decoder.bottleneck.weight_g"];
  const Tensor before = weight.square().sum(1, true).sqrt();
  weight.narrow(1, weight.size(1) - 12, 12).zero_();
  gain.mul_(weight.square().sum(1, true).sqrt() / before);  // the other columns as they were
  QVERIFY(largest(without, logitsOf(*model, all.source, all.targetIn)) < 1e-12);
}

void TestDenseNmt::internalsAreReplacedInStepsToo() {
  const auto model = makeDense("{}");
  checkInterventions(
      *model, {"decoder.layers.0.attn.2=zero", "decoder.layers.1.block=0.5",
               "decoder.layers.1.block=mean", "decoder.layers.1.block[target=2]=zero",
               "encoder.layers.1.block=mean", "encoder.layers.1.block=zero", "encoder.keys.0=zero",
               "encoder.values.3=1", "encoder.levels.0=zero", "decoder.levels.0=1",
               "decoder.levels.3=zero", "decoder.layers.1.attn.0[target=2]=read:1",
               "decoder.layers.2.attn.1[target=1]=read:0*1,1*3"});
  std::vector<std::string> names;
  for (const RecordingInfo& info : model->recordable()) {
    if (info.kind == "attention") names.push_back(info.name);
  }
  checkWeightsGiven(*model, names);
  checkOwnWeights(*model, names);
}

void TestDenseNmt::longSentencesAreRefused() {
  const auto model = makeDense("{}");  // 12 rows: 10 positions
  const auto encode = [&](std::int64_t length) {
    const auto source =
        makeSourceBatch(torch::full({1, length}, 5, torch::kInt64), torch::tensor({length}));
    return model->encode(source, nullptr);
  };
  const auto memory = encode(10);
  const std::string error = usageErrorOf([&] { encode(11); });
  QVERIFY2(error.find("a sentence has 11 tokens") != std::string::npos, error.c_str());
  QVERIFY2(error.find("model.position_rows = 12 allows only 10") != std::string::npos,
           error.c_str());
  QVERIFY(!usageErrorOf([&] {
             model->decode(*memory, torch::full({1, 11}, 5, torch::kInt64), nullptr);
           }).empty());
  const auto state = model->begin(*memory);
  for (int t = 0; t < 10; ++t) model->step(*state, torch::full({1}, 5, torch::kInt64), nullptr);
  QVERIFY(!usageErrorOf([&] {
             model->step(*state, torch::full({1}, 5, torch::kInt64), nullptr);
           }).empty());
}

void TestDenseNmt::dropoutFollowsItsKey() {
  checkDropout(*makeDense("{}"));
}

// models.md 1.7 at dropout 0.2: standard deviations to 3 % over many weights, and w = v.
void TestDenseNmt::freshParametersFollowThePaper() {
  Json config{{"format", 1},     {"family", "densenmt"}, {"src_vocab", 400}, {"tgt_vocab", 400},
              {"embed_dim", 96}, {"hidden", 96},         {"growth", 64},     {"summary_every", 3}};
  const auto model = createModel(config);
  model->setDropout({0.2, 0, 0});
  model->initialise("default", 3);
  const auto parameters = model->named_parameters();
  const auto near = [&](const std::string& name, double deviation) {
    const double found = parameters[name].std().item<double>();
    return std::abs(found / deviation - 1) < 0.03;
  };
  QVERIFY(near("encoder.embed_tokens.weight", 0.1));
  QVERIFY(near("decoder.embed_positions.weight", 0.1));
  QVERIFY(near("encoder.in_proj.weight_v", std::sqrt(0.8 / 96)));
  QVERIFY(near("encoder.layers.0.conv.weight_v", std::sqrt(4 * 0.8 / (3 * 96))));
  QVERIFY(near("encoder.layers.2.skip_proj.weight_v", std::sqrt(0.8 / (96 + 2 * 64))));
  QVERIFY(near("encoder.key_projs.0.weight_v", std::sqrt(1.0 / 64)));
  QVERIFY(near("decoder.layers.0.attn.out_proj.weight_v", std::sqrt(1.0 / 96)));
  QVERIFY(near("decoder.bottleneck.weight_v", std::sqrt(1.0 / (96 + 2 * 64))));
  QVERIFY(near("decoder.output_projection.weight_v", std::sqrt(0.8 / 96)));
  const Tensor v = parameters["encoder.layers.0.conv.weight_v"];
  QVERIFY(largest(parameters["encoder.layers.0.conv.weight_g"],
                  v.square().sum(torch::IntArrayRef{1, 2}, true).sqrt()) < 1e-6);
  QCOMPARE(parameters["encoder.layers.0.conv.bias"].abs().max().item<double>(), 0.0);
  QVERIFY(!usageErrorOf([&] { model->initialise("iwslt", 3); }).empty());
}

void TestDenseNmt::savedModelsComeBack() {
  for (const Variant& variant : kVariants) checkFiles(*makeDense(variant.keys, torch::kFloat32));
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestDenseNmt)
#include "test_densenmt.moc"
