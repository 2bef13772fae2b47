// n-grams of systems against counts a person can check and against maps of strings.
#include <QtTest>
#include <map>
#include <random>

#include "core/metrics/ngram_differences.h"
#include "core/text/words.h"
#include "tests/fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

using Lines = std::vector<std::string>;
using References = std::vector<Lines>;
using Map = std::map<std::string, std::int64_t>;

struct Maps {
  Map confirmed, over, under, orders;
};

Map ngramsOf(const std::string& line, const NGramOptions& options, Map& orders) {
  Map ngrams;
  const Lines words = wordsOf(line);
  for (std::size_t begin = 0; begin < words.size(); ++begin) {
    std::string text;
    for (std::size_t end = begin; end < words.size(); ++end) {
      text += (end == begin ? "" : " ") + words[end];
      const int order = static_cast<int>(end - begin) + 1;
      if (order < options.lowest || order > options.highest) continue;
      ++ngrams[text];
      orders[text] = order;
    }
  }
  return ngrams;
}

Maps mapsOf(const Lines& system, const References& references, const NGramOptions& options) {
  Maps maps;
  for (std::size_t i = 0; i < system.size(); ++i) {
    Map most;
    for (const Lines& reference : references) {
      for (const auto& [text, count] : ngramsOf(reference[i], options, maps.orders))
        most[text] = std::max(most[text], count);
    }
    Map ours = ngramsOf(system[i], options, maps.orders);
    for (const auto& [text, count] : ours) {
      const std::int64_t held = most.contains(text) ? most[text] : 0;
      maps.confirmed[text] += std::min(count, held);
      maps.over[text] += std::max<std::int64_t>(0, count - held);
    }
    for (const auto& [text, held] : most)
      maps.under[text] += std::max<std::int64_t>(0, held - ours[text]);
  }
  return maps;
}

std::vector<NGramDifference> ranked(Map ours, Map theirs, Map orders, bool ofSecond,
                                    std::size_t most) {
  std::vector<NGramDifference> all;
  for (const auto& [text, a] : Map(ours)) {
    const std::int64_t b = theirs[text];
    if (a > b)
      all.push_back({text, static_cast<int>(orders[text]), ofSecond ? b : a, ofSecond ? a : b,
                     (static_cast<double>(a) + 1) / (static_cast<double>(a + b) + 2)});
  }
  std::sort(all.begin(), all.end(), [&](const NGramDifference& x, const NGramDifference& y) {
    if (x.score != y.score) return x.score > y.score;
    const std::int64_t left = ours[x.text], right = ours[y.text];
    return left != right ? left > right : x.text < y.text;
  });
  if (all.size() > most) all.resize(most);
  return all;
}

bool same(const std::vector<NGramDifference>& a, const std::vector<NGramDifference>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.text == y.text && x.order == y.order && x.first == y.first && x.second == y.second &&
           x.score == y.score;
  });
}

bool same(const std::vector<NGramProduction>& list, Map excess, Maps maps, std::size_t most) {
  std::vector<std::pair<std::int64_t, std::string>> all;
  for (const auto& [text, count] : excess) {
    if (count > 0) all.emplace_back(-count, text);
  }
  std::sort(all.begin(), all.end());
  if (all.size() > most) all.resize(most);
  if (list.size() != all.size()) return false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string& text = all[i].second;
    if (list[i].text != text || list[i].order != maps.orders[text] ||
        list[i].confirmed != maps.confirmed[text] ||
        list[i].hypothesis != maps.confirmed[text] + maps.over[text] ||
        list[i].reference != maps.confirmed[text] + maps.under[text])
      return false;
  }
  return true;
}

bool totalsAre(const std::vector<NGramTotals>& totals, const Maps& maps) {
  std::map<int, std::pair<std::int64_t, std::int64_t>> sums;
  for (const auto& [text, count] : maps.confirmed)
    sums[static_cast<int>(maps.orders.at(text))].first += count;
  for (const auto& [text, count] : maps.over)
    sums[static_cast<int>(maps.orders.at(text))].second += count;
  return std::all_of(totals.begin(), totals.end(), [&](const NGramTotals& total) {
    return total.confirmed == sums[total.order].first &&
           total.unconfirmed == sums[total.order].second;
  });
}

