#include <QtTest>
#ifndef Q_MOC_RUN
#include <torch/types.h>
#endif

#include <cmath>
#include <map>

#include "core/decode/search_all.h"
#include "tests/decode/bigram_model.h"
#include "tests/fixture.h"
#include "tests/program.h"

namespace strata {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

// ln of 0.5, 0.25, 0.15, 0.1 for the ids 2 .. 5; 0 and 1 never.
const std::vector<double> kFour{kNever,         kNever,         std::log(0.5),
                                std::log(0.25), std::log(0.15), std::log(0.1)};

// Shares of the ids over a grid of draws: exact up to 1e-4.
std::map<TokenId, double> sharesOf(const SamplingOptions& options,
                                   const std::vector<double>& values = kFour) {
  constexpr int kDraws = 20000;
  WordSampler sampler(options);
  std::map<TokenId, double> shares;
  for (int i = 0; i < kDraws; ++i) shares[sampler.draw(values, (i + 0.5) / kDraws)] += 1.0 / kDraws;
  return shares;
}

bool areClose(const std::map<TokenId, double>& a, const std::map<TokenId, double>& b) {
  if (a.size() != b.size()) return false;
  for (const auto& [id, share] : a) {
    if (!b.contains(id) || std::abs(b.at(id) - share) > 2e-4) return false;
  }
  return true;
}

BeamOptions drawing(int samples, const SamplingOptions& sampling = {}) {
  BeamOptions options;
  options.beam = samples;
  options.nbest = 0;
  options.lengthRule = LengthRule::parse("none");
  options.maxLengthFactor = 0;
  options.maxLengthOffset = 4;
  options.sampling = sampling;
  return options;
}

BeamInput sentences(std::size_t count) {
  BeamInput input;
  for (std::size_t i = 0; i < count; ++i)
    input.sources.emplace_back(i % 3 + 1, 4).push_back(kEndId);
  return input;
}

// Of the first sentence.
std::vector<Hypothesis> searchFirst(BigramModel& model, const BeamOptions& options) {
  return beamSearch(model, sentences(1), options).at(0);
}

std::vector<std::vector<TokenId>> tokensOf(const std::vector<Hypothesis>& hypotheses) {
  std::vector<std::vector<TokenId>> tokens;
  for (const Hypothesis& hypothesis : hypotheses) tokens.push_back(hypothesis.tokens);
  return tokens;
}

}  // namespace

class TestSampling : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void wordsComeAsOftenAsTheyShould();
  void equalWordsKeepTheirOrder();
  void draws();
  void coldAndNarrowDrawsAreGreedy();
  void samplesDoNotDependOnTheBatch();
  void sentencesComeAsOftenAsTheyShould();
  void drawnWordsKeepTheModelsProbability();
  void impossibleOptionsAreRefused();
};

void TestSampling::wordsComeAsOftenAsTheyShould() {
  using Shares = std::map<TokenId, double>;
  QVERIFY(areClose(sharesOf({}), Shares{{2, 0.5}, {3, 0.25}, {4, 0.15}, {5, 0.1}}));
  // Squares 0.25, 0.0625, 0.0225, 0.01 of 0.345 in all.
  QVERIFY(areClose(
      sharesOf({.temperature = 0.5}),
      Shares{{2, 0.25 / 0.345}, {3, 0.0625 / 0.345}, {4, 0.0225 / 0.345}, {5, 0.01 / 0.345}}));
  QVERIFY(areClose(sharesOf({.topK = 2}), Shares{{2, 2.0 / 3}, {3, 1.0 / 3}}));
  QVERIFY(areClose(sharesOf({.topK = 9}), sharesOf({})));
  // 0.5 + 0.25 do not reach 0.8, with 0.15 they do.
  QVERIFY(
      areClose(sharesOf({.topP = 0.8}), Shares{{2, 0.5 / 0.9}, {3, 0.25 / 0.9}, {4, 0.15 / 0.9}}));
  QVERIFY(areClose(sharesOf({.topP = 0.5}), Shares{{2, 1.0}}));
  // top-p counts what top-k left: 0.5 / 0.75 = 0.667 of it.
  QVERIFY(areClose(sharesOf({.topK = 2, .topP = 0.66}), Shares{{2, 1.0}}));
  QVERIFY(areClose(sharesOf({.topK = 2, .topP = 0.67}), Shares{{2, 2.0 / 3}, {3, 1.0 / 3}}));
  // ... and what the temperature made: 0.25 / 0.345 = 0.725.
  QVERIFY(areClose(sharesOf({.temperature = 0.5, .topP = 0.7}), Shares{{2, 1.0}}));
  // Sums other than 1 change nothing.
  auto shifted = kFour;
  for (double& value : shifted) value += 3;
  QVERIFY(areClose(sharesOf({.topP = 0.8}, shifted), sharesOf({.topP = 0.8})));
}

