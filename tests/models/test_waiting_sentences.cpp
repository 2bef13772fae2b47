// Searches in which sentences wait for the places of others, and begin while those go on.
#include <QtTest>
#ifndef Q_MOC_RUN
#include <torch/types.h>
#endif

#include <cmath>
#include <set>

#include "core/decode/ensemble.h"
#include "core/decode/search_all.h"
#include "tests/models/small_preset.h"
#include "tests/program.h"

using namespace strata;
using namespace strata::testing;

namespace {

const std::vector<std::string> kNarrowRecurrent{"model.embed_dim=8", "model.hidden=10"},
    kNarrowHistory{"model.hidden=10"}, kNarrowTransformer{"model.embed_dim=8", "model.ffn_dim=12"};

struct System {
  const char* preset;
  std::vector<std::string> overrides;
};
const std::vector<System> kSystems{
    {"baseline/transformer-iwslt", kNarrowTransformer},
    {"mlrf/both-fnn-sa4", kNarrowFused},
    {"densenmt/4l-2", kNarrowDense},
    {"densenmt/literal-8l-2", kNarrowDense},
    {"baseline/fconv-iwslt",
     {"model.embed_dim=8", "model.token_embed_dim=8", "model.out_embed_dim=8", "model.hidden=10",
      "model.position_rows=12"}},
    {"dhea/none", kNarrowHistory},
    {"dhea/gate", kNarrowHistory},
    {"dhea/hybrid", kNarrowHistory},
    {"deepatt/att-2-2", kNarrowRecurrent},
    {"deepatt/ed-9-7-uni", kNarrowRecurrent},
    {"deepatt/rnnsearch", kNarrowRecurrent}};

// Fifteen sentences, two of them with what their translations begin with.
BeamInput fifteen() {
  BeamInput input;
  for (TokenId n = 0; n < 15; ++n) {
    std::vector<TokenId>& source = input.sources.emplace_back();
    for (TokenId i = 0; i < 1 + n * 4 % 7; ++i) source.push_back(4 + (3 * n + 5 * i) % 15);
    source.push_back(kEndId);
  }
  input.prefixes.resize(input.sources.size());
  input.prefixes[3] = {7, 8};
  input.prefixes[11] = {9};
  return input;
}

BeamOptions optionsOf(const QString& kind) {
  BeamOptions options;
  options.beam = kind == "greedy" ? 1 : 3;
  options.nbest = 0;
  options.maxLengthFactor = 1;
  options.maxLengthOffset = 2;
  if (kind == "restricted") {
    options.noRepeat = 2;
    options.minLength = 3;
  }
  if (kind == "sampled") options.sampling = SamplingOptions{};
  return options;
}

// Each sentence by itself.
std::vector<std::vector<Hypothesis>> alone(TranslationModel& model, const BeamInput& input,
                                           const BeamOptions& options) {
  std::vector<std::vector<Hypothesis>> found;
  for (std::size_t i = 0; i < input.sources.size(); ++i)
    found.push_back(beamSearch(
        model, {.sources = {input.sources[i]}, .prefixes = {input.prefixes[i]}, .numbers = {i}},
        options)[0]);
  return found;
}

void compareFound(const std::vector<std::vector<Hypothesis>>& found,
                  const std::vector<std::vector<Hypothesis>>& expected) {
  QCOMPARE(found.size(), expected.size());
  std::set<std::size_t> lengths;
  for (std::size_t i = 0; i < found.size(); ++i) {
    QCOMPARE(found[i].size(), expected[i].size());
    for (std::size_t h = 0; h < found[i].size(); ++h) {
      QCOMPARE(found[i][h].tokens, expected[i][h].tokens);
      QVERIFY(std::abs(found[i][h].score - expected[i][h].score) < 1e-9);
      lengths.insert(found[i][h].tokens.size());
    }
  }
  QVERIFY(lengths.size() > 3);  // or none would begin while others go on
}

}  // namespace

class TestWaitingSentences : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void eachIsTranslatedAsAlone_data();
  void eachIsTranslatedAsAlone();
  void ensemblesLetThemInTogether();
  void partsShareTheSentences();
  void progressCountsCompletedOnes();
};

void TestWaitingSentences::eachIsTranslatedAsAlone_data() {
  QTest::addColumn<int>("system");
  QTest::addColumn<QString>("kind");
  QTest::addColumn<bool>("kernels");
  for (std::size_t i = 0; i < kSystems.size(); ++i) {
    for (const char* kind : {"greedy", "beam", "restricted", "sampled"}) {
      for (const bool kernels : {true, false}) {
        QTest::addRow("%s %s %s", kSystems[i].preset, kind, kernels ? "kernels" : "operators")
            << static_cast<int>(i) << kind << kernels;
      }
    }
  }
}

void TestWaitingSentences::eachIsTranslatedAsAlone() {
  QFETCH(int, system);
  QFETCH(QString, kind);
  QFETCH(bool, kernels);
  const System& chosen = kSystems[static_cast<std::size_t>(system)];
  const auto model = shakenModel(chosen.preset, chosen.overrides);
  const ArithmeticScope scope({.kernels = kernels});
  const BeamInput input = fifteen();
  const BeamOptions options = optionsOf(kind);
  const auto expected = alone(*model, input, options);
  for (const int atOnce : {2, 4}) compareFound(searchAll(*model, input, options, atOnce), expected);
}

void TestWaitingSentences::ensemblesLetThemInTogether() {
  Ensemble ensemble({shakenModel("mlrf/both-fnn-sa4", kNarrowFused),
                     shakenModel("deepatt/rnnsearch", kNarrowRecurrent)},
                    EnsembleKind::kLinear);
  const BeamInput input = fifteen();
  const BeamOptions options = optionsOf("beam");
  compareFound(searchAll(ensemble, input, options, 3), alone(ensemble, input, options));
}

void TestWaitingSentences::partsShareTheSentences() {
  const auto model = shakenModel("dhea/gate", kNarrowHistory);
  BeamInput input = fifteen();
  const BeamOptions options = optionsOf("beam");
  const auto expected = searchAll(*model, input, options, 2);
  std::vector<std::vector<Hypothesis>> found(expected.size());
  for (std::size_t index = 0; index < 3; ++index) {
    input.part = {index, 3};
    auto own = searchAll(*model, input, options, 2);
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (own[i].empty()) continue;
      QVERIFY(found[i].empty());
      found[i] = std::move(own[i]);
    }
  }
  compareFound(found, expected);
}

void TestWaitingSentences::progressCountsCompletedOnes() {
  const auto model = shakenModel("dhea/gate", kNarrowHistory);
  std::vector<std::int64_t> seen;
  searchAll(*model, fifteen(), optionsOf("beam"), 2,
            [&](std::int64_t done) { seen.push_back(done); });
  QVERIFY(std::ranges::is_sorted(seen));
  QCOMPARE(seen.back(), std::int64_t{15});
  QVERIFY(std::set(seen.begin(), seen.end()).size() > 4);  // not once for all that wait together
}

STRATA_GUILESS_TEST(TestWaitingSentences)
#include "test_waiting_sentences.moc"
