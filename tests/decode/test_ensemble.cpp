#include <QtTest>
#ifndef Q_MOC_RUN
#include <torch/types.h>
#endif

#include <cmath>

#include "core/decode/beam_search.h"
#include "core/decode/ensemble.h"
#include "core/decode/scorer.h"
#include "models/catalogue.h"
#include "tests/decode/bigram_model.h"
#include "tests/fixture.h"
#include "tests/program.h"

namespace strata {
namespace {

Json configOf(int width, int words) {
  return {{"format", 1},          {"family", "transformer"}, {"src_vocab", words},
          {"tgt_vocab", words},   {"embed_dim", width},      {"ffn_dim", 24},
          {"heads", 2},           {"encoder_layers", 2},     {"decoder_layers", 2},
          {"fusion_attn_dim", 8}, {"fusion_ffn_dim", 8}};
}

std::shared_ptr<TranslationModel> transformer(int width, std::uint64_t seed, int words = 13) {
  registerModels();
  auto model = createModel(configOf(width, words), {.type = torch::kFloat64});
  model->initialise("default", seed);
  model->eval();
  return model;
}

BeamOptions ensembleBeam(int beam) {
  BeamOptions options;
  options.beam = beam;
  options.nbest = 0;
  options.maxLengthFactor = 0;
  options.maxLengthOffset = 6;
  return options;
}

const BeamInput kSentences{.sources = {{4, 5, 6, 2}, {7, 2}}, .prefixes = {}};

}  // namespace

class TestEnsemble : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void probabilitiesByHand();
  void familiesAndSizesMix_data();
  void familiesAndSizesMix();
  void oneModelIsItself();
  void internalsCarryTheirModel();
  void interventionsReachTheirModel();
  void differentVocabulariesAreRefused();
};

// p = 0.9, 0.1 and 0.5, 0.5 of the words 2 and 3.
void TestEnsemble::probabilitiesByHand() {
  const std::vector<std::vector<double>> sure(4, {0, 0, 0.9, 0.1}), unsure(4, {0, 0, 0.5, 0.5});
  const auto probabilities = [&](EnsembleKind kind) {
    Ensemble both({std::make_shared<BigramModel>(sure), std::make_shared<BigramModel>(unsure)},
                  kind);
    const auto memory = both.encode(
        makeSourceBatch(torch::tensor({{2}}), torch::tensor({std::int64_t(1)})), nullptr);
    const auto state = both.begin(*memory);
    return torch::exp(both.step(*state, torch::tensor({std::int64_t(2)}), nullptr))[0];
  };
  const auto linear = probabilities(EnsembleKind::kLinear);
  QVERIFY(std::abs(linear[2].item<double>() - 0.7) < 1e-12);
  QVERIFY(std::abs(linear[3].item<double>() - 0.3) < 1e-12);
  const auto log = probabilities(EnsembleKind::kLog);  // sqrt(0.45) : sqrt(0.05) = 3 : 1
  QVERIFY(std::abs(log[2].item<double>() - 0.75) < 1e-12);
  QVERIFY(std::abs(log[3].item<double>() - 0.25) < 1e-12);
}

void TestEnsemble::familiesAndSizesMix_data() {
  QTest::addColumn<bool>("linear");
  QTest::newRow("linear") << true;
  QTest::newRow("log") << false;
}

// Every hypothesis's words, scored by each model alone and put together here.
void TestEnsemble::familiesAndSizesMix() {
  QFETCH(bool, linear);
  const std::vector<std::shared_ptr<TranslationModel>> members{
      transformer(16, 3), transformer(24, 4), BigramModel::drawn(13, 5)};
  Ensemble ensemble(members, linear ? EnsembleKind::kLinear : EnsembleKind::kLog);
  const auto found = beamSearch(ensemble, kSentences, ensembleBeam(3));
  const torch::NoGradGuard frozen;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto length = std::ssize(kSentences.sources[i]);
    const auto source = torch::tensor(std::vector<std::int64_t>(kSentences.sources[i].begin(),
                                                                kSentences.sources[i].end()))
                            .unsqueeze(0);
    for (const Hypothesis& hypothesis : found[i]) {
      std::vector<std::int64_t> fed{2};
      fed.insert(fed.end(), hypothesis.tokens.begin(), hypothesis.tokens.end() - 1);
      torch::Tensor sum;
      for (const auto& member : members) {
        const auto memory =
            member->encode(makeSourceBatch(source, torch::tensor({length})), nullptr);
        const auto p = torch::softmax(
            member->project(member->decode(*memory, torch::tensor(fed).unsqueeze(0), nullptr))[0],
            -1);
        const auto part = linear ? p : torch::pow(p, 1.0 / 3);
        sum = !sum.defined() ? part : linear ? sum + part : sum * part;
      }
      const auto expected = torch::log(sum / sum.sum(-1, true));
      for (std::size_t t = 0; t < hypothesis.tokens.size(); ++t) {
        QVERIFY(std::abs(expected[std::int64_t(t)][hypothesis.tokens[t]].item<double>() -
                         hypothesis.tokenLogProbabilities[t]) < 1e-9);
      }
      const auto scored =
          scorePairs(ensemble, {{kSentences.sources[i]}, {hypothesis.tokens}}).at(0);
      for (std::size_t t = 0; t < scored.size(); ++t)
        QVERIFY(std::abs(scored[t] - hypothesis.tokenLogProbabilities[t]) < 1e-9);
    }
  }
}