void TestSampling::equalWordsKeepTheirOrder() {
  const std::vector<double> equal{kNever, -1, -1, -1, -1};
  const auto shares = sharesOf({.topK = 2}, equal);
  QCOMPARE(shares.size(), std::size_t(2));
  QVERIFY(shares.contains(1) && shares.contains(2));
  WordSampler sampler({});
  QCOMPARE(sampler.draw(equal, 0.0), 1);
  QCOMPARE(sampler.draw(equal, 0.26), 2);
  QCOMPARE(sampler.draw(equal, std::nextafter(1.0, 0.0)), 4);
}

// Numbers of neighbouring keys are as uniform as they are independent.
void TestSampling::draws() {
  QCOMPARE(uniformOf({1, 2, 3, 4}), uniformOf({1, 2, 3, 4}));
  std::vector<int> cells(100);
  constexpr int kSide = 100;
  for (std::uint64_t sample = 0; sample < kSide; ++sample) {
    for (std::uint64_t step = 0; step < kSide; ++step) {
      const double x = uniformOf({7, 1, sample, step}), y = uniformOf({7, 2, sample, step});
      ++cells[std::size_t(x * 10) * 10 + std::size_t(y * 10)];
    }
  }
  double chi = 0;  // 99 degrees of freedom: 148.2 is exceeded once in a thousand
  for (const int count : cells) chi += (count - 100.0) * (count - 100.0) / 100;
  QVERIFY2(chi < 148.2, std::to_string(chi).c_str());
}

void TestSampling::coldAndNarrowDrawsAreGreedy() {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto model = BigramModel::drawn(12, seed);
    BeamOptions greedy = drawing(1);
    greedy.sampling.reset();
    const auto expected = searchFirst(*model, greedy)[0].tokens;
    for (const SamplingOptions& sampling :
         {SamplingOptions{.temperature = 1e-6, .seed = seed},
          SamplingOptions{.topK = 1, .seed = seed}, SamplingOptions{.topP = 1e-9, .seed = seed}}) {
      for (const Hypothesis& drawn : searchFirst(*model, drawing(3, sampling)))
        QCOMPARE(drawn.tokens, expected);
    }
  }
}

void TestSampling::samplesDoNotDependOnTheBatch() {
  const auto model = BigramModel::drawn(12, 3);
  const auto options = drawing(4, {.topK = 8, .seed = 5});
  const auto input = sentences(9);
  const auto together = searchAll(*model, input, options, 9);
  std::map<std::vector<TokenId>, int> different;
  for (const int width : {1, 2, 5}) {
    const auto apart = searchAll(*model, input, options, width);
    for (std::size_t i = 0; i < input.sources.size(); ++i)
      QCOMPARE(tokensOf(apart[i]), tokensOf(together[i]));
  }
  for (const auto& list : together) {
    for (const auto& tokens : tokensOf(list)) ++different[tokens];
  }
  QVERIFY(different.size() > 20);  // sentences and samples of one another's are not the same
  const auto other = searchAll(*model, input, drawing(4, {.topK = 8, .seed = 6}), 9);
  QVERIFY(tokensOf(other[0]) != tokensOf(together[0]));
  // More samples leave those that were there as they are.
  const auto more = searchAll(*model, input, drawing(6, {.topK = 8, .seed = 5}), 9);
  for (const auto& tokens : tokensOf(together[0])) {
    const auto all = tokensOf(more[0]);
    QVERIFY(std::find(all.begin(), all.end(), tokens) != all.end());
  }
}

