// Systems of a workspace as the input of a comparison: dataset statistics, seeds, decoder scores.
#include <QTest>
#include <cmath>

#include "core/systems/stored_comparison.h"
#include "core/text/pipeline.h"
#include "tests/program.h"
#include "tests/systems/systems_fixture.h"

using namespace strata;

namespace {

struct Systems : SystemsFixture {
  StoredComparison of(const Lines& names, TextState state = TextState::kTokens) {
    StoredComparison comparison{.testSet = "small/test", .systems = {}, .state = state};
    const StoredSystems all = listSystems(workspace, "small/test");
    for (const std::string& name : names) comparison.systems.push_back(findSystem(all, name));
    return comparison;
  }
  Lines groups(const Lines& names) {
    Lines groups;
    for (const ComparedSystem& system : comparisonInput(workspace, of(names)).systems)
      groups.push_back(system.group);
    return groups;
  }
  void importTwo() {
    import("a", textOf(raw));
    import("b", "the house\na mouse!\nold\n");
  }
};

}  // namespace

class TestStoredComparison : public QObject {
  Q_OBJECT

 private slots:
  void readsTexts();
  void takesRowsFromTheCache();
  void countsTheTrainingText();
  void knowsWordsBehindSubwords();
  void groupsSeeds();
  void turnsScores();
  void refusesOtherSets();
};

void TestStoredComparison::readsTexts() {
  Systems fixture;
  fixture.importTwo();
  const ComparisonInput raw =
      comparisonInput(fixture.workspace, fixture.of({"b", "a"}, TextState::kRaw));
  QCOMPARE(raw.testSet, std::string("small/test"));
  QCOMPARE(raw.references, std::vector<Lines>{fixture.raw});
  QCOMPARE(raw.source, (Lines{"Das Haus.", "Eine Maus!", "Es ist alt."}));
  QCOMPARE(raw.systems[0].name, std::string("b"));
  QCOMPARE(raw.systems[1].lines, fixture.raw);
  QVERIFY(raw.systems[1].confidence.empty() && raw.systems[1].nbest.empty());
  QVERIFY(!raw.counts && raw.subwordReference.empty());
  QCOMPARE(raw.vocabularyReferences, std::vector<Lines>{fixture.tokens});
  const ComparisonInput tokens = comparisonInput(fixture.workspace, fixture.of({"b", "a"}));
  QCOMPARE(tokens.references, std::vector<Lines>{fixture.tokens});
  QCOMPARE(tokens.source[0], std::string("das haus ."));
  QCOMPARE(tokens.systems[1].lines, fixture.tokens);
  QVERIFY(tokens.counts && tokens.vocabulary && tokens.vocabularyReferences.empty());
  // The sentences' unknown words are the same, whichever text is compared: "it" and "&apos;s".
  const std::vector<double> unknown{0, 0, 2};
  QCOMPARE(compareSystems(raw).unknownWords, unknown);
  QCOMPARE(compareSystems(tokens).unknownWords, unknown);
  TextPipeline pipeline =
      TextPipeline::load(findTestSet(fixture.workspace, "small/test").textFolder);
  QCOMPARE(tokens.subwordReference.size(), std::size_t{3});
  QCOMPARE(tokens.subwordReference[2], pipeline.units(Side::kTarget, fixture.tokens[2]));
  QVERIFY(tokens.subwordReference[2] != fixture.tokens[2]);
  StoredComparison neither = fixture.of({"a", "b"});
  neither.counts = neither.vocabulary = false;
  const ComparisonInput without = comparisonInput(fixture.workspace, neither);
  QVERIFY(!without.counts && !without.vocabulary);
}

void TestStoredComparison::takesRowsFromTheCache() {
  Systems fixture;
  fixture.importTwo();
  StoredComparison wanted = fixture.of({"a", "b"}, TextState::kRaw);
  wanted.options.metrics = {"bleu", "chrf", "ter"};
  wanted.options.baseline = "b";
  ComparisonInput input = comparisonInput(fixture.workspace, wanted);
  const auto entries = [&] { return contentOf(fixture.workspace.root() / "cache/scores"); };
  const auto scoresOf = [](const Comparison& comparison) {
    std::vector<double> scores;
    for (const MetricComparison& metric : comparison.metrics) {
      for (const SystemScore& system : metric.systems) {
        scores.insert(scores.end(), {system.score, system.difference, system.interval->mean});
      }
    }
    return scores;
  };
  const auto fresh = scoresOf(compareSystems(input));
  const auto kept = entries();
  QCOMPARE(kept.size(), std::size_t{6});
  QCOMPARE(scoresOf(compareSystems(input)), fresh);
  QCOMPARE(entries(), kept);
  input.rowsOf = nullptr;
  QCOMPARE(scoresOf(compareSystems(input)), fresh);
}