Lines randomLines(std::mt19937& random, std::size_t lines) {
  Lines result(lines);
  for (std::string& line : result) {
    for (std::size_t words = random() % 9; words > 0; --words) {
      line += static_cast<char>('a' + random() % 4);
      line += words > 1 ? " " : "";
    }
  }
  return result;
}

Lines textsOf(const auto& list) {
  Lines texts;
  for (const auto& entry : list) texts.push_back(entry.text);
  return texts;
}

}  // namespace

class TestNGramDifferences : public QObject {
  Q_OBJECT

 private slots:
  void confirmsClippedMatches();
  void ranksByTheRatioThenCountThenText();
  void equalSystemsDifferInNothing();
  void overAndUnder();
  void severalReferences();
  void lowercases();
  void emptyLines();
  void equalsMapsOfStrings();
  void refusesWrongInput();
  void confirmedTokensOfALine();
  void confirmedTokensEqualASearch();
};

void TestNGramDifferences::confirmsClippedMatches() {
  const auto result = compareNGrams(Lines{"the the cat"}, Lines{"cat the"}, {{"the cat sat"}},
                                    {.lowest = 1, .highest = 2});
  // "the" once, "cat", "the cat"; not the second "the", not "the the".
  QCOMPARE(result.first.size(), std::size_t{2});
  QCOMPARE(result.first[0].order, 1);
  QCOMPARE(result.first[0].confirmed, std::int64_t{2});
  QCOMPARE(result.first[0].unconfirmed, std::int64_t{1});
  QCOMPARE(result.first[1].confirmed, std::int64_t{1});
  QCOMPARE(result.first[1].unconfirmed, std::int64_t{1});
  QCOMPARE(result.second[0].confirmed, std::int64_t{2});
  QCOMPARE(result.second[1].confirmed, std::int64_t{0});
  QCOMPARE(textsOf(result.firstConfirmed), (Lines{"the cat"}));
  QCOMPARE(result.firstConfirmed[0].order, 2);
  QCOMPARE(result.firstConfirmed[0].score, 2.0 / 3);
  QVERIFY(result.secondConfirmed.empty());
  QCOMPARE(textsOf(result.firstUnconfirmed), (Lines{"the", "the the"}));
  QCOMPARE(textsOf(result.secondUnconfirmed), (Lines{"cat the"}));
}

void TestNGramDifferences::ranksByTheRatioThenCountThenText() {
  // Confirmed by the first and the second system: a 3, 1 and b 1, 0, both 2/3; c 1, 0 as b;
  // d 2, 0 is 3/4.
  const Lines reference{"d d a a a c b"}, first{"d d a a a c b"}, second{"a"};
  const NGramOptions unigrams{.lowest = 1, .highest = 1};
  const auto result = compareNGrams(first, second, {reference}, unigrams);
  QCOMPARE(textsOf(result.firstConfirmed), (Lines{"d", "a", "b", "c"}));
  QCOMPARE(result.firstConfirmed[0].score, 0.75);
  QCOMPARE(result.firstConfirmed[1].score, 4.0 / 6);
  QCOMPARE(result.firstConfirmed[1].first, std::int64_t{3});
  QCOMPARE(result.firstConfirmed[1].second, std::int64_t{1});
  const auto turned = compareNGrams(second, first, {reference}, unigrams);
  QCOMPARE(textsOf(turned.secondConfirmed), (Lines{"d", "a", "b", "c"}));
  QCOMPARE(turned.secondConfirmed[1].first, std::int64_t{1});
  QCOMPARE(turned.secondConfirmed[1].second, std::int64_t{3});
  const NGramOptions three{.lowest = 1, .highest = 1, .most = 3};
  QCOMPARE(textsOf(compareNGrams(first, second, {reference}, three).firstConfirmed),
           (Lines{"d", "a", "b"}));
  const NGramOptions none{.lowest = 1, .highest = 1, .most = 0};
  QVERIFY(compareNGrams(first, second, {reference}, none).firstConfirmed.empty());
}

void TestNGramDifferences::equalSystemsDifferInNothing() {
  const Lines system{"a b c", "d e"};
  const auto result = compareNGrams(system, system, {{"a b x", "e d"}});
  QVERIFY(result.firstConfirmed.empty() && result.secondConfirmed.empty());
  QVERIFY(result.firstUnconfirmed.empty() && result.secondUnconfirmed.empty());
  QCOMPARE(result.first[0].confirmed, std::int64_t{4});
  const auto produced = producedNGrams(system, {system});
  QVERIFY(produced.over.empty() && produced.under.empty());
}

