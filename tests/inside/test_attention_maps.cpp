#include <QtTest>
#include <cmath>
#include <random>

#include "core/base/error.h"
#include "core/inside/attention_maps.h"
#include "tests/inside/recording_fixture.h"
#include "tests/near.h"
#include "tests/program.h"

using namespace strata;
using strata::testing::nearSingle;

using Words = std::vector<std::string>;
using Kind = AttentionKind;
constexpr int kMean = AttentionChoice::kMean;

class TestAttentionMaps : public QObject {
  Q_OBJECT
 private slots:
  void headsOfATransformer();
  void partsOfADenseDecoder();
  void aJointSoftmaxIsCutAtTheBorder();
  void aRecordingOfAnotherSizeIsLeftOut();
  void meansAreOverLayersAndHeads();
  void wordsAddColumnsAndAverageRows();
  void evennessOfKnownRows();
  void aRowReadsOnlyWhatPrecedesIt();
  void figuresLeaveTheEndOut();
  void errorRateOfKnownLinks();
  void goldOfOtherWordsIsIgnored();
  void differenceOfTwoMaps();
  void otherWordsAreRefused();
  void theSameSentenceIsFoundByItsWords();
};

namespace {

// Rows of random positive weights that sum to 1; above the diagonal 0 if causal.
std::vector<float> randomMaps(std::size_t units, std::size_t rows, std::size_t columns, int seed,
                              bool causal = false) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(0.01f, 1);
  std::vector<float> values;
  for (std::size_t unit = 0; unit < units; ++unit) {
    for (std::size_t row = 0; row < rows; ++row) {
      std::vector<float> weights(columns);
      float sum = 0;
      for (std::size_t column = 0; column < (causal ? row + 1 : columns); ++column)
        sum += weights[column] = uniform(random);
      for (const float weight : weights) values.push_back(weight / sum);
    }
  }
  return values;
}

constexpr std::size_t kHeads = 3, kSources = 4, kTargets = 5;

// Two layers of a Transformer: "ein klei@@ ner </s>" -> "a lit@@ tle one </s>".
SentenceRecordings transformerSentence() {
  SentenceRecordings made;
  made.source = {"ein", "klei@@", "ner", "</s>"};
  made.target = {"a", "lit@@", "tle", "one", "</s>"};
  const auto heads = std::int64_t(kHeads), s = std::int64_t(kSources), t = std::int64_t(kTargets);
  for (int layer = 0; layer < 2; ++layer) {
    Recording encoder =
        fixture::recording("self_attn", "attention", {"head", "source", "source"}, {heads, s, s},
                           randomMaps(kHeads, kSources, kSources, 1 + layer), layer);
    encoder.info.side = "encoder";
    encoder.info.name = "encoder.layers." + std::to_string(layer) + ".self_attn";
    made.recordings.push_back(encoder);
    made.recordings.push_back(fixture::recording(
        "self_attn", "attention", {"head", "target", "history"}, {heads, t, t},
        randomMaps(kHeads, kTargets, kTargets, 3 + layer, /*causal=*/true), layer));
    made.recordings.push_back(
        fixture::recording("encoder_attn", "attention", {"head", "target", "source"}, {heads, t, s},
                           randomMaps(kHeads, kTargets, kSources, 5 + layer), layer));
  }
  return made;
}

const Recording& recordingNamed(const SentenceRecordings& sentence, const std::string& name) {
  for (const Recording& recording : sentence.recordings) {
    if (recording.info.name == name) return recording;
  }
  qFatal("no recording %s", name.c_str());
}

// Weights of one map with these labels.
AttentionMap mapOf(Words rows, Words columns, std::vector<float> values) {
  AttentionMap map;
  map.weights = {int(rows.size()), int(columns.size()), std::move(values)};
  map.rows = std::move(rows);
  map.columns = std::move(columns);
  return map;
}

}  // namespace