void TestStoredComparison::countsTheTrainingText() {
  Systems fixture;
  fixture.importTwo();
  const WordCounts expected{{"the", 3}, {"house", 2}, {"mouse", 2}, {"old", 2},
                            {"a", 1},   {".", 1},     {"!", 1}};
  const auto counts = [&](const Lines& names) {
    return comparisonInput(fixture.workspace, fixture.of(names)).counts;
  };
  QVERIFY(counts({"a", "b"}) == expected);  // from ids, whose units are joined
  const auto kept = contentOf(fixture.workspace.root() / "cache/counts");
  QCOMPARE(kept.size(), std::size_t{1});
  QVERIFY(counts({"a", "b"}) == expected);
  for (const std::string damage : {"", "x", "0123456789abcdef0123456789abcdef\n9 the\n"}) {
    put(kept.begin()->first, damage);
    QVERIFY(counts({"a", "b"}) == expected);
    // The order of words is not settled; the counts are whole again.
    QCOMPARE(readFile(kept.begin()->first).size(), kept.begin()->second.size());
  }
  // If some words of the training text have no ids, the text is stored in addition.
  const Dataset small = fixture.prepare(0, 3);
  QVERIFY(fs::exists(small.trainTokens(1)));
  fixture.import("c", SystemsFixture::textOf(fixture.raw));
  fixture.import("d", SystemsFixture::textOf(fixture.raw));
  QVERIFY(counts({"c", "d"}) == expected);
}

void TestStoredComparison::knowsWordsBehindSubwords() {
  Systems fixture;
  fixture.importTwo();
  // No training sentence has an i or an &: "it" and "&apos;s" cannot be written with its units.
  const Comparison split =
      compareSystems(comparisonInput(fixture.workspace, fixture.of({"a", "b"})));
  QCOMPARE(split.unknownWords, (std::vector<double>{0, 0, 2}));
  // Of the words alone those are known that the training text has most: the, house, mouse, old.
  fixture.prepare(0, 4);
  fixture.import("c", SystemsFixture::textOf(fixture.raw));
  fixture.import("d", SystemsFixture::textOf(fixture.raw));
  StoredComparison words = fixture.of({"c", "d"});
  const ComparisonInput input = comparisonInput(fixture.workspace, words);
  QVERIFY(input.subwordReference.empty());
  QCOMPARE(compareSystems(input).unknownWords, (std::vector<double>{1, 2, 3}));
}

void TestStoredComparison::groupsSeeds() {
  Systems fixture;
  const RunSummary first = fixture.run("s1", 1), second = fixture.run("s2", 2);
  const RunSummary p = fixture.run("p1", 1, 0.3), q = fixture.run("p2", 2, 0.3);
  for (const RunSummary& run : {first, second, p, q}) fixture.output(run);
  fixture.import("alone", SystemsFixture::textOf(fixture.raw));
  QCOMPARE(fixture.groups({"s1", "s2", "alone"}), (Lines{"mlrf/base", "mlrf/base", ""}));
  QCOMPARE(fixture.groups({"s1", "p1", "alone"}), (Lines{"", "", ""}));
  QCOMPARE(fixture.groups({"p2", "s1", "p1"}), (Lines{"mlrf/base", "", "mlrf/base"}));
  // Two groups of one preset have names of their own.
  const Lines both = fixture.groups({"s1", "p1", "s2", "p2"});
  QVERIFY(both[0] == both[2] && both[1] == both[3] && both[0] != both[1]);
  QHOLDS(both[0], "s1");
  // Two checkpoints of a run are no two seeds.
  fixture.output(first, "step-00000200");
  QCOMPARE(fixture.groups({"s1 step-100", "s1 step-200"}), (Lines{"", ""}));
  QCOMPARE(fixture.groups({"s1 step-100", "s2", "s1 step-200"}),
           (Lines{"mlrf/base", "mlrf/base", ""}));
}

void TestStoredComparison::turnsScores() {
  Systems fixture;
  fixture.import("marian", "0 ||| a ||| -0.5\n0 ||| b ||| -1\n1 ||| c ||| -inf\n2 ||| d ||| -2\n");
  fixture.import("sockeye", "0.5\ta\n-inf\t\n2.0\td\n");
  const ComparisonInput input =
      comparisonInput(fixture.workspace, fixture.of({"marian", "sockeye"}));
  for (const ComparedSystem& system : input.systems) {
    QCOMPARE(system.confidence.size(), std::size_t{3});
    QCOMPARE(system.confidence[0], -0.5);
    QVERIFY(std::isnan(system.confidence[1]));
    QCOMPARE(system.confidence[2], -2.0);
  }
  QCOMPARE(input.systems[0].nbest, (std::vector<Lines>{{"a", "b"}, {"c"}, {"d"}}));
  QVERIFY(input.systems[1].nbest.empty());
}

void TestStoredComparison::refusesOtherSets() {
  Systems fixture;
  fixture.importTwo();
  fixture.import("v", "the mouse\n", "small/valid");
  StoredComparison mixed = fixture.of({"a", "b"});
  mixed.systems.push_back(findSystem(listSystems(fixture.workspace), "v"));
  QHOLDS(usageErrorOf([&] { comparisonInput(fixture.workspace, mixed); }),
         "v translates small/valid, not small/test");
  mixed.testSet = "small/x";
  QHOLDS(usageErrorOf([&] { comparisonInput(fixture.workspace, mixed); }), "no test set 'small/x'");
  put(fixture.workspace.root() / "systems/a/output.tokens",
      "the house ,\na mouse !\nit &apos;s old .\n");
  QHOLDS(errorOf([&] {
           comparisonInput(fixture.workspace, fixture.of({"a", "b"}));
         }),
         "output.tokens: its content has changed");
}

STRATA_GUILESS_TEST(TestStoredComparison)
#include "test_stored_comparison.moc"
