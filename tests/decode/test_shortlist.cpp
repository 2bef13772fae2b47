// Which words a shortlist has, and searches among them of a model that can be checked by hand.
#include <QtTest>
#ifndef Q_MOC_RUN
#include <torch/types.h>
#endif

#include <cmath>
#include <set>

#include "core/decode/search_all.h"
#include "core/decode/shortlist.h"
#include "tests/decode/bigram_model.h"
#include "tests/decode/side_of.h"
#include "tests/fixture.h"
#include "tests/program.h"

namespace strata {
namespace {

using Ids = std::vector<TokenId>;

// Source ids: x 4, y 5, z 6, d 7; target ids: a 4 to e 8.
TextPipeline letters() {
  return {sideOf({"x", "y", "z", "d"}), sideOf({"a", "b", "c", "d", "e"})};
}

// x is a or, more often, e; y is c or, as often, b.
const std::vector<LexiconEntry> kDictionary{
    {"x", "a", 0.2}, {"y", "c", 0.5}, {"x", "e", 0.7}, {"y", "b", 0.5}, {"z", "none", 1}};

// A bigram model whose output layer is not one product.
class Scored : public BigramModel {
 public:
  using BigramModel::BigramModel;
  torch::Tensor step(DecoderState& state, const torch::Tensor& tokens_R,
                     Recorder* recorder) override {
    return logProbabilities(BigramModel::step(state, tokens_R, recorder));
  }
};

std::vector<std::vector<double>> drawnWeights() {
  RandomStream random(11);
  std::vector<std::vector<double>> weights(9, std::vector<double>(9));
  for (auto& row : weights) {
    for (double& weight : row) weight = 0.05 + random.uniform();
  }
  return weights;
}

// All hypotheses of a beam.
BeamOptions searchWith(Shortlist& list, int beam) {
  BeamOptions options;
  options.beam = options.nbest = beam;
  options.shortlist = &list;
  return options;
}

// Checks that hypotheses consist of these words, with the probabilities of the whole vocabulary
// renormalised over them.
void checkWords(const BigramModel& model, const std::vector<Hypothesis>& found, const Ids& ids) {
  QVERIFY(!found.empty());
  for (const Hypothesis& hypothesis : found) {
    TokenId previous = kEndId;
    for (std::size_t t = 0; t < hypothesis.tokens.size(); ++t) {
      const TokenId token = hypothesis.tokens[t];
      QVERIFY(std::ranges::find(ids, token) != ids.end());
      double sum = 0;
      for (const TokenId id : ids) sum += std::exp(model.logProbability(previous, id));
      const double expected = model.logProbability(previous, token) - std::log(sum);
      QVERIFY(std::abs(hypothesis.tokenLogProbabilities[t] - expected) < 1e-12);
      previous = token;
    }
  }
}

}  // namespace

class TestShortlist : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void bestTranslationsOfEveryWord();
  void frequentWordsAreAlwaysThere();
  void unitsOfWords();
  void wrongOptionsAreRefused();
  void probabilitiesSumToOneOverTheList();
  void listOfAllWordsIsTheWholeSearch();
  void prefixesAreAllowed();
  void samplesAndNgrams();
};

void TestShortlist::bestTranslationsOfEveryWord() {
  TextPipeline text = letters();
  Shortlist one(text, kDictionary, {.translations = 1, .frequent = 0});
  QCOMPARE(one.wordsFor({{4, kEndId}}, {}), (Ids{0, 1, 2, 3, 8}));                // e
  QCOMPARE(one.wordsFor({{5, 4, 5, kEndId}, {5}}, {}), (Ids{0, 1, 2, 3, 6, 8}));  // c, e
  QCOMPARE(one.wordsFor({{7, kEndId}}, {}), (Ids{0, 1, 2, 3, 7}));                // d itself
  QCOMPARE(one.wordsFor({{6, kEndId}}, {}), (Ids{0, 1, 2, 3}));                   // <unk>
  QCOMPARE(one.wordsFor({{6, kEndId}}, {{8, 5}, {8}}), (Ids{0, 1, 2, 3, 5, 8}));
  Shortlist two(text, kDictionary, {.translations = 2, .frequent = 0});
  QCOMPARE(two.wordsFor({{4, kEndId}}, {}), (Ids{0, 1, 2, 3, 4, 8}));
}

void TestShortlist::frequentWordsAreAlwaysThere() {
  TextPipeline text = letters();
  Shortlist two(text, kDictionary, {.translations = 1, .frequent = 2});
  QCOMPARE(two.wordsFor({{4, kEndId}}, {}), (Ids{0, 1, 2, 3, 4, 5, 8}));
  Shortlist usual(text, {}, {});
  QCOMPARE(usual.wordsFor({{kEndId}}, {}), (Ids{0, 1, 2, 3, 4, 5, 6, 7, 8}));
}

