// The fusions of a stack's levels against their equations (models.md 4.3), written as loops over
// positions, hops, levels and features in float64.
#include <QtTest>
#ifndef Q_MOC_RUN
#include <torch/types.h>
#endif

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "core/nn/translation_model.h"
#include "models/catalogue.h"
#include "models/mlrf/fusion.h"
#include "tests/program.h"

namespace strata::mlrf {
namespace {

using torch::Tensor;
using Vector = std::vector<double>;
using Rows = std::vector<Vector>;

constexpr std::int64_t kWidth = 8;  // D of every model here

// A tensor [..., C] as rows of C values.
Rows rowsOf(const Tensor& values) {
  const Tensor flat = values.detach().reshape({-1, values.size(-1)}).contiguous();
  const auto* at = flat.const_data_ptr<double>();
  Rows rows;
  for (std::int64_t row = 0; row < flat.size(0); ++row, at += flat.size(1))
    rows.emplace_back(at, at + flat.size(1));
  return rows;
}

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// (x - mean) / sqrt(biased variance + 1e-5)
Vector normalised(Vector x) {
  double mean = 0, variance = 0;
  for (const double value : x) mean += value / double(x.size());
  for (const double value : x) variance += (value - mean) * (value - mean) / double(x.size());
  for (double& value : x) value = (value - mean) / std::sqrt(variance + 1e-5);
  return x;
}

double largestOfRows(const Rows& a, const Rows& b) {
  if (a.size() != b.size()) return INFINITY;
  double most = 0;
  for (std::size_t row = 0; row < a.size(); ++row) {
    if (a[row].size() != b[row].size()) return INFINITY;
    for (std::size_t i = 0; i < a[row].size(); ++i)
      most = std::max(most, std::abs(a[row][i] - b[row][i]));
  }
  return most;
}

struct Attended {
  Vector fused;   // [D]
  Rows hopMeans;  // [P][N]: weights, feature-wise ones averaged over the features
};

// Eqs. 5-7 and the network after them for one position. z: [N][D], the layer embedding added.
Attended attend(const FusionConfig& config, const std::map<std::string, Rows>& weights,
                const Rows& z) {
  const Rows &w1 = weights.at("w1.weight"), &w2 = weights.at("w2.weight");
  const std::size_t hops = std::size_t(config.hops), levels = z.size(), width = z[0].size();
  const std::size_t inner = w2[0].size();  // A
  Vector joined;
  Attended result;
  for (std::size_t p = 0; p < hops; ++p) {
    result.hopMeans.emplace_back(levels);
    for (std::size_t d = 0; d < width; ++d) {
      Vector e(levels);
      double sum = 0, s = 0;
      for (std::size_t l = 0; l < levels; ++l) {
        const std::size_t which = config.w1 == SharedW1::kPerLayer ? l
                                  : config.w1 == SharedW1::kPerHop ? p
                                                                   : 0;
        for (std::size_t i = 0; i < inner; ++i) {
          const std::size_t row = config.featureWise ? p * width + d : p;
          e[l] += w2[row][i] * std::tanh(dot(w1[which * inner + i], z[l]));
        }
        sum += std::exp(e[l]);
      }
      for (std::size_t l = 0; l < levels; ++l) {
        const double a = std::exp(e[l]) / sum;
        s += a * z[l][d];
        result.hopMeans[p][l] += a / double(width);
      }
      joined.push_back(s);
    }
  }
  Vector hidden, out;
  for (const Vector& row : weights.at("fc1.weight"))
    hidden.push_back(std::max(0., dot(row, joined)));
  for (const Vector& row : weights.at("fc2.weight")) out.push_back(dot(row, hidden));
  for (std::size_t d = 0; d < width; ++d) {
    if (config.residual) out[d] += z.back()[d];
  }
  result.fused = !config.withoutNorm ? normalised(out) : out;
  for (std::size_t d = 0; d < width && !config.withoutNorm; ++d) {
    result.fused[d] = result.fused[d] * weights.at("layer_norm.weight")[0][d] +
                      weights.at("layer_norm.bias")[0][d];
  }
  return result;
}

// Average or maximum, feature by feature. levels: N x [positions][D].
Rows poolOf(const std::vector<Rows>& levels, bool maximum, bool plainNorm) {
  Rows pooled = levels[0];
  for (std::size_t at = 0; at < pooled.size(); ++at) {
    for (std::size_t d = 0; d < pooled[at].size(); ++d) {
      double sum = 0, most = -INFINITY;
      for (const Rows& level : levels) {
        sum += level[at][d];
        most = std::max(most, level[at][d]);
      }
      pooled[at][d] = maximum ? most : sum / double(levels.size());
    }
    if (plainNorm) pooled[at] = normalised(pooled[at]);
  }
  return pooled;
}

// z^0: sqrt(d) Emb + PE, PE(p) = sin and cos of (p + 2) 10000^(-k / (d/2 - 1)) in halves.
Rows inputOf(const Rows& table, const std::vector<std::int64_t>& ids) {
  const std::size_t half = kWidth / 2;
  Rows rows;
  for (std::size_t p = 0; p < ids.size(); ++p) {
    rows.push_back(table[std::size_t(ids[p])]);
    for (std::size_t k = 0; k < half; ++k) {
      const double angle = double(p + 2) * std::pow(10000., -double(k) / double(half - 1));
      rows[p][k] = rows[p][k] * std::sqrt(double(kWidth)) + std::sin(angle);
      rows[p][half + k] = rows[p][half + k] * std::sqrt(double(kWidth)) + std::cos(angle);
    }
  }
  return rows;
}

std::shared_ptr<TranslationModel> makeFused(int encoderLayers, int decoderLayers,
                                            const Json& keys) {
  Json config{{"format", 1},
              {"family", "transformer"},
              {"src_vocab", 14},
              {"tgt_vocab", 13},
              {"embed_dim", kWidth},
              {"ffn_dim", 12},
              {"heads", 2},
              {"encoder_layers", encoderLayers},
              {"decoder_layers", decoderLayers}};
  config.update(keys);
  auto model = createModel(config, {.type = torch::kFloat64});
  model->eval();
  return model;
}

// Gives a model the parameters of the same names of a deeper one.
void share(const TranslationModel& from, TranslationModel& to) {
  const auto parameters = from.named_parameters();
  for (auto& parameter : to.named_parameters())
    parameter.value().copy_(parameters[parameter.key()]);
}

const std::vector<std::int64_t> kSource{4, 9, 6, 13, 5, 2}, kTarget{2, 5, 12, 7};

Rows topOf(TranslationModel& model, bool encoder) {
  Recorder recorder({"encoder.memory"});
  const auto memory = model.encode(makeSourceBatch(torch::tensor(kSource).unsqueeze(0),
                                                   torch::tensor({std::int64_t(kSource.size())})),
                                   &recorder);
  if (encoder) return rowsOf(recorder.tensors().at(0).values);
  return rowsOf(model.decode(*memory, torch::tensor(kTarget).unsqueeze(0), nullptr));
}

}  // namespace

class TestFusion : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { registerModels(); }
  void poolsEqualTheirEquations_data();
  void poolsEqualTheirEquations();
  void weightsEqualTheirEquations_data();
  void weightsEqualTheirEquations();
};

