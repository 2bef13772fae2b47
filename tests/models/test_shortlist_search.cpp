// Searches with a shortlist, in float32 and int8, of real presets at their own sizes.
#include <QtTest>
#ifndef Q_MOC_RUN
#include <torch/types.h>
#endif

#include <cmath>

#include "core/decode/ensemble.h"
#include "core/decode/scorer.h"
#include "core/decode/shortlist.h"
#include "core/decode/translator.h"
#include "core/run/config.h"
#include "models/presets.h"
#include "tests/models/model_fixture.h"
#include "tests/models/preset_fixture.h"
#include "tests/program.h"

using namespace strata;
using namespace strata::testing;

namespace {

constexpr std::int64_t kWords = 211;  // of each vocabulary

// Words w4, w5, ... on both sides.
TextPipeline numberedWords() {
  PipelineSide side;
  for (std::int64_t id = kFirstWordId; id < kWords; ++id)
    side.vocabulary.add(fmt::format("w{}", id), 1);
  return {side, side};
}

// Every word has three translations.
std::vector<LexiconEntry> dictionary() {
  std::vector<LexiconEntry> entries;
  for (std::int64_t id = kFirstWordId; id < kWords; ++id) {
    for (const std::int64_t factor : {3, 7, 11})
      entries.push_back({fmt::format("w{}", id),
                         fmt::format("w{}", kFirstWordId + id * factor % (kWords - kFirstWordId)),
                         1.0 / static_cast<double>(factor)});
  }
  return entries;
}

// Of different lengths; the last translation begins with a word that no other list has.
const BeamInput kInput{.sources = {{8, 9, 100, 2}, {4, 50, 6, 7, 40, 2}, {10, 2}},
                       .prefixes = {{}, {}, {200, 30}}};

struct Asked {
  Compute compute = Compute::kFloat32;
  Shortlist* shortlist = nullptr;
};

std::vector<std::vector<Hypothesis>> found(TranslationModel& model, const Asked& asked) {
  BeamOptions options;
  options.beam = options.nbest = 3;
  options.compute = asked.compute;
  options.shortlist = asked.shortlist;
  return beamSearch(model, kInput, options);
}

void addRows(const std::vector<std::string>& presets) {
  QTest::addColumn<std::string>("preset");
  QTest::addColumn<bool>("int8");
  for (const std::string& preset : presets) {
    QTest::newRow((preset + " float32").c_str()) << preset << false;
    QTest::newRow((preset + " int8").c_str()) << preset << true;
  }
}

// The log-probabilities of a hypothesis's tokens by teacher forcing, over all words and then
// renormalised over the listed ones.
std::vector<double> renormalised(TranslationModel& model, const std::vector<TokenId>& source,
                                 const std::vector<TokenId>& tokens,
                                 const std::vector<TokenId>& listed) {
  const torch::NoGradGuard frozen;
  const auto row = [](const std::vector<TokenId>& ids) {
    return torch::tensor(ids, torch::kInt64).unsqueeze(0);
  };
  std::vector<TokenId> in{kEndId};
  in.insert(in.end(), tokens.begin(), tokens.end() - 1);
  const auto features =
      featuresOf(model, makeSourceBatch(row(source), torch::tensor({std::ssize(source)})), row(in));
  const auto p_TV = torch::softmax(model.project(features)[0].to(torch::kFloat64), 1);
  const auto sum_T = p_TV.index_select(1, torch::tensor(listed, torch::kInt64)).sum(1);
  std::vector<double> logProbabilities;
  for (std::int64_t t = 0; t < std::ssize(tokens); ++t) {
    const TokenId token = tokens[static_cast<std::size_t>(t)];
    logProbabilities.push_back(torch::log(p_TV[t][token] / sum_T[t]).item<double>());
  }
  return logProbabilities;
}

const std::vector<std::string> kPresets{"baseline/transformer-iwslt",
                                        "mlrf/both-fnn-sa4",
                                        "dhea/gate",
                                        "dhea/hybrid",
                                        "deepatt/att-2-2",
                                        "densenmt/4l-2",
                                        "baseline/fconv-iwslt"};

}  // namespace

class TestShortlistSearch : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void listOfAllWordsIsTheWholeSearch_data() { addRows(kPresets); }
  void listOfAllWordsIsTheWholeSearch();
  void onlyListedWordsAreScored_data() { addRows(kPresets); }
  void onlyListedWordsAreScored();
  void modelsOfAnEnsembleScoreTheSameWords();
  void searchesWithoutAListAreAsBefore();
};

