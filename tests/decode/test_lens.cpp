// Levels of a model: their similarity against Gram matrices, and what the output layer reads of
// them against the model itself and against loops.
#include <QtTest>
#ifndef Q_MOC_RUN
#include <torch/types.h>
#endif

#include <algorithm>
#include <cmath>

#include "core/decode/lens.h"
#include "core/decode/level_products.h"
#include "core/run/config.h"
#include "models/catalogue.h"
#include "models/presets.h"
#include "tests/program.h"

namespace strata {
namespace {

using torch::Tensor;

constexpr std::int64_t kWords = 23;

struct SmallPreset {
  const char* preset;
  std::vector<std::string> overrides;
};

std::shared_ptr<TranslationModel> modelOf(const SmallPreset& preset,
                                          torch::ScalarType type = torch::kFloat32) {
  registerModels();
  const Json config = resolveConfig(
      {.file = "", .preset = preset.preset, .overrides = preset.overrides}, builtInSources());
  auto model = createModel(modelConfig(config["model"], kWords, kWords), {.type = type});
  const torch::NoGradGuard frozen;
  torch::manual_seed(3);
  model->initialise("default", 3);
  for (auto& parameter : model->parameters()) parameter.add_(torch::randn_like(parameter), 0.15);
  return model;
}

const SmallPreset kFused{
    "mlrf/dec-sa4-cpu",
    {"model.embed_dim=16", "model.ffn_dim=32", "model.fusion_attn_dim=16",
     "model.fusion_ffn_dim=16", "model.encoder_layers=2", "model.decoder_layers=3"}};
const SmallPreset kPlain{
    "mlrf/base-cpu",
    {"model.embed_dim=16", "model.ffn_dim=32", "model.encoder_layers=2", "model.decoder_layers=2"}};
const SmallPreset kHistory{"dhea/gate-cpu",
                           {"model.hidden=12", "model.encoder_layers=2", "model.decoder_layers=3"}};
const SmallPreset kDense{"densenmt/4l-2-cpu",
                         {"model.embed_dim=16", "model.hidden=14", "model.growth=10"}};
const SmallPreset kDeep{"deepatt/att-1-1-cpu", {"model.embed_dim=10", "model.hidden=12"}};

const ScoredPairs kPairs{{{8, 9, 2}, {4, 5, 6, 7, 2}, {10, 2}},
                         {{7, 8, 9, 2}, {5, 6, 2}, {11, 12, 13, 14, 2}}};

std::vector<std::string> decoderLevels(TranslationModel& model) {
  std::vector<std::string> names;
  for (const RecordingInfo& info : model.recordable()) {
    if (info.kind == "level" && info.side == "decoder") names.push_back(info.name);
  }
  return names;
}

std::map<std::string, Tensor> meansOf(TranslationModel& model) {
  return internalMeans(model, kPairs, decoderLevels(model));
}

TranslationModel::DecoderLevels levelsIn(const RecordedBatch& batch,
                                         const std::map<std::string, Tensor>& means) {
  TranslationModel::DecoderLevels levels;
  for (const RecordedTensor* each : levelsOf(batch, "decoder")) {
    levels.values_BTD.push_back(each->values);
    levels.means_D.push_back(means.at(each->info.name));
  }
  return levels;
}

double apart(const Tensor& a, const Tensor& b) {
  return (a - b).abs().max().item<double>();
}

// By the definition with centred Gram matrices (the form with HSIC).
double byGramMatrices(const Tensor& x_ND, const Tensor& y_ND) {
  const std::int64_t n = x_ND.size(0);
  const Tensor centre = torch::eye(n, torch::kFloat64) - 1.0 / double(n);
  const auto hsic = [&](const Tensor& one, const Tensor& other) {
    const Tensor k = one.matmul(one.t()), l = other.matmul(other.t());
    return torch::trace(k.matmul(centre).matmul(l).matmul(centre)).item<double>();
  };
  return hsic(x_ND, y_ND) / std::sqrt(hsic(x_ND, x_ND) * hsic(y_ND, y_ND));
}

Tensor drawn(std::int64_t rows, std::int64_t columns) {
  return torch::randn({rows, columns}, torch::kFloat64);
}

}  // namespace

class TestLens : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { torch::manual_seed(11); }
  void similarityOfTheSameIsOne();
  void similarityIgnoresRotationAndScale();
  void similarityOfIndependentLevelsIsSmall();
  void similarityEqualsGramMatrices();
  void aConstantLevelHasNone();
  void cosinesOfNeighbours();
  void everyFamilyPublishesItsLevels_data();
  void everyFamilyPublishesItsLevels();
  void theLastLevelIsTheModel_data() { everyFamilyPublishesItsLevels_data(); }
  void theLastLevelIsTheModel();
  void rowsEqualLoopsOverTheVocabulary();
  void batchesChangeNothing();
  void denseLevelsAddUp();
  void summariesEndEarlierLevels();
  void residualLevelsAreReadDirectly();
};

