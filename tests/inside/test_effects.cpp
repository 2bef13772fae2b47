// Effects of switching parts off, from losses and weights that a person can check.
#include <QtTest>
#include <cmath>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/inside/effect_bleu.h"
#include "core/inside/effects_report.h"
#include "tests/fixture.h"
#include "tests/program.h"

using namespace strata;

class TestEffects : public QObject {
  Q_OBJECT
 private slots:
  void piecesHaveTheClassOfTheirWord();
  void effectsArePerToken();
  void intervalsAreOfResampledSentences();
  void roundingIsNoEffect();
  void spearmanEqualsPublishedExamples();
  void correlationsNeedUnitsAndWeights();
  void intervalsOfCorrelationsFollowTheSentences();
  void sharesAreOfRootMeanSquares();
  void blocksWeighWhatTheirReadersReadOfThem();
  void listsAreThirdsOfAGroup();
  void bleuChangesWithAnInterval();
  void changesOfBleuAreCorrelatedWithWeights();
  void reportsComeBackFromTheirFile();
  void whatIsUnknownIsNamed();
  void aConfigurationTellsItsKinds();
};

namespace {

constexpr auto kFunction = static_cast<std::size_t>(WordClass::kFunction),
               kContent = static_cast<std::size_t>(WordClass::kContent);

// Sentences of one function and one content word each, with a loss of 1 nat per word.
MeasuredEffects plain(std::size_t sentences) {
  MeasuredEffects measured;
  for (std::size_t s = 0; s < sentences; ++s) {
    measured.tokens.push_back({});
    measured.with.push_back({});
    for (const std::size_t each : {kFunction, kContent}) {
      measured.tokens[s][each] = 1;
      measured.with[s][each] = 1;
    }
  }
  return measured;
}

// A unit without which content words cost `more` nats more, by sentence.
MeasuredUnit unit(const MeasuredEffects& measured, const std::vector<double>& more) {
  MeasuredUnit made{.name = "unit", .intervention = "x=zero", .group = "decoder"};
  made.without = measured.with;
  for (std::size_t s = 0; s < more.size(); ++s) made.without[s][kContent] += more[s];
  return made;
}

// The same weight in every sentence, of two positions each.
MeasuredUnit weighing(MeasuredUnit unit, double weight) {
  unit.weight.assign(unit.without.size(), 2 * weight);
  unit.positions.assign(unit.without.size(), 2);
  return unit;
}

bool exactly(double a, double b) {
  return std::abs(a - b) < 1e-12;
}

}  // namespace

void TestEffects::piecesHaveTheClassOfTheirWord() {
  const auto classes =
      classesOfTokens({"the", "hou@@", "se", "in", "19@@", "84", ".", "</s>"}, "en");
  using enum WordClass;
  QCOMPARE(classes, (std::vector<WordClass>{kFunction, kContent, kContent, kFunction, kNumber,
                                            kNumber, kPunctuation, kEnd}));
  QVERIFY(classesOfTokens({}, "en").empty());
}

// Three sentences of two tokens: 0.3 + 0.6 + 0 nats more over six tokens, all in content words.
void TestEffects::effectsArePerToken() {
  MeasuredEffects measured = plain(3);
  measured.units.push_back(unit(measured, {0.3, 0.6, 0}));
  const EffectStatistics found = effectStatistics(measured);
  QCOMPARE(found.sentences, std::int64_t{3});
  QCOMPARE(found.tokens, std::int64_t{6});
  QVERIFY(exactly(found.loss, 1));
  QVERIFY(exactly(found.units[0].effect, 0.15));
  QVERIFY(exactly(found.units[0].byClass[kFunction], 0));
  QVERIFY(exactly(found.units[0].byClass[kContent], 0.3));
  QVERIFY(std::isnan(found.units[0].byClass[static_cast<std::size_t>(WordClass::kNumber)]));
  QVERIFY(std::isnan(found.units[0].weight));
}

// A quarter of the resamples of two sentences holds only the first, a quarter only the second: they
// are the ends of the interval. Equal sentences leave no interval.
void TestEffects::intervalsAreOfResampledSentences() {
  MeasuredEffects measured = plain(2);
  measured.units.push_back(unit(measured, {-0.2, 0.6}));
  measured.units.push_back(unit(measured, {0.4, 0.4}));
  const auto units = effectStatistics(measured).units;
  QVERIFY(exactly(units[0].effect, 0.1) && exactly(units[0].low, -0.1) &&
          exactly(units[0].high, 0.3));
  QVERIFY(exactly(units[1].low, 0.2) && exactly(units[1].high, 0.2));
  QVERIFY(!units[0].decided() && units[1].decided());
}