void TestAttentionMaps::headsOfATransformer() {
  const SentenceRecordings sentence = transformerSentence();
  const auto layers = attentionLayers(sentence);
  QCOMPARE(layers.size(), 6U);  // encoder 1, 2; history 1, 2; source 1, 2
  QCOMPARE(layers[0], (AttentionLayer{Kind::kEncoder, 0, 3, true, false}));
  QCOMPARE(layers[3], (AttentionLayer{Kind::kHistory, 1, 3, true, false}));
  QCOMPARE(layers[5], (AttentionLayer{Kind::kSource, 1, 3, true, false}));
  const AttentionMap map = attentionMap(sentence, {Kind::kSource, 1, 2}, TextLevel::kTokens);
  QCOMPARE(map.rows, sentence.target);
  QCOMPARE(map.columns, sentence.source);
  const auto& recorded = recordingNamed(sentence, "decoder.layers.1.encoder_attn").values;
  for (int row = 0; row < 5; ++row) {
    for (int column = 0; column < 4; ++column)
      QCOMPARE(map.weights.at(row, column), recorded[std::size_t((2 * 5 + row) * 4 + column)]);
  }
  const AttentionMap history = attentionMap(sentence, {Kind::kHistory, 0, 0}, TextLevel::kTokens);
  QCOMPARE(history.columns, Words({"</s>", "a", "lit@@", "tle", "one"}));
  QVERIFY(history.causal);
  QVERIFY(attentionMap(sentence, {Kind::kSource, 2, 0}, TextLevel::kTokens).isEmpty());
  QVERIFY(attentionMap(sentence, {Kind::kSource, 0, 3}, TextLevel::kTokens).isEmpty());
}

// One recording per attention, in the order of their names: attn.10 comes before attn.2.
void TestAttentionMaps::partsOfADenseDecoder() {
  SentenceRecordings sentence;
  sentence.source = {"x", "</s>"};
  sentence.target = {"</s>"};
  for (const int part : {0, 1, 10, 2}) {
    sentence.recordings.push_back(fixture::recording("attn." + std::to_string(part), "attention",
                                                     {"target", "source"}, {1, 2},
                                                     {float(part) / 10, 1 - float(part) / 10}, 3));
  }
  const auto layers = attentionLayers(sentence);
  QCOMPARE(layers.size(), 1U);
  QCOMPARE(layers[0], (AttentionLayer{Kind::kSource, 3, 11, false, false}));
  const auto first = [&](int unit) {
    return attentionMap(sentence, {Kind::kSource, 3, unit}, TextLevel::kTokens).weights.at(0, 0);
  };
  QCOMPARE(first(2), 0.2f);
  QCOMPARE(first(10), 1.0f);
  QVERIFY(nearSingle(double(first(kMean)), 1.3 / 4));
}

void TestAttentionMaps::aJointSoftmaxIsCutAtTheBorder() {
  const SentenceRecordings sentence = fixture::jointSentence();
  const auto layers = attentionLayers(sentence);
  QCOMPARE(layers.size(), 2U);
  QVERIFY(layers[0].joint && layers[1].joint);
  const AttentionMap source = attentionMap(sentence, {Kind::kSource, 0, 0}, TextLevel::kTokens);
  const AttentionMap history = attentionMap(sentence, {Kind::kHistory, 0, 0}, TextLevel::kTokens);
  QCOMPARE(source.weights.values,
           std::vector<float>({0.5f, 0.25f, 0, 0.1f, 0.5f, 0.1f, 0, 0.25f, 0.25f}));
  QCOMPARE(history.weights.values,
           std::vector<float>({0.25f, 0, 0, 0.1f, 0.2f, 0, 0, 0.25f, 0.25f}));
  // The evenness of a part is that of its own distribution: (0.25, 0.25) of three columns.
  QVERIFY(nearSingle(rowEvenness(source, 2), std::log(2) / std::log(3)));
}

void TestAttentionMaps::aRecordingOfAnotherSizeIsLeftOut() {
  SentenceRecordings sentence = transformerSentence();
  sentence.source.push_back("more");
  const auto layers = attentionLayers(sentence);
  QCOMPARE(layers.size(), 2U);  // only the history still fits
  QCOMPARE(layers[0].kind, Kind::kHistory);
  QVERIFY(attentionLayers(fixture::sentence(0, 0)).empty());  // hop weights are no attention
}