void TestNGramDifferences::overAndUnder() {
  const auto result =
      producedNGrams(Lines{"x x x y", "a"}, {{"x y z", "a a"}}, {.lowest = 1, .highest = 1});
  QCOMPARE(textsOf(result.over), (Lines{"x"}));
  QCOMPARE(result.over[0].hypothesis, std::int64_t{3});
  QCOMPARE(result.over[0].reference, std::int64_t{1});
  QCOMPARE(result.over[0].confirmed, std::int64_t{1});
  QCOMPARE(textsOf(result.under), (Lines{"a", "z"}));
  QCOMPARE(result.under[0].hypothesis, std::int64_t{1});
  QCOMPARE(result.under[0].reference, std::int64_t{2});
  // What one sentence has too often does not make up for another one.
  const auto across = producedNGrams(Lines{"x x", ""}, {{"", "x x"}}, {.lowest = 1, .highest = 1});
  QCOMPARE(textsOf(across.over), (Lines{"x"}));
  QCOMPARE(textsOf(across.under), (Lines{"x"}));
  QCOMPARE(across.over[0].confirmed, std::int64_t{0});
}

void TestNGramDifferences::severalReferences() {
  // The reference that holds most of it: 2 of x; y is confirmed by the other one.
  const auto result =
      producedNGrams(Lines{"x x x y"}, {{"x x"}, {"x y"}}, {.lowest = 1, .highest = 1});
  QCOMPARE(result.totals[0].confirmed, std::int64_t{3});
  QCOMPARE(textsOf(result.over), (Lines{"x"}));
  QCOMPARE(result.over[0].reference, std::int64_t{2});
  QVERIFY(result.under.empty());
}

void TestNGramDifferences::lowercases() {
  const Lines system{"ÄRGER Die die"};
  const References references{{"ärger DIE"}};
  QCOMPARE(producedNGrams(system, references).totals[0].confirmed, std::int64_t{0});
  const auto lower =
      producedNGrams(system, references, {.lowest = 1, .highest = 2, .lowercase = true});
  QCOMPARE(lower.totals[0].confirmed, std::int64_t{2});
  QCOMPARE(lower.totals[1].confirmed, std::int64_t{1});
  QCOMPARE(textsOf(lower.over), (Lines{"die", "die die"}));
}

void TestNGramDifferences::emptyLines() {
  const auto result = compareNGrams(Lines{"", "  "}, Lines{"a", ""}, {{"a", " "}});
  QCOMPARE(result.first[0].confirmed, std::int64_t{0});
  QCOMPARE(textsOf(result.secondConfirmed), (Lines{"a"}));
  const auto nothing = compareNGrams(Lines{}, Lines{}, {Lines{}});
  QCOMPARE(nothing.first.size(), std::size_t{4});
  QVERIFY(nothing.firstConfirmed.empty());
  QVERIFY(confirmedTokens("", Lines{"a"}).empty());
}

void TestNGramDifferences::equalsMapsOfStrings() {
  std::mt19937 random(11);
  int lists = 0;
  for (int round = 0; round < 200; ++round) {
    const std::size_t lines = 1 + random() % 6;
    const Lines a = randomLines(random, lines), b = randomLines(random, lines);
    References references;
    for (std::size_t r = 1 + random() % 3; r > 0; --r)
      references.push_back(randomLines(random, lines));
    NGramOptions options;
    options.lowest = 1 + static_cast<int>(random() % 3);
    options.highest = options.lowest + static_cast<int>(random() % 3);
    options.most = random() % 30;
    const Maps first = mapsOf(a, references, options), second = mapsOf(b, references, options);
    const auto result = compareNGrams(a, b, references, options);
    const auto is = [&](const auto& list, const Map Maps::*field, bool ofSecond) {
      const Maps &ours = ofSecond ? second : first, &theirs = ofSecond ? first : second;
      ++lists;
      return same(list, ranked(ours.*field, theirs.*field, ours.orders, ofSecond, options.most));
    };
    QVERIFY(is(result.firstConfirmed, &Maps::confirmed, false));
    QVERIFY(is(result.secondConfirmed, &Maps::confirmed, true));
    QVERIFY(is(result.firstUnconfirmed, &Maps::over, false));
    QVERIFY(is(result.secondUnconfirmed, &Maps::over, true));
    QVERIFY(totalsAre(result.first, first) && totalsAre(result.second, second));
    const auto produced = producedNGrams(a, references, options);
    QVERIFY(same(produced.over, first.over, first, options.most));
    QVERIFY(same(produced.under, first.under, first, options.most));
    lists += 2;
  }
  qInfo("%d lists equal those of maps", lists);
}