void TestEffects::roundingIsNoEffect() {
  MeasuredEffects measured = plain(2);
  measured.units.push_back(unit(measured, {1e-7, 2e-7}));
  QVERIFY(!effectStatistics(measured).units[0].decided());
}

void TestEffects::spearmanEqualsPublishedExamples() {
  // https://en.wikipedia.org/wiki/Spearman%27s_rank_correlation_coefficient: IQ and hours of TV.
  QVERIFY(exactly(spearman({106, 100, 86, 101, 99, 103, 97, 113, 112, 110},
                           {7, 27, 2, 50, 28, 29, 20, 12, 6, 17}),
                  -29.0 / 165));
  // Ties have the mean of their ranks: ranks 1, 2.5, 2.5, 4 and 1, 3, 2, 4 have the covariance 4.5
  // and the squares 4.5 and 5.
  QVERIFY(exactly(spearman({1, 2, 2, 3}, {1, 5, 4, 9}), 4.5 / std::sqrt(4.5 * 5)));
  QVERIFY(std::isnan(spearman({1, 1, 1}, {1, 2, 3})));
}

void TestEffects::correlationsNeedUnitsAndWeights() {
  const auto noneOf = [](std::size_t units, double step, bool weights) {
    MeasuredEffects measured = plain(3);
    for (std::size_t u = 0; u < units; ++u) {
      const auto place = static_cast<double>(u);
      MeasuredUnit each = unit(measured, {place, place, place});
      measured.units.push_back(weights ? weighing(each, 0.1 + step * place) : each);
    }
    return effectStatistics(measured).correlations.at(0);
  };
  QVERIFY(holds(noneOf(5, 0.1, true).none, "5 units are too few"));
  QVERIFY(holds(noneOf(6, 0, true).none, "the same weight"));
  QVERIFY(holds(noneOf(6, 0.1, false).none, "no weight"));
  const EffectCorrelation found = noneOf(6, 0.1, true);
  QVERIFY(found.none.empty());
  QVERIFY(exactly(found.rho, 1) && exactly(found.low, 1) && exactly(found.high, 1));
  QVERIFY(exactly(noneOf(6, -0.01, true).rho, -1));
  QCOMPARE(textOf(found), std::string("decoder: Spearman 1.00 (1.00 to 1.00), 6 units"));
}

// In one sentence effects rise with weights, in the other they fall: resamples of only one of them
// give 1 and -1.
void TestEffects::intervalsOfCorrelationsFollowTheSentences() {
  MeasuredEffects measured = plain(2);
  for (int u = 0; u < 6; ++u)
    measured.units.push_back(weighing(unit(measured, {2.0 * u, 5.0 - u}), 0.1 * (u + 1)));
  const EffectCorrelation found = effectStatistics(measured).correlations.at(0);
  QVERIFY(exactly(found.rho, 1) && exactly(found.low, -1) && exactly(found.high, 1));
}

// Mean squares 9 and 1 (roots 3 and 1): shares of 3/4 and 1/4.
void TestEffects::sharesAreOfRootMeanSquares() {
  MeasuredEffects measured = plain(2);
  for (const double square : {9.0, 1.0}) {
    MeasuredUnit each = weighing(unit(measured, {0, 0}), square);
    each.shareOf = "layer 1";
    measured.units.push_back(each);
  }
  const auto units = effectStatistics(measured).units;
  QVERIFY(exactly(units[0].weight, 0.75) && exactly(units[1].weight, 0.25));
}

// A reader with squares 9 + 27 = 36, 4 and 0 of three blocks (roots 6, 2 and 0) reads shares 3/4,
// 1/4 and 0, another one with squares 1 and 9 shares 1/4 and 3/4; a third reads nothing of its
// blocks and does not count. A unit that is two blocks of a reader has both shares.
void TestEffects::blocksWeighWhatTheirReadersReadOfThem() {
  MeasuredEffects measured = plain(2);
  measured.readers = {{{{9, 27}, {3, 1}, {0, 0}}}, {{{0.5, 0.5}, {4.5, 4.5}}}, {{{0, 0}, {0, 0}}}};
  const auto reads = [&](std::vector<BlockOfReader> blocks) {
    measured.units.push_back(unit(measured, {0, 0}));
    measured.units.back().reads = std::move(blocks);
  };
  reads({{0, 0}, {1, 0}, {2, 0}});
  reads({{0, 0}, {0, 1}, {1, 1}});
  reads({{0, 2}});
  reads({{2, 1}});
  const auto units = effectStatistics(measured).units;
  QVERIFY(exactly(units[0].weight, (0.75 + 0.25) / 2));
  QVERIFY(exactly(units[1].weight, (1 + 0.75) / 2));
  QCOMPARE(units[2].weight, 0.0);
  QVERIFY(std::isnan(units[3].weight));
}