// The dictionary has words, the vocabularies have their units.
void TestShortlist::unitsOfWords() {
  PipelineSide source = sideOf({"Es@@", "el", "Hund"}),
               target = sideOf({"don@@", "key", "dog", "u@@"});
  source.codes = "#version: 0.2\nE s\ne l</w>\nH u\nHu n\nHun d</w>\n";
  target.codes = "#version: 0.2\nd o\ndo n\nk e\nke y</w>\ndo g</w>\n";
  TextPipeline text(source, target);
  Shortlist list(text, {{"Esel", "donkey", 1}, {"Hund", "dog", 1}},
                 {.translations = 1, .frequent = 0});
  QCOMPARE(list.wordsFor({text.encode(Side::kSource, "Esel")}, {}), (Ids{0, 1, 2, 3, 4, 5}));
  QCOMPARE(list.wordsFor({text.encode(Side::kSource, "Hund")}, {}), (Ids{0, 1, 2, 3, 6}));
  const Ids unknown = text.encode(Side::kSource, "unk Esunk");
  QVERIFY(std::ranges::count(unknown, kUnknownId) > 1);
  QCOMPARE(list.wordsFor({unknown}, {}), (Ids{0, 1, 2, 3}));
}

void TestShortlist::wrongOptionsAreRefused() {
  TextPipeline text = letters();
  QHOLDS(usageErrorOf([&] { Shortlist(text, {}, {.translations = 0}); }), "not 0 and 1000");
  QHOLDS(usageErrorOf([&] { Shortlist(text, {}, {.frequent = -1}); }), "not 50 and -1");
}

void TestShortlist::probabilitiesSumToOneOverTheList() {
  TextPipeline text = letters();
  Scored model(drawnWeights());
  Shortlist list(text, kDictionary, {.translations = 1, .frequent = 0});
  const BeamOptions options = searchWith(list, 4);
  const auto found =
      beamSearch(model, {.sources = {{4, kEndId}, {5, kEndId}}, .prefixes = {}}, options);
  for (const auto& hypotheses : found) checkWords(model, hypotheses, {0, 1, 2, 3, 6, 8});
  // In batches of one, the words of one sentence: e, and c.
  const auto alone =
      searchAll(model, {.sources = {{4, kEndId}, {5, kEndId}}, .prefixes = {}}, options, 1);
  checkWords(model, alone[0], {0, 1, 2, 3, 8});
  checkWords(model, alone[1], {0, 1, 2, 3, 6});
}

void TestShortlist::listOfAllWordsIsTheWholeSearch() {
  TextPipeline text = letters();
  Scored model(drawnWeights());
  Shortlist list(text, {}, {});
  BeamOptions options;
  options.beam = options.nbest = 4;
  const BeamInput input{.sources = {{4, 5, kEndId}}, .prefixes = {}};
  const auto whole = beamSearch(model, input, options);
  options.shortlist = &list;
  const auto listed = beamSearch(model, input, options);
  QCOMPARE(listed[0].size(), whole[0].size());
  for (std::size_t rank = 0; rank < whole[0].size(); ++rank) {
    QCOMPARE(listed[0][rank].tokens, whole[0][rank].tokens);
    QCOMPARE(listed[0][rank].score, whole[0][rank].score);
  }
}

void TestShortlist::prefixesAreAllowed() {
  TextPipeline text = letters();
  Scored model(drawnWeights());
  Shortlist list(text, kDictionary, {.translations = 1, .frequent = 0});
  const BeamOptions options = searchWith(list, 3);
  const Ids prefix{5, 7};
  const auto found =
      beamSearch(model, {.sources = {{4, kEndId}}, .prefixes = {prefix}}, options).front();
  for (const Hypothesis& hypothesis : found)
    QVERIFY(std::ranges::equal(std::span(hypothesis.tokens).first(2), prefix));
  checkWords(model, found, {0, 1, 2, 3, 5, 7, 8});
}

void TestShortlist::samplesAndNgrams() {
  TextPipeline text = letters();
  Scored model(drawnWeights());
  Shortlist list(text, kDictionary, {.translations = 2, .frequent = 0});
  BeamOptions options;
  options.beam = options.nbest = 50;
  options.noRepeat = 1;
  options.shortlist = &list;
  const BeamInput input{.sources = {{4, kEndId}}, .prefixes = {}};
  const auto searched = beamSearch(model, input, options).front();
  options.sampling = SamplingOptions{};
  const auto drawn = beamSearch(model, input, options).front();
  QCOMPARE(drawn.size(), std::size_t{50});
  for (const auto& found : {searched, drawn}) {
    checkWords(model, found, {0, 1, 2, 3, 4, 8});
    for (const Hypothesis& hypothesis : found) {
      const std::set<TokenId> words(hypothesis.tokens.begin(), hypothesis.tokens.end());
      QCOMPARE(words.size(), hypothesis.tokens.size());
    }
  }
}

}  // namespace strata

STRATA_APPLESS_TEST(strata::TestShortlist)
#include "test_shortlist.moc"