void TestShortlistSearch::listOfAllWordsIsTheWholeSearch() {
  QFETCH(std::string, preset);
  QFETCH(bool, int8);
  const Compute compute = int8 ? Compute::kInt8 : Compute::kFloat32;
  const auto model = untrainedModel(preset, kWords, kWords);
  TextPipeline text = numberedWords();
  Shortlist all(text, {}, {.frequent = kWords});
  const auto whole = found(*model, {.compute = compute}),
             listed = found(*model, {.compute = compute, .shortlist = &all});
  for (std::size_t s = 0; s < whole.size(); ++s) {
    QCOMPARE(listed[s].size(), whole[s].size());
    for (std::size_t h = 0; h < whole[s].size(); ++h) {
      QVERIFY(listed[s][h].tokens == whole[s][h].tokens);
      QVERIFY(std::abs(listed[s][h].score - whole[s][h].score) < 1e-6);
    }
  }
}

// int8: the scorer computes the recurrences of whole sentences in float32, the search does not.
void TestShortlistSearch::onlyListedWordsAreScored() {
  QFETCH(std::string, preset);
  QFETCH(bool, int8);
  const Compute compute = int8 ? Compute::kInt8 : Compute::kFloat32;
  const double tolerance = int8 ? 0.05 : 1e-4;
  const auto model = untrainedModel(preset, kWords, kWords);
  TextPipeline text = numberedWords();
  Shortlist list(text, dictionary(), {.translations = 2, .frequent = 5});
  const auto listed = list.wordsFor(kInput.sources, kInput.prefixes);
  QVERIFY(std::ssize(listed) > 20 && std::ssize(listed) < 40);
  const auto all = found(*model, {.compute = compute, .shortlist = &list});
  const ArithmeticScope scope(int8 ? model->searchArithmetic(compute)
                                   : Arithmetic{.kernels = false});
  for (std::size_t s = 0; s < all.size(); ++s) {
    QVERIFY(!all[s].empty());
    for (const Hypothesis& hypothesis : all[s]) {
      QVERIFY(std::ranges::equal(std::span(hypothesis.tokens).first(kInput.prefixes[s].size()),
                                 kInput.prefixes[s]));
      const auto expected = renormalised(*model, kInput.sources[s], hypothesis.tokens, listed);
      for (std::size_t t = 0; t < hypothesis.tokens.size(); ++t) {
        QVERIFY(std::ranges::binary_search(listed, hypothesis.tokens[t]));
        const double difference = std::abs(hypothesis.tokenLogProbabilities[t] - expected[t]);
        QVERIFY2(difference < tolerance, qPrintable(QString::number(difference)));
      }
    }
  }
}

// A linear ensemble: the mean of what each model says of the listed words.
void TestShortlistSearch::modelsOfAnEnsembleScoreTheSameWords() {
  const auto one = untrainedModel("baseline/transformer-iwslt", kWords, kWords),
             other = untrainedModel("mlrf/both-fnn-sa4", kWords, kWords);
  Ensemble both({one, other}, EnsembleKind::kLinear);
  TextPipeline text = numberedWords();
  Shortlist list(text, dictionary(), {.translations = 2, .frequent = 5});
  const auto listed = list.wordsFor(kInput.sources, kInput.prefixes);
  const auto all = found(both, {.shortlist = &list});
  for (std::size_t s = 0; s < all.size(); ++s) {
    const Hypothesis& best = all[s].front();
    const auto first = renormalised(*one, kInput.sources[s], best.tokens, listed),
               second = renormalised(*other, kInput.sources[s], best.tokens, listed);
    for (std::size_t t = 0; t < best.tokens.size(); ++t) {
      const double mean = (std::exp(first[t]) + std::exp(second[t])) / 2;
      QVERIFY(std::abs(best.tokenLogProbabilities[t] - std::log(mean)) < 1e-4);
    }
  }
}

// What a search with a list has packed and selected does not outlive it.
void TestShortlistSearch::searchesWithoutAListAreAsBefore() {
  const auto model = untrainedModel("densenmt/4l-2", kWords, kWords);
  TextPipeline text = numberedWords();
  Shortlist list(text, dictionary(), {.translations = 2, .frequent = 5});
  const auto before = found(*model, {});
  found(*model, {.shortlist = &list});
  const auto after = found(*model, {});
  QVERIFY(arithmetic().outputWords == nullptr);
  for (std::size_t s = 0; s < before.size(); ++s) {
    QVERIFY(before[s].front().tokens == after[s].front().tokens);
    QCOMPARE(before[s].front().score, after[s].front().score);
  }
}

STRATA_APPLESS_TEST(TestShortlistSearch)
#include "test_shortlist_search.moc"