// Of six units in a group two are the top third and two the bottom third by weight; in a second
// group the thirds are its own.
void TestEffects::listsAreThirdsOfAGroup() {
  MeasuredEffects measured = plain(2);
  const std::vector<double> effects{0.5, 0, 0, 0.5, 0, 0.5};
  for (std::size_t u = 0; u < effects.size(); ++u)
    measured.units.push_back(
        weighing(unit(measured, {effects[u], effects[u]}), 0.1 * static_cast<double>(u + 1)));
  for (const double weight : {0.9, 0.01, 0.5}) {
    measured.units.push_back(weighing(unit(measured, {0, 0}), weight));
    measured.units.back().group = "encoder";
  }
  std::vector<std::string> lists;
  for (const UnitEffect& each : effectStatistics(measured).units)
    lists.emplace_back(nameOf(each.list));
  QCOMPARE(lists,
           (std::vector<std::string>{"effect without weight", "", "", "", "weight without effect",
                                     "", "weight without effect", "", ""}));
}

// The model repeats the references. Without the first unit the second sentence is lost: of n-grams
// of every order half are right, BLEU 50; a quarter of the resamples of two sentences holds only
// the one, with 100 as before, or only the other, with 0. Without the second unit nothing changes.
void TestEffects::bleuChangesWithAnInterval() {
  MeasuredEffects measured = plain(2);
  for (int i = 0; i < 2; ++i) measured.units.push_back(unit(measured, {0, 0}));
  EffectsReport report{.statistics = effectStatistics(measured)};
  QVERIFY(bleuCaptionOf(report).empty());
  QVERIFY(!toJson(report).contains("bleu"));
  QVERIFY(!holds(textTable(effectsTable(report)), "BLEU"));
  const std::vector<std::string> references{"a b c d e", "f g h i j"};
  MeasuredTranslations translations{.references = {references},
                                    .with = references,
                                    .without = {{"a b c d e", "v w x y z"}, references},
                                    .beam = 4};
  addBleu(report.statistics, translations);
  QVERIFY(exactly(report.statistics.bleu->score, 100));
  const BleuChange first = report.statistics.units[0].bleu,
                   second = report.statistics.units[1].bleu;
  QVERIFY(exactly(first.change, -50) && exactly(first.low, -100) && exactly(first.high, 0));
  QVERIFY(exactly(second.change, 0) && exactly(second.low, 0) && exactly(second.high, 0));
  const EffectsReport back = effectsReportFrom(toJson(report));
  QCOMPARE(toJson(back).dump(), toJson(report).dump());
  QCOMPARE(back.statistics.bleu->beam, 4);
  QVERIFY(exactly(back.statistics.units[0].bleu.low, -100));
  QVERIFY(holds(bleuCaptionOf(back), "BLEU 100.00 of the model's translations (beam 4; "));
  QVERIFY(holds(textTable(effectsTable(back)), "-50.00"));
  translations.without.pop_back();
  QVERIFY_THROWS_EXCEPTION(Error, addBleu(report.statistics, translations));
}

// In one resample the changes rise with the weights, in the other they fall: the interval lies
// between 1 and -1. What is drawn of all sentences rises but for one pair.
void TestEffects::changesOfBleuAreCorrelatedWithWeights() {
  MeasuredEffects measured = plain(2);
  for (int u = 0; u < 6; ++u)
    measured.units.push_back(weighing(unit(measured, {1, 1}), 0.1 * (u + 1)));
  EffectsReport report{.statistics = effectStatistics(measured)};
  QVERIFY(holds(report.statistics.correlations.at(0).none, "the same effect"));
  const std::vector<double> all{0, 1, 2, 3, 5, 4};
  const auto found =
      bleuCorrelations(report.statistics.units, {{0, 1, 2, 3, 4, 5}, {5, 4, 3, 2, 1, 0}, all});
  QCOMPARE(found.size(), std::size_t{1});
  QVERIFY(exactly(found[0].rho, 1 - 6.0 * 2 / (6 * 35)));  // 1 - 6 Σ d² / (n (n² - 1))
  QVERIFY(exactly(found[0].low, -0.95) && exactly(found[0].high, 0.95));
  // A report that was stored without them has them, too.
  for (std::size_t u = 0; u < all.size(); ++u) report.statistics.units[u].bleu = {all[u], 0, 0};
  report.statistics.bleu = EffectBleu{.score = 20, .correlations = found};
  QVERIFY(
      exactly(effectsReportFrom(toJson(report)).statistics.bleu->correlations.at(0).low, -0.95));
  Json earlier = toJson(report);
  earlier["bleu"].erase("correlations");
  const auto back = effectsReportFrom(earlier).statistics.bleu->correlations;
  QCOMPARE(textOf(back.at(0)), std::string("decoder: Spearman 0.94, 6 units"));
}