void TestFusion::poolsEqualTheirEquations_data() {
  QTest::addColumn<QString>("fusion");
  QTest::addColumn<bool>("maximum");
  QTest::addColumn<bool>("plainNorm");
  QTest::addColumn<bool>("embedding");
  QTest::newRow("avg") << R"({"type": "avg"})" << false << false << false;
  QTest::newRow("avg none") << R"({"type": "avg", "avg_norm": "none"})" << false << false << false;
  QTest::newRow("avg plain") << R"({"type": "avg", "avg_norm": "plain"})" << false << true << false;
  QTest::newRow("avg with the embedding")
      << R"({"type": "avg", "include_embedding": true})" << false << false << true;
  QTest::newRow("avg plain with the embedding")
      << R"({"type": "avg", "avg_norm": "plain", "include_embedding": true})" << false << true
      << true;
  QTest::newRow("max") << R"({"type": "max"})" << true << false << false;
  QTest::newRow("max with the embedding")
      << R"({"type": "max", "include_embedding": true})" << true << false << true;
}

// Level l is the top of a model with l layers and the same parameters.
void TestFusion::poolsEqualTheirEquations() {
  QFETCH(QString, fusion);
  QFETCH(bool, maximum);
  QFETCH(bool, plainNorm);
  QFETCH(bool, embedding);
  const torch::NoGradGuard frozen;
  const auto deep = makeFused(3, 3, Json::object());
  deep->initialise("default", 11);
  for (const bool encoder : {true, false}) {
    std::vector<Rows> levels;
    if (embedding) {
      const auto* table = encoder ? "encoder.embed_tokens.weight" : "decoder.embed_tokens.weight";
      levels.push_back(
          inputOf(rowsOf(deep->named_parameters()[table]), encoder ? kSource : kTarget));
    }
    for (int l = 1; l <= 3; ++l) {
      const auto cut = makeFused(encoder ? l : 3, encoder ? 3 : l, Json::object());
      share(*deep, *cut);
      levels.push_back(topOf(*cut, encoder));
    }
    const auto fused = makeFused(3, 3,
                                 {{encoder ? "encoder_fusion" : "decoder_fusion",
                                   parseJson(fusion.toStdString(), "fusion")}});
    share(*deep, *fused);
    QVERIFY(largestOfRows(topOf(*fused, encoder), poolOf(levels, maximum, plainNorm)) < 1e-12);
  }
}