void TestEnsemble::oneModelIsItself() {
  const auto model = transformer(16, 3);
  const auto alone = beamSearch(*model, kSentences, ensembleBeam(4));
  for (const auto kind : {EnsembleKind::kLinear, EnsembleKind::kLog}) {
    for (const std::size_t times : {1u, 2u}) {
      Ensemble ensemble(std::vector(times, model), kind);
      const auto found = beamSearch(ensemble, kSentences, ensembleBeam(4));
      for (std::size_t i = 0; i < found.size(); ++i) {
        QCOMPARE(found[i].size(), alone[i].size());
        for (std::size_t h = 0; h < found[i].size(); ++h) {
          QCOMPARE(found[i][h].tokens, alone[i][h].tokens);
          QVERIFY(std::abs(found[i][h].score - alone[i][h].score) < 1e-12);
        }
      }
    }
  }
}

void TestEnsemble::internalsCarryTheirModel() {
  const auto second = transformer(24, 4);
  Ensemble ensemble({transformer(16, 3), second}, EnsembleKind::kLinear);
  QCOMPARE(ensemble.recordable().size(), 2 * second->recordable().size());
  BeamOptions options = ensembleBeam(2);
  options.record = {"models.1.decoder.layers.1.encoder_attn", "models.*.encoder.memory"};
  const auto found = beamSearch(ensemble, kSentences, options)[0];
  const auto& recordings = found.at(0).recordings;
  QCOMPARE(recordings.size(), std::size_t(1));
  QCOMPARE(recordings[0].info.name, std::string("models.1.decoder.layers.1.encoder_attn"));
  QCOMPARE(recordings[0].shape, (std::vector<std::int64_t>{2, std::ssize(found[0].tokens), 4}));
}

void TestEnsemble::interventionsReachTheirModel() {
  const auto first = transformer(16, 3), second = transformer(24, 4);
  Ensemble ensemble({first, second}, EnsembleKind::kLinear);
  const ScoredPairs pairs{{{4, 5, 6, 2}}, {{7, 8, 2}}};
  const auto inner = Interventions::parse({"encoder.memory=zero"});
  const auto outer = Interventions::parse({"models.1.encoder.memory=zero"});
  outer.check(ensemble.recordable());
  const auto a = scorePairs(*first, pairs)[0];
  const auto b = scorePairs(*second, pairs, {.interventions = &inner})[0];
  const auto plain = scorePairs(ensemble, pairs)[0];
  const auto both = scorePairs(ensemble, pairs, {.interventions = &outer})[0];
  double largest = 0;
  for (std::size_t t = 0; t < both.size(); ++t) {
    QVERIFY(std::abs(std::exp(both[t]) - (std::exp(a[t]) + std::exp(b[t])) / 2) < 1e-9);
    largest = std::max(largest, std::abs(both[t] - plain[t]));
  }
  QVERIFY(largest > 1e-4);
}

void TestEnsemble::differentVocabulariesAreRefused() {
  const std::string message = usageErrorOf([] {
    Ensemble({transformer(16, 3), transformer(16, 3, 14)}, EnsembleKind::kLinear);
  });
  QVERIFY(holds(message, "src_vocab is 13 in the first model but 14 in model 2"));
  QVERIFY(holds(usageErrorOf([] { ensembleKindNamed("geometric"); }), "linear or log"));
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestEnsemble)
#include "test_ensemble.moc"