void TestEffects::reportsComeBackFromTheirFile() {
  MeasuredEffects measured = plain(2);
  measured.units.push_back(weighing(unit(measured, {-0.2, 0.6}), 0.25));
  measured.units.back().contribution = measured.units.back().weight;
  const EffectsReport report{.key = {.kind = EffectKind::kCells,
                                     .mode = EffectMode::kMask,
                                     .on = {.checkpoint = "step-00000004",
                                            .set = "valid",
                                            .sentences = 2,
                                            .setSentences = 3,
                                            .model = "digest",
                                            .dataset = "other"}},
                             .run = "fused",
                             .weight = "mean weight",
                             .contribution = "share",
                             .statistics = effectStatistics(measured)};
  const TemporaryFolder folder;
  QVERIFY(storedEffects(folder.path()).empty());
  storeEffects(folder.path(), report);
  QVERIFY(std::filesystem::exists(folder / "effects/step-00000004.valid.2.cells.mask.json"));
  const auto back = storedEffects(folder.path());
  QCOMPARE(back.size(), std::size_t{1});
  QVERIFY(back[0].key == report.key);
  QCOMPARE(toJson(back[0]).dump(), toJson(report).dump());
  QCOMPARE(textTable(effectsTable(back[0])), textTable(effectsTable(report)));
  QVERIFY(holds(textTable(effectsTable(report)), "+0.1000"));
  writeFileAtomic(folder / "effects/damaged.json", "{\"format\": 1");
  QCOMPARE(storedEffects(folder.path()).size(), std::size_t{1});
}

void TestEffects::whatIsUnknownIsNamed() {
  QVERIFY(
      holds(usageErrorOf([] { effectKindNamed("layers"); }), "'layers': expected levels, hops"));
  QVERIFY(holds(usageErrorOf([] { effectModeNamed("half"); }), "mean, zero, mask"));
  QVERIFY(refusalOf(EffectKind::kLevels, EffectMode::kMask).empty());
  QVERIFY(!refusalOf(EffectKind::kHops, EffectMode::kMask).empty());
  QVERIFY(refusalOf(EffectKind::kHops, EffectMode::kZero).empty());
  for (const EffectKind kind : kEffectKinds) QVERIFY(effectKindNamed(nameOf(kind)) == kind);
}

void TestEffects::aConfigurationTellsItsKinds() {
  const auto kindsOf = [](const char* model) {
    std::string kinds;
    for (const EffectKind kind : kEffectKinds) {
      if (lackOf(parseJson(model, "test"), kind).empty()) kinds += std::string(nameOf(kind)) + " ";
    }
    return kinds;
  };
  QCOMPARE(kindsOf(R"({"heads": 4, "encoder_fusion": {"type": "avg"}})"),
           std::string("levels heads contexts "));
  QCOMPARE(kindsOf(R"({"heads": 4, "decoder_fusion": {"type": "sa"}})"),
           std::string("levels hops cells heads contexts "));
  QCOMPARE(kindsOf(R"({"dense_attention": 2})"), std::string("blocks parts "));
  QCOMPARE(kindsOf(R"({"dense_attention": 1})"), std::string("blocks "));
  QCOMPARE(kindsOf(R"({"history": "gate"})"), std::string("contexts gates "));
  QCOMPARE(kindsOf(R"({"history": "hybrid"})"), std::string("contexts "));
  QCOMPARE(kindsOf(R"({"fast_forward": true, "encoder_layers": 1, "decoder_layers": 1})"),
           std::string());
  QCOMPARE(kindsOf(R"({"fast_forward": true, "encoder_layers": 2, "decoder_layers": 1})"),
           std::string("blocks "));
  QVERIFY(holds(lackOf(parseJson(R"({"history": "sum"})", "test"), EffectKind::kHops),
                "This model has no hops of a fusion"));
}

STRATA_APPLESS_TEST(TestEffects)
#include "test_effects.moc"