void TestLens::similarityOfTheSameIsOne() {
  LevelProducts products;
  const Tensor x = drawn(40, 6) + 3;
  products.add({x, x.clone()});
  QCOMPARE(products.positions(), std::int64_t{40});
  QVERIFY(std::abs(products.similarity(0, 1) - 1) < 1e-12);
  QVERIFY(std::abs(products.similarity(1, 1) - 1) < 1e-12);
}

void TestLens::similarityIgnoresRotationAndScale() {
  const Tensor x = drawn(60, 6), y = x.matmul(drawn(6, 4)) + drawn(60, 4);
  const Tensor rotation = std::get<0>(torch::linalg_qr(drawn(6, 6)));
  LevelProducts plain, turned;
  plain.add({x, y});
  turned.add({x.matmul(rotation) * 7.5 + 100, y});
  QVERIFY(plain.similarity(0, 1) > 0.1 && plain.similarity(0, 1) < 0.99);
  QVERIFY(std::abs(plain.similarity(0, 1) - turned.similarity(0, 1)) < 1e-9);
}

// The bias of few positions: independent values of width d over N = 50 d positions give about
// d / (N + d).
void TestLens::similarityOfIndependentLevelsIsSmall() {
  constexpr std::int64_t kWidth = 40;
  LevelProducts products;
  for (int part = 0; part < 50; ++part)
    products.add({drawn(kWidth, kWidth).to(torch::kFloat32), drawn(kWidth, kWidth)});
  QVERIFY2(std::abs(products.similarity(0, 1) - 1.0 / 51) < 0.1 / 51,
           qPrintable(QString::number(products.similarity(0, 1))));
}

void TestLens::similarityEqualsGramMatrices() {
  const Tensor x = drawn(23, 5) + 50, y = drawn(23, 9), z = x.narrow(1, 0, 3) * 2 + drawn(23, 3);
  LevelProducts products;
  for (const auto& [first, count] : {std::pair{0, 10}, {10, 1}, {11, 12}}) {
    const auto part = [first = first, count = count](const Tensor& all) {
      return all.narrow(0, first, count);
    };
    products.add({part(x), part(y), part(z)});
  }
  const std::vector<Tensor> all{x, y, z};
  for (std::size_t one = 0; one < 3; ++one) {
    for (std::size_t other = 0; other < 3; ++other) {
      const double expected = byGramMatrices(all[one], all[other]);
      QVERIFY2(std::abs(products.similarity(one, other) - expected) < 1e-9,
               qPrintable(QString::number(expected)));
    }
  }
}

void TestLens::aConstantLevelHasNone() {
  LevelProducts products;
  products.add({torch::full({5, 2}, 3.0, torch::kFloat64), drawn(5, 2)});
  QVERIFY(std::isnan(products.similarity(0, 1)));
  QVERIFY(std::abs(products.similarity(1, 1) - 1) < 1e-12);
}

void TestLens::cosinesOfNeighbours() {
  const auto rows = [](std::vector<std::vector<double>> values) {
    std::vector<Tensor> all;
    for (const auto& row : values) all.push_back(torch::tensor(row, torch::kFloat64));
    return torch::stack(all);
  };
  LevelProducts products;
  products.add({rows({{1, 0}}), rows({{1, 0}}), rows({{1, 0, 0}})});
  products.add({rows({{0, 2}}), rows({{0, -5}}), rows({{1, 0, 0}})});
  products.add({rows({{3, 0}}), rows({{1, 1}}), rows({{1, 0, 0}})});
  QVERIFY(std::abs(products.cosineToNext(0) - (1 - 1 + std::sqrt(0.5)) / 3) < 1e-12);
  QVERIFY(std::isnan(products.cosineToNext(1)));  // other widths
  QVERIFY(std::isnan(products.cosineToNext(2)));  // the last
}

void TestLens::everyFamilyPublishesItsLevels_data() {
  QTest::addColumn<int>("which");
  QTest::addColumn<int>("encoder");
  QTest::addColumn<int>("decoder");
  QTest::newRow("Transformer") << 0 << 3 << 3;
  QTest::newRow("MLRF") << 1 << 3 << 5;  // and what the fusion makes of them
  QTest::newRow("DHEA") << 2 << 3 << 4;
  QTest::newRow("DenseNMT") << 3 << 5 << 5;
  QTest::newRow("Deep-Att") << 4 << 2 << 2;
}

static std::shared_ptr<TranslationModel> modelNumber(int which,
                                                     torch::ScalarType type = torch::kFloat32) {
  static const std::vector<SmallPreset> kAll{kPlain, kFused, kHistory, kDense, kDeep};
  return modelOf(kAll[std::size_t(which)], type);
}