// Whole sentences of three words against their probabilities, by chi squared.
void TestSampling::sentencesComeAsOftenAsTheyShould() {
  const auto model = BigramModel::drawn(5, 2);  // </s>, <unk> and one word
  constexpr int kSamples = 20000;
  std::map<std::vector<TokenId>, double> counts;
  for (const auto& tokens : tokensOf(searchFirst(*model, drawing(kSamples)))) ++counts[tokens];
  double chi = 0, whole = 0;
  std::vector<std::vector<TokenId>> open{{}};
  const auto probability = [&](const std::vector<TokenId>& tokens) {
    double p = 1;
    TokenId previous = kEndId;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      double sum = 0;  // <s> and <pad> are not drawn
      for (const TokenId each : {2, 3, 4}) sum += std::exp(model->logProbability(previous, each));
      if (i < 3) p *= std::exp(model->logProbability(previous, tokens[i])) / sum;
      previous = tokens[i];
    }
    return p;
  };
  int cells = 0;
  while (!open.empty()) {
    const auto start = open.back();
    open.pop_back();
    for (const TokenId next : {2, 3, 4}) {
      auto tokens = start;
      tokens.push_back(next);
      if (next != kEndId && tokens.size() < 4) open.push_back(tokens);
      if (next != kEndId) continue;
      const double expected = probability(tokens) * kSamples;
      whole += expected;
      chi += (counts[tokens] - expected) * (counts[tokens] - expected) / expected;
      ++cells;
    }
  }
  QCOMPARE(cells, 15);  // 1 + 2 + 4 + 8, the last forced to end
  QVERIFY(std::abs(whole - kSamples) < 1e-6);
  QVERIFY2(chi < 36.1, std::to_string(chi).c_str());  // 14 degrees of freedom, once in a thousand
}

void TestSampling::drawnWordsKeepTheModelsProbability() {
  const auto model = BigramModel::drawn(12, 3);
  auto options = drawing(5, {.temperature = 2, .topK = 6});
  options.unknownPenalty = 0.5;
  for (const Hypothesis& drawn : searchFirst(*model, options)) {
    TokenId previous = kEndId;
    double sum = 0, unknown = 0;
    for (std::size_t t = 0; t < drawn.tokens.size(); ++t) {
      const double logP = model->logProbability(previous, drawn.tokens[t]);
      QVERIFY(std::abs(drawn.tokenLogProbabilities[t] - logP) < 1e-12);
      sum += logP;
      unknown += drawn.tokens[t] == kUnknownId;
      previous = drawn.tokens[t];
    }
    QVERIFY(std::abs(drawn.logProbability - sum) < 1e-12);
    QVERIFY(std::abs(drawn.score - (sum - 0.5 * unknown)) < 1e-12);
  }
}

void TestSampling::impossibleOptionsAreRefused() {
  QVERIFY(holds(usageErrorOf([] { WordSampler({.temperature = 0}); }), "temperature"));
  QVERIFY(holds(usageErrorOf([] { WordSampler({.topK = -1}); }), "top-k"));
  QVERIFY(holds(usageErrorOf([] { WordSampler({.topP = 0}); }), "top-p"));
  QVERIFY(holds(usageErrorOf([] { WordSampler({.topP = 1.5}); }), "top-p"));
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestSampling)
#include "test_sampling.moc"