void TestAttentionMaps::meansAreOverLayersAndHeads() {
  const SentenceRecordings sentence = transformerSentence();
  const AttentionMap mean = attentionMap(sentence, {Kind::kSource}, TextLevel::kTokens);
  const AttentionMap ofHead = attentionMap(sentence, {Kind::kSource, kMean, 1}, TextLevel::kTokens);
  for (int row = 0; row < 5; ++row) {
    QVERIFY(nearSingle(double(rowSum(mean.weights, row)), 1));
    for (int column = 0; column < 4; ++column) {
      double all = 0, head = 0;
      for (const char* layer : {"decoder.layers.0.encoder_attn", "decoder.layers.1.encoder_attn"}) {
        const auto& values = recordingNamed(sentence, layer).values;
        for (int h = 0; h < 3; ++h) {
          const auto weight = double(values[std::size_t((h * 5 + row) * 4 + column)]);
          all += weight / 6;
          if (h == 1) head += weight / 2;
        }
      }
      QVERIFY(nearSingle(double(mean.weights.at(row, column)), all));
      QVERIFY(nearSingle(double(ofHead.weights.at(row, column)), head));
    }
  }
}

void TestAttentionMaps::wordsAddColumnsAndAverageRows() {
  const SentenceRecordings sentence = transformerSentence();
  const AttentionMap tokens = attentionMap(sentence, {Kind::kSource, 0, 0}, TextLevel::kTokens);
  const AttentionMap words = attentionMap(sentence, {Kind::kSource, 0, 0}, TextLevel::kWords);
  QCOMPARE(words.rows, Words({"a", "little", "one", "</s>"}));
  QCOMPARE(words.columns, Words({"ein", "kleiner", "</s>"}));
  const auto at = [&](int row, int column) { return double(tokens.weights.at(row, column)); };
  QVERIFY(nearSingle(double(words.weights.at(0, 1)), at(0, 1) + at(0, 2)));
  QVERIFY(
      nearSingle(double(words.weights.at(1, 1)), (at(1, 1) + at(1, 2) + at(2, 1) + at(2, 2)) / 2));
  for (int row = 0; row < 4; ++row) QVERIFY(nearSingle(double(rowSum(words.weights, row)), 1));
}

void TestAttentionMaps::evennessOfKnownRows() {
  const AttentionMap map =
      mapOf({"u", "p", "q", "z"}, {"a", "b", "c", "d"},
            {0.25f, 0.25f, 0.25f, 0.25f, 1, 0, 0, 0, 0.5f, 0.5f, 0, 0, 0, 0, 0, 0});
  QVERIFY(nearSingle(rowEvenness(map, 0), 1));
  QVERIFY(nearSingle(rowEvenness(map, 1), 0));
  QVERIFY(nearSingle(rowEvenness(map, 2), 0.5));  // ln 2 / ln 4
  QVERIFY(std::isnan(rowEvenness(map, 3)));
}

void TestAttentionMaps::aRowReadsOnlyWhatPrecedesIt() {
  AttentionMap map =
      mapOf({"a", "b", "c"}, {"</s>", "a", "b"}, {1, 0, 0, 0.5f, 0.5f, 0, 0.5f, 0.25f, 0.25f});
  map.causal = true;
  QCOMPARE(readableColumns(map, 0), 1);
  QVERIFY(std::isnan(rowEvenness(map, 0)));     // there is no choice
  QVERIFY(nearSingle(rowEvenness(map, 1), 1));  // uniform over two of three columns
  map.causal = false;
  QVERIFY(nearSingle(rowEvenness(map, 1), std::log(2) / std::log(3)));
  // A word whose second piece reads its first one.
  const AttentionMap words =
      attentionMap(transformerSentence(), {Kind::kHistory, 0, 0}, TextLevel::kWords);
  QCOMPARE(words.columns, Words({"</s>", "a", "little", "one"}));
  QCOMPARE(readableColumns(words, 1), 3);
}

void TestAttentionMaps::figuresLeaveTheEndOut() {
  RecordedStep step;
  step.sentences = {transformerSentence()};
  const AttentionFigures figures = attentionFigures(step, {Kind::kSource, 1, 0});
  const AttentionMap words =
      attentionMap(step.sentences[0], {Kind::kSource, 1, 0}, TextLevel::kWords);
  double evenness = 0, largest = 0;
  for (int row = 0; row < 3; ++row) {
    evenness += rowEvenness(words, row) / 3;
    double most = 0;
    for (int column = 0; column < 3; ++column)
      most = std::max(most, double(words.weights.at(row, column)));
    largest += most / 3;
  }
  QCOMPARE(figures.largest.count, 3);
  QVERIFY(nearSingle(figures.evenness.mean(), evenness));
  QVERIFY(nearSingle(figures.largest.mean(), largest));
  QCOMPARE(figures.alignedSentences, 0);
}