void TestFusion::weightsEqualTheirEquations_data() {
  QTest::addColumn<bool>("featureWise");
  QTest::addColumn<int>("w1");
  QTest::addColumn<bool>("embedding");
  QTest::addColumn<bool>("norm");
  QTest::addColumn<bool>("residual");
  for (const bool norm : {false, true})
    QTest::addRow("residual, %s", norm ? "norm" : "no norm")
        << false << int(SharedW1::kShared) << true << norm << true;
  QTest::addRow("no norm") << false << int(SharedW1::kShared) << true << false << false;
  for (const bool featureWise : {false, true}) {
    const char* name = featureWise ? "feature-wise, W_1 %s" : "W_1 %s";
    const auto row = [&](const char* text, SharedW1 w1, bool embedding) {
      QTest::addRow(name, text) << featureWise << int(w1) << embedding << true << false;
    };
    row("shared", SharedW1::kShared, true);
    row("per layer", SharedW1::kPerLayer, true);
    row("per layer, no embedding level", SharedW1::kPerLayer, false);
    row("per hop", SharedW1::kPerHop, true);
  }
}

void TestFusion::weightsEqualTheirEquations() {
  QFETCH(bool, featureWise);
  QFETCH(int, w1);
  QFETCH(bool, embedding);
  QFETCH(bool, norm);
  QFETCH(bool, residual);
  const torch::NoGradGuard frozen;
  torch::manual_seed(4);
  FusionConfig config{.type = FusionType::kSelfAttention, .hops = 3};
  config.w1 = SharedW1(w1);
  config.featureWise = featureWise;
  config.includeEmbedding = embedding;
  config.layerEmbedding = true;
  config.withoutNorm = !norm;
  config.residual = residual;
  const FusionSizes sizes{.layers = 3, .modelDim = kWidth, .attentionDim = 7, .innerDim = 10};
  const Tensor embeddings_ND = torch::randn({4, kWidth}, torch::kFloat64);
  const auto fusion =
      makeFusion(config, sizes, {"decoder", embeddings_ND, std::make_shared<DropoutState>()});
  fusion->to(torch::kFloat64);
  std::map<std::string, Rows> weights;
  for (auto& parameter : fusion->named_parameters()) {
    parameter.value().uniform_(-1, 1);
    weights[parameter.key()] = rowsOf(parameter.value());
  }
  std::vector<Tensor> stack_XD;
  for (int l = 0; l <= 3; ++l) stack_XD.push_back(torch::randn({2, 5, kWidth}, torch::kFloat64));
  Recorder recorder({"decoder.fusion.hop_weights"});
  const Tensor got_XD = fusion->forward(stack_XD, &recorder);
  QCOMPARE(recorder.tensors().at(0).info.firstLevel, embedding ? 0 : 1);
  const Rows fused = rowsOf(got_XD), hops = rowsOf(recorder.tensors().at(0).values);
  for (std::size_t at = 0; at < fused.size(); ++at) {
    Rows z;
    for (std::size_t l = embedding ? 0 : 1; l <= 3; ++l) {
      z.push_back(rowsOf(stack_XD[l])[at]);
      for (std::size_t d = 0; d < kWidth; ++d) z.back()[d] += rowsOf(embeddings_ND)[l][d];
    }
    const Attended expected = attend(config, weights, z);
    QVERIFY(largestOfRows({fused[at]}, {expected.fused}) < 1e-11);
    for (std::size_t p = 0; p < 3; ++p)
      QVERIFY(largestOfRows({hops[at * 3 + p]}, {expected.hopMeans[p]}) < 1e-12);
  }
}

}  // namespace strata::mlrf

STRATA_GUILESS_TEST(strata::mlrf::TestFusion)
#include "test_fusion.moc"