void TestLens::everyFamilyPublishesItsLevels() {
  QFETCH(int, which);
  QFETCH(int, encoder);
  QFETCH(int, decoder);
  const auto model = modelNumber(which);
  const torch::NoGradGuard frozen;
  recordPairs(*model, kPairs, kLevelNames, {}, [&](const RecordedBatch& batch) {
    QCOMPARE(levelsOf(batch, "encoder").size(), std::size_t(encoder));
    QCOMPARE(levelsOf(batch, "decoder").size(), std::size_t(decoder));
    QCOMPARE(levelsOf(batch, "decoder")[1]->info.name, std::string("decoder.levels.1"));
    QCOMPARE(atPositions(batch, "encoder").front().size(0), std::int64_t{3 + 5 + 2});
    QCOMPARE(atPositions(batch, "decoder").back().size(0), std::int64_t{4 + 3 + 5});
  });
  std::size_t listed = 0;
  for (const RecordingInfo& info : model->recordable()) listed += info.kind == "level";
  QCOMPARE(listed, std::size_t(encoder + decoder));
}

// docs/inside.md, "Lens": the last row gives the model's own scores, and so its own loss.
void TestLens::theLastLevelIsTheModel() {
  QFETCH(int, which);
  const auto model = modelNumber(which);
  const auto means = meansOf(*model);
  const auto scores = scorePairs(*model, kPairs);
  const torch::NoGradGuard frozen;
  int batches = 0;
  recordPairs(*model, kPairs, kLevelNames, {}, [&](const RecordedBatch& batch) {
    ++batches;
    const auto levels = levelsIn(batch, means);
    const std::size_t last = levels.values_BTD.size() - 1;
    const Tensor own = model->project(batch.features_BTD),
                 read = model->project(model->outputOf(levels, last));
    const double bound = 1e-5 * std::max(1.0, own.abs().max().item<double>());
    QVERIFY2(apart(own, read) <= bound, qPrintable(QString::number(apart(own, read))));
    const Tensor first = model->outputOf(levels, 1);
    QVERIFY(first.defined());
    QCOMPARE(apart(own, model->project(first)) > 1e-3, last > 1);
    const auto rows = lensOf(*model, batch, means);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const auto& expected = scores[batch.pairs[row]];
      const LensRow& found = rows[row].back();
      QCOMPARE(found.rank.size(), expected.size());
      for (std::size_t t = 0; t < expected.size(); ++t) {
        QVERIFY(std::abs(found.logProbability[t] - expected[t]) < 1e-4);
        QVERIFY(std::abs(found.divergence[t]) < 1e-5);
      }
    }
  });
  QCOMPARE(batches, 1);
}

void TestLens::rowsEqualLoopsOverTheVocabulary() {
  const auto model = modelOf(kFused, torch::kFloat64);
  const auto means = meansOf(*model);
  const torch::NoGradGuard frozen;
  recordPairs(*model, kPairs, kLevelNames, {}, [&](const RecordedBatch& batch) {
    const auto rows = lensOf(*model, batch, means);
    const auto levels = levelsOf(batch, "decoder");
    const Tensor own = torch::softmax(model->project(batch.features_BTD), -1);
    for (std::size_t l = 0; l < levels.size(); ++l) {
      const Tensor said = torch::softmax(model->project(levels[l]->values), -1);
      for (std::size_t row = 0; row < rows.size(); ++row) {
        const auto& target = kPairs.targets[batch.pairs[row]];
        for (std::size_t t = 0; t < target.size(); ++t) {
          const Tensor p = said[std::int64_t(row)][std::int64_t(t)],
                       q = own[std::int64_t(row)][std::int64_t(t)];
          const auto at = [](const Tensor& all, std::int64_t word) {
            return all[word].item<double>();
          };
          std::int64_t rank = 1, top = 0;
          double divergence = 0;
          for (std::int64_t word = 0; word < kWords; ++word) {
            rank += at(p, word) > at(p, target[t]);
            if (at(p, word) > at(p, top)) top = word;
            divergence += at(q, word) * std::log(at(q, word) / at(p, word));
          }
          QCOMPARE(rows[row][l].rank[t], rank);
          QCOMPARE(std::int64_t(rows[row][l].top[t]), top);
          QVERIFY(std::abs(rows[row][l].logProbability[t] - std::log(at(p, target[t]))) < 1e-9);
          QVERIFY(std::abs(rows[row][l].divergence[t] - divergence) < 1e-9);
        }
      }
    }
  });
}