// "ein Hund schläft" -> "a dog sleeps": links 0-0, 1-1 and 2-2 of the words; gold has 0-0 and 2-2
// sure and 2-1 possible. |A| = 3, |S| = 2, |A n S| = 2, |A n P| = 2: 1 - 4/5.
void TestAttentionMaps::errorRateOfKnownLinks() {
  RecordedStep step;
  step.sentences = {fixture::gateSentence(7)};
  const AttentionMap words = attentionMap(step.sentences[0], {Kind::kSource}, TextLevel::kWords);
  const SentenceAlignment links = strongestLinks(words);
  QCOMPARE(links.sure, (std::vector<AlignmentLink>{{0, 0}, {1, 1}, {2, 2}}));
  step.links[7] = parseAlignments("0-0 2-2 2?1\n", "here", {AlignmentFormat::kMixed}).sentences[0];
  const AttentionFigures figures = attentionFigures(step, {Kind::kSource});
  QCOMPARE(figures.alignedSentences, 1);
  QVERIFY(nearSingle(aer(figures.alignment), 0.2));
  QCOMPARE(attentionFigures(step, {Kind::kHistory}).alignedSentences, 0);
  // A word that looks at the end of the source, or at nothing, has no link.
  const AttentionMap none = mapOf({"a", "b", "c", "</s>"}, {"x", "y", "</s>"},
                                  {0.2f, 0.2f, 0.6f, 0, 0, 0, 0.4f, 0.4f, 0.2f, 1, 0, 0});
  QCOMPARE(strongestLinks(none).sure, (std::vector<AlignmentLink>{{0, 2}}));
}

void TestAttentionMaps::goldOfOtherWordsIsIgnored() {
  RecordedStep step;
  step.sentences = {fixture::gateSentence(7)};
  step.links[7] = parseAlignments("0-0 2-9\n", "here", {AlignmentFormat::kPharaoh}).sentences[0];
  QCOMPARE(attentionFigures(step, {Kind::kSource}).alignedSentences, 0);
}

void TestAttentionMaps::differenceOfTwoMaps() {
  const AttentionMap a = mapOf({"u", "v"}, {"x", "y"}, {1, 0, 0.25f, 0.75f});
  const AttentionMap b = mapOf({"u", "v"}, {"x", "y"}, {0, 1, 0.5f, 0.5f});
  QCOMPARE(attentionDifference(a, b).weights.values, std::vector<float>({-1, 1, 0.25f, -0.25f}));
  QCOMPARE(attentionDifference(a, a).weights.values, std::vector<float>(4, 0));
}

void TestAttentionMaps::otherWordsAreRefused() {
  const AttentionMap a = mapOf({"he", "goes"}, {"x"}, {1, 1});
  for (const Words& other : {Words{"he", "went"}, Words{"he"}, Words{"he", "goes", "home"}}) {
    const AttentionMap b = mapOf(other, {"x"}, std::vector<float>(other.size(), 1));
    QString message;
    try {
      attentionDifference(a, b);
    } catch (const Error& error) {
      message = QString::fromUtf8(error.what());
    }
    QVERIFY2(message.contains(other.size() == 3 ? "word 3" : "word 2"), qPrintable(message));
  }
}

void TestAttentionMaps::theSameSentenceIsFoundByItsWords() {
  const SentenceRecordings wanted = fixture::gateSentence(3);
  SentenceRecordings whole = wanted;  // another vocabulary: whole words, another number
  whole.sentence = 5;
  whole.source = {"ein", "Hund", "schläft", "</s>"};
  whole.target = {"a", "dog", "sleeps", "</s>"};
  SentenceRecordings paraphrase = wanted;
  paraphrase.sentence = 9;
  paraphrase.target = {"the", "dog", "sleeps", "</s>"};
  const SentenceRecordings other = fixture::jointSentence(3);
  std::vector<SentenceRecordings> all{other, paraphrase, whole};
  QCOMPARE(sameSentence(wanted, all), &all[2]);
  all.pop_back();
  QCOMPARE(sameSentence(wanted, all), &all[1]);
  all.pop_back();
  QCOMPARE(sameSentence(wanted, all), &all[0]);  // of the same number: its words will be refused
  all.clear();
  QVERIFY(sameSentence(wanted, all) == nullptr);
}

STRATA_APPLESS_TEST(TestAttentionMaps)
#include "test_attention_maps.moc"