void TestNGramDifferences::refusesWrongInput() {
  const Lines two{"a", "b"};
  QHOLDS(errorOf([&] { compareNGrams(two, Lines{"a"}, {two}); }), "1 hypotheses and 2 references");
  QHOLDS(errorOf([&] { compareNGrams(two, two, {two, {"a"}}); }), "2 hypotheses and 1 references");
  QHOLDS(errorOf([&] { producedNGrams(two, {}); }), "no reference");
  for (const auto& [lowest, highest] : {std::pair{0, 4}, {3, 2}, {1, kMaxNGramOrder + 1}}) {
    const NGramOptions options{.lowest = lowest, .highest = highest};
    QHOLDS(usageErrorOf([&] { producedNGrams(two, {two}, options); }), "1 <= lowest");
    QHOLDS(usageErrorOf([&] { confirmedTokens("a", two, options); }), "1 <= lowest");
  }
  const Lines bad{"ab\xFF", "b"};
  QHOLDS(errorOf([&] { producedNGrams(bad, {two}, {.lowercase = true}); }), "byte 3");
  QCOMPARE(producedNGrams(bad, {bad}).totals[0].confirmed, std::int64_t{2});
}

void TestNGramDifferences::confirmedTokensOfALine() {
  const Lines reference{"the cat sat on the mat"};
  QCOMPARE(confirmedTokens("the cat is on the mat", reference),
           (std::vector<int>{2, 2, 0, 3, 3, 3}));
  // No clipping: the second "cat" is right as well.
  QCOMPARE(confirmedTokens("cat cat", reference), (std::vector<int>{1, 1}));
  QCOMPARE(confirmedTokens("the cat sat on the mat", reference),
           (std::vector<int>{4, 4, 4, 4, 4, 4}));
  QCOMPARE(confirmedTokens("the cat x", reference, {.lowest = 1, .highest = 1}),
           (std::vector<int>{1, 1, 0}));
  QCOMPARE(confirmedTokens("the cat mat", reference, {.lowest = 2, .highest = 4}),
           (std::vector<int>{2, 2, 0}));
  QCOMPARE(confirmedTokens("The cat", reference, {.lowercase = true}), (std::vector<int>{2, 2}));
  // Half in one reference and half in the other is confirmed by neither.
  QCOMPARE(confirmedTokens("a b c", Lines{"a b", "b c"}), (std::vector<int>{2, 2, 2}));
  QCOMPARE(confirmedTokens("a b", Lines{}), (std::vector<int>{0, 0}));
}

void TestNGramDifferences::confirmedTokensEqualASearch() {
  std::mt19937 random(5);
  for (int round = 0; round < 500; ++round) {
    const Lines lines = randomLines(random, 3);
    const NGramOptions options{.lowest = 1 + static_cast<int>(random() % 2)};
    Map orders, held = ngramsOf(lines[1], options, orders);
    held.merge(ngramsOf(lines[2], options, orders));
    const Lines words = wordsOf(lines[0]);
    std::vector<int> expected(words.size(), 0);
    for (std::size_t begin = 0; begin < words.size(); ++begin) {
      std::string text;
      for (std::size_t end = begin; end < words.size(); ++end) {
        text += (end == begin ? "" : " ") + words[end];
        if (!held.contains(text)) continue;
        for (std::size_t k = begin; k <= end; ++k)
          expected[k] = std::max(expected[k], static_cast<int>(end - begin) + 1);
      }
    }
    QCOMPARE(confirmedTokens(lines[0], std::span(lines).subspan(1), options), expected);
  }
}

STRATA_GUILESS_TEST(TestNGramDifferences)
#include "test_ngram_differences.moc"
