// Search constraints and diversity, against a simple reference search written without regard to
// speed.
#include <QtTest>
#ifndef Q_MOC_RUN
#include <torch/types.h>
#endif

#include <algorithm>
#include <cmath>
#include <set>

#include "core/decode/beam_search.h"
#include "core/decode/no_repeat.h"
#include "tests/decode/bigram_model.h"
#include "tests/fixture.h"
#include "tests/program.h"

namespace strata {
namespace {

struct Found {
  std::vector<TokenId> tokens;
  double sum = 0, total = 0;  // of log p; with penalties
};

bool repeats(const std::vector<TokenId>& tokens, int n) {
  std::set<std::vector<TokenId>> seen;
  for (std::size_t i = 0; i + std::size_t(n) <= tokens.size(); ++i) {
    if (!seen.insert({tokens.begin() + std::ptrdiff_t(i), tokens.begin() + std::ptrdiff_t(i) + n})
             .second)
      return true;
  }
  return false;
}

// The search of models.md 6 with every option, on full copies of hypotheses.
class PlainSearch {
 public:
  PlainSearch(const BigramModel& model, int words, const BeamOptions& options)
      : model_(model), words_(words), options_(options) {}

  std::vector<Found> run(int longest) {
    std::vector<Found> live(1), finished;
    for (int step = 1; !live.empty() && finished.size() < std::size_t(options_.beam); ++step) {
      auto ways = waysOn(live, step, step == longest);
      std::stable_sort(ways.begin(), ways.end(),
                       [](const Way& a, const Way& b) { return a.choice > b.choice; });
      std::vector<Found> next;
      for (std::size_t rank = 0; rank < ways.size(); ++rank) {
        const bool ends = ways[rank].found.tokens.back() == kEndId;
        if (ends && rank < std::size_t(options_.beam) &&
            finished.size() < std::size_t(options_.beam))
          finished.push_back(ways[rank].found);
        if (!ends && next.size() < std::size_t(options_.beam)) next.push_back(ways[rank].found);
      }
      live = next;
    }
    std::stable_sort(finished.begin(), finished.end(),
                     [](const Found& a, const Found& b) { return a.total > b.total; });
    return finished;
  }

 private:
  struct Way {
    Found found;
    double choice;
  };

  std::vector<Way> waysOn(const std::vector<Found>& live, int step, bool last) const {
    std::vector<Way> ways;
    for (const Found& parent : live) {
      std::vector<Way> siblings;
      for (TokenId token = 2; token < words_; ++token) {
        if (last && token != kEndId) continue;
        if (!last && token == kEndId && step < options_.minLength) continue;
        Found found = parent;
        found.tokens.push_back(token);
        if (options_.noRepeat > 0 && repeats(found.tokens, options_.noRepeat)) continue;
        const TokenId previous = parent.tokens.empty() ? kEndId : parent.tokens.back();
        const double logP = model_.logProbability(previous, token);
        found.sum += logP;
        found.total += logP - (token == kUnknownId ? options_.unknownPenalty : 0);
        siblings.push_back({found, found.total});
      }
      std::stable_sort(siblings.begin(), siblings.end(),
                       [](const Way& a, const Way& b) { return a.found.total > b.found.total; });
      for (std::size_t k = 0; k < siblings.size(); ++k)
        siblings[k].choice -= options_.diversity * double(k + 1);
      ways.insert(ways.end(), siblings.begin(), siblings.end());
    }
    return ways;
  }

  const BigramModel& model_;
  int words_;
  const BeamOptions& options_;
};

BeamOptions optionsOf(int beam, int longest) {
  BeamOptions options;
  options.beam = beam;
  options.nbest = 0;
  options.lengthRule = LengthRule::parse("none");
  options.maxLengthFactor = 0;
  options.maxLengthOffset = longest;
  return options;
}

const BeamInput kOneSentence{.sources = {{4, 2}}, .prefixes = {}};

std::vector<Hypothesis> searchOne(BigramModel& model, const BeamOptions& options) {
  return beamSearch(model, kOneSentence, options).at(0);
}

std::vector<TokenId> best(BigramModel& model, const BeamOptions& options) {
  return searchOne(model, options).at(0).tokens;
}

}  // namespace

class TestSearchOptions : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void wordsThatWouldRepeat();
  void equalsAPlainSearch_data();
  void equalsAPlainSearch();
  void greedyDoesNotRunInCircles();
  void unknownWordsCostWhatIsAsked();
  void siblingsCostTheirRank();
  void searchesThatRunOutOfWordsEnd();
  void prefixesMayRepeat();
  void impossibleOptionsAreRefused();
};