void TestLens::batchesChangeNothing() {
  const auto model = modelOf(kHistory, torch::kFloat64);
  const auto means = meansOf(*model);
  std::map<std::size_t, std::vector<LensRow>> together, alone;
  LevelProducts all, single;
  recordPairs(*model, kPairs, kLevelNames, {}, [&](const RecordedBatch& batch) {
    const auto rows = lensOf(*model, batch, means);
    for (std::size_t row = 0; row < rows.size(); ++row) together[batch.pairs[row]] = rows[row];
    all.add(atPositions(batch, "encoder"));
  });
  recordPairs(*model, kPairs, kLevelNames, {.batchSentences = 1}, [&](const RecordedBatch& batch) {
    alone[batch.pairs[0]] = lensOf(*model, batch, means)[0];
    single.add(atPositions(batch, "encoder"));
  });
  QCOMPARE(alone.size(), together.size());
  for (const auto& [pair, rows] : together) {
    for (std::size_t l = 0; l < rows.size(); ++l) {
      QCOMPARE(rows[l].rank, alone[pair][l].rank);
      for (std::size_t t = 0; t < rows[l].rank.size(); ++t)
        QVERIFY(std::abs(rows[l].divergence[t] - alone[pair][l].divergence[t]) < 1e-9);
    }
  }
  QCOMPARE(all.positions(), single.positions());
  QVERIFY(std::abs(all.similarity(0, 2) - single.similarity(0, 2)) < 1e-9);
}

// Scores of a dense decoder are a sum over blocks, the later ones at their means: here with the
// columns of the bottleneck that read each block.
void TestLens::denseLevelsAddUp() {
  const auto model = modelOf(kDense, torch::kFloat64);
  const auto means = meansOf(*model);
  const torch::NoGradGuard frozen;
  auto parameters = model->named_parameters();
  const Tensor v = parameters["decoder.bottleneck.weight_v"],
               g = parameters["decoder.bottleneck.weight_g"];
  const Tensor weight = v * (g / v.norm(2, 1, true));
  recordPairs(*model, kPairs, kLevelNames, {}, [&](const RecordedBatch& batch) {
    const auto levels = levelsIn(batch, means);
    for (std::size_t level = 0; level < levels.values_BTD.size(); ++level) {
      Tensor features = parameters["decoder.bottleneck.bias"].clone();
      std::int64_t column = 0;
      for (std::size_t block = 0; block < levels.values_BTD.size(); ++block) {
        const Tensor y = block <= level ? levels.values_BTD[block] : levels.means_D[block];
        features = features + torch::matmul(y, weight.narrow(1, column, y.size(-1)).t());
        column += y.size(-1);
      }
      QCOMPARE(column, weight.size(1));
      QVERIFY(apart(features, model->outputOf(levels, level)) < 1e-9);
    }
  });
}

// A summary that is a layer replaces what was before it; a linear one passes it on.
void TestLens::summariesEndEarlierLevels() {
  for (const bool linear : {false, true}) {
    SmallPreset preset = kDense;
    preset.overrides.push_back("model.summary_every=3");
    if (linear) preset.overrides.push_back("model.summary_kind=linear_extra");
    const auto model = modelOf(preset);
    const auto means = meansOf(*model);
    const torch::NoGradGuard frozen;
    recordPairs(*model, kPairs, kLevelNames, {}, [&](const RecordedBatch& batch) {
      const auto levels = levelsIn(batch, means);
      for (std::size_t level = 0; level < levels.values_BTD.size(); ++level)
        QCOMPARE(model->outputOf(levels, level).defined(), linear || level >= 3);
      const auto rows = lensOf(*model, batch, means);
      QCOMPARE(rows[0].size(), std::size_t{5});
      QCOMPARE(rows[0][1].rank.empty(), !linear);
      QVERIFY(apart(model->project(batch.features_BTD),
                    model->project(model->outputOf(levels, 4))) < 1e-4);
    });
  }
}

void TestLens::residualLevelsAreReadDirectly() {
  SmallPreset preset = kDense;
  preset.overrides.insert(preset.overrides.end(),
                          {"model.dense_decoder=false", "model.decoder_hidden=[12,14,12,12]"});
  const auto model = modelOf(preset);
  const auto means = meansOf(*model);
  recordPairs(*model, kPairs, kLevelNames, {}, [&](const RecordedBatch& batch) {
    const auto levels = levelsIn(batch, means);
    for (const std::size_t level : {0U, 1U, 3U, 4U})
      QVERIFY(model->outputOf(levels, level).defined());
    QVERIFY(!model->outputOf(levels, 2).defined());  // of another width than the last
    QVERIFY(apart(batch.features_BTD, model->outputOf(levels, 4)) < 1e-5);
    QVERIFY(apart(batch.features_BTD, model->outputOf(levels, 3)) > 1e-3);
  });
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestLens)
#include "test_lens.moc"