void TestSearchOptions::wordsThatWouldRepeat() {
  using Ids = std::vector<TokenId>;
  const Ids words{4, 5, 6, 4, 5, 7, 4, 5};
  QCOMPARE(repeatingWords(words, 3), (Ids{6, 7}));  // 4 5 6 and 4 5 7 are there
  QCOMPARE(repeatingWords(words, 2), (Ids{6, 7}));
  QCOMPARE(repeatingWords(words, 1), (Ids{4, 5, 6, 7}));
  QCOMPARE(repeatingWords(words, 4), Ids{});  // 7 4 5 was followed by nothing
  QCOMPARE(repeatingWords(Ids{4, 4}, 2), Ids{4});
  QCOMPARE(repeatingWords(Ids{4}, 2), Ids{});
  QCOMPARE(repeatingWords(Ids{}, 1), Ids{});
}

void TestSearchOptions::equalsAPlainSearch_data() {
  QTest::addColumn<int>("noRepeat");
  QTest::addColumn<double>("unknown");
  QTest::addColumn<double>("diversity");
  QTest::addColumn<int>("minLength");
  QTest::newRow("nothing") << 0 << 0.0 << 0.0 << 1;
  QTest::newRow("no repeated word") << 1 << 0.0 << 0.0 << 1;
  QTest::newRow("no repeated pair") << 2 << 0.0 << 0.0 << 1;
  QTest::newRow("no repeated triple") << 3 << 0.0 << 0.0 << 4;
  QTest::newRow("unknown words") << 0 << 0.8 << 0.0 << 1;
  QTest::newRow("diversity") << 0 << 0.0 << 0.4 << 1;
  QTest::newRow("all") << 2 << 1.5 << 0.3 << 3;
}

void TestSearchOptions::equalsAPlainSearch() {
  QFETCH(int, noRepeat);
  QFETCH(double, unknown);
  QFETCH(double, diversity);
  QFETCH(int, minLength);
  constexpr int kWords = 9, kLongest = 8;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto model = BigramModel::drawn(kWords, seed);
    for (const int beam : {1, 2, 5}) {
      BeamOptions options = optionsOf(beam, kLongest);
      options.noRepeat = noRepeat;
      options.unknownPenalty = unknown;
      options.diversity = diversity;
      options.minLength = minLength;
      const auto expected = PlainSearch(*model, kWords, options).run(kLongest);
      const auto found = searchOne(*model, options);
      QCOMPARE(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        QCOMPARE(found[i].tokens, expected[i].tokens);
        QVERIFY(std::abs(found[i].logProbability - expected[i].sum) < 1e-12);
        QVERIFY(std::abs(found[i].score - expected[i].total) < 1e-12);
      }
    }
  }
}

// 4 and 5 follow one another with 0.9; 6 comes out of 5 with 0.1, and ends.
void TestSearchOptions::greedyDoesNotRunInCircles() {
  BigramModel model({{0, 0, 0, 0, 1, 0, 0},
                     {0, 0, 0, 0, 1, 0, 0},
                     {0, 0, 0, 0, 1, 0, 0},
                     {0, 0, 0, 0, 1, 0, 0},
                     {0, 0, 0.1, 0, 0, 0.9, 0},
                     {0, 0, 0, 0, 0.9, 0, 0.1},
                     {0, 0, 1, 0, 0, 0, 0}});
  using Ids = std::vector<TokenId>;
  BeamOptions options = optionsOf(1, 8);
  QCOMPARE(best(model, options), (Ids{4, 5, 4, 5, 4, 5, 4, 2}));
  options.noRepeat = 2;  // after 4 5 4 another 5 would repeat "4 5"
  QCOMPARE(best(model, options), (Ids{4, 5, 4, 2}));
  options.noRepeat = 1;
  QCOMPARE(best(model, options), (Ids{4, 5, 6, 2}));
}

// <unk> has 0.6 and 4 has 0.4, then the end is certain: ln 1.5 = 0.405 decides.
void TestSearchOptions::unknownWordsCostWhatIsAsked() {
  BigramModel model({{0, 0, 0, 0.6, 0.4},
                     {0, 0, 0, 0.6, 0.4},
                     {0, 0, 0, 0.6, 0.4},
                     {0, 0, 1, 0, 0},
                     {0, 0, 1, 0, 0}});
  for (const int beam : {1, 2}) {
    BeamOptions options = optionsOf(beam, 5);
    options.unknownPenalty = 0.40;
    const auto cheap = searchOne(model, options)[0];
    QCOMPARE(cheap.tokens, (std::vector<TokenId>{kUnknownId, 2}));
    QVERIFY(std::abs(cheap.logProbability - std::log(0.6)) < 1e-12);
    QVERIFY(std::abs(cheap.score - (std::log(0.6) - 0.40)) < 1e-12);
    options.unknownPenalty = 0.41;
    QCOMPARE(best(model, options), (std::vector<TokenId>{4, 2}));
  }
}

// Behind 4 (0.6): 5 or 6 with a half each. Behind 7 (0.4): 8 alone. A beam of two keeps 4 5 (0.3)
// and 7 8 (0.4) in any case; of three it keeps 4 6 too. With 0.28, 0.32 and 0.4 instead, a beam of
// two keeps both children of 4 unless the second is set back by more than ln(0.3/0.28) = 0.069.
void TestSearchOptions::siblingsCostTheirRank() {
  std::vector<std::vector<double>> weights(9, std::vector<double>(9, 0));
  weights[2][4] = 0.72, weights[2][7] = 0.28;
  weights[4][5] = 0.5834, weights[4][6] = 0.4166;  // 0.42 and 0.29995 in all
  weights[7][8] = 1;
  for (const int last : {0, 1, 3, 5, 6, 8}) weights[std::size_t(last)][2] = 1;
  BigramModel model(weights);
  const auto both = [&](double diversity) {
    BeamOptions options = optionsOf(2, 5);
    options.diversity = diversity;
    std::set<std::vector<TokenId>> found;
    for (const auto& hypothesis : searchOne(model, options)) {
      found.insert(hypothesis.tokens);
      // Results keep their own probability: the penalty only affects the selection.
      const double p = hypothesis.tokens[0] == 7   ? 0.28
                       : hypothesis.tokens[1] == 5 ? 0.72 * 0.5834
                                                   : 0.72 * 0.4166;
      if (std::abs(hypothesis.score - std::log(p)) > 1e-12) found.clear();
    }
    return found;
  };
  using Set = std::set<std::vector<TokenId>>;
  const Set alike{{4, 5, 2}, {4, 6, 2}}, diverse{{4, 5, 2}, {7, 8, 2}};
  QCOMPARE(both(0), alike);
  QCOMPARE(both(0.06), alike);
  QCOMPARE(both(0.08), diverse);
}

// No word may come twice and there are three: the hypothesis ends early, however long it should be.
void TestSearchOptions::searchesThatRunOutOfWordsEnd() {
  const auto model = BigramModel::drawn(6, 3);
  for (const bool sampled : {false, true}) {
    BeamOptions options = optionsOf(2, 20);
    options.noRepeat = 1;
    options.minLength = 10;
    if (sampled) options.sampling.emplace();
    for (const auto& hypothesis : searchOne(*model, options)) {
      QCOMPARE(hypothesis.tokens.size(), std::size_t(4));
      QVERIFY(!repeats(hypothesis.tokens, 1));
    }
  }
}

void TestSearchOptions::prefixesMayRepeat() {
  const auto model = BigramModel::drawn(9, 5);
  BeamOptions options = optionsOf(3, 9);
  options.noRepeat = 2;
  const std::vector<TokenId> prefix{4, 5, 4, 5};
  const auto found = beamSearch(*model, {.sources = {{4, 2}}, .prefixes = {prefix}}, options)[0];
  QVERIFY(!found.empty());
  for (const auto& hypothesis : found) {
    QVERIFY(std::equal(prefix.begin(), prefix.end(), hypothesis.tokens.begin()));
    QVERIFY(hypothesis.tokens[4] != 4);  // 5 4 is in the prefix
  }
}

void TestSearchOptions::impossibleOptionsAreRefused() {
  const auto model = BigramModel::drawn(6, 1);
  const auto messageOf = [&](auto change) {
    BeamOptions options = optionsOf(2, 5);
    change(options);
    return usageErrorOf([&] { beamSearch(*model, kOneSentence, options); });
  };
  QVERIFY(holds(messageOf([](BeamOptions& o) { o.beam = 0; }), "beam"));
  QVERIFY(holds(messageOf([](BeamOptions& o) { o.noRepeat = -1; }), "n-grams"));
  QVERIFY(holds(messageOf([](BeamOptions& o) { o.unknownPenalty = -0.1; }), "unknown"));
  QVERIFY(holds(messageOf([](BeamOptions& o) { o.diversity = -1; }), "diversity"));
  QVERIFY(
      holds(messageOf([](BeamOptions& o) { o.diversity = 1, o.sampling.emplace(); }), "Diversity"));
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestSearchOptions)
#include "test_search_options.moc"
