#include <QtTest>
#include <cmath>

#include "core/base/files.h"
#include "core/data/dataset.h"
#include "core/data/generator/dataset.h"
#include "core/inside/history_corpus.h"
#include "core/inside/recorded_step.h"
#include "core/inside/target_attention.h"
#include "core/text/words.h"
#include "tests/inside/recording_fixture.h"
#include "tests/near.h"
#include "tests/program.h"

using namespace strata;
using strata::testing::nearSingle;

using Words = std::vector<std::string>;

class TestTargetAttention : public QObject {
  Q_OBJECT
 private slots:
  void rowsAreGeneratedAndColumnsAreRead();
  void labelsHaveNoEscapes();
  void theJointSoftmaxIsSplitAtTheBorder();
  void gateAndNormsBecomeStrips();
  void otherModelsHaveNoHistory();
  void damagedShapesAreLeftOut();
  void mergingSumsColumnsAndAveragesRows();
  void mergingKeepsRowSums();
  void layersAreAveraged();
  void arcsGoToTheTwoMostAttendedEarlierWords();
  void classesComeFromSpellingAndWordLists_data();
  void classesComeFromSpellingAndWordLists();
  void goldLinesAreRead();
  void sharesOfSourceByPositionAndClass();
  void aShareOfNothingIsLeftOutOfMeans();
  void distancesCountWordsNotSubwords();
  void goldHitsStandBesideThePreviousWordAndChance();
  void aWordThatLooksAtNoWordMissesItsHead();
  void goldThatDoesNotFitTheWordsIsIgnored();
  void aGeneratedDatasetTellsLanguageAndGold();
};

void TestTargetAttention::rowsAreGeneratedAndColumnsAreRead() {
  const TargetAttention a = targetAttention(fixture::gateSentence());
  QCOMPARE(a.generated, Words({"a", "dog", "sle@@", "eps", "</s>"}));
  QCOMPARE(a.read, Words({"</s>", "a", "dog", "sle@@", "eps"}));
  QCOMPARE(a.layers.size(), 1U);
  QCOMPARE(a.layers[0].history.at(2, 1), 0.3f);  // "sle@@" was generated, "a" was read
  QCOMPARE(wordsBack(2, 1), 2);                  // ... two words before
  QCOMPARE(wordsBack(4, 4), 1);                  // the diagonal is the previous word
  QVERIFY(!a.layers[0].joint);
}

// What Moses's tokenizer escapes is labelled as a reader writes it, once.
void TestTargetAttention::labelsHaveNoEscapes() {
  SentenceRecordings sentence = fixture::jointSentence();
  sentence.source = {"&quot;Er&quot;", "a&amp;b", "</s>"};
  sentence.target = {"he", "&apos;s", "</s>"};
  const TargetAttention a = targetAttention(sentence);
  QCOMPARE(a.source, Words({"\"Er\"", "a&b", "</s>"}));
  QCOMPARE(a.generated, Words({"he", "'s", "</s>"}));
  QCOMPARE(a.read, Words({"</s>", "he", "'s"}));
}

void TestTargetAttention::theJointSoftmaxIsSplitAtTheBorder() {
  const LayerAttention layer = targetAttention(fixture::jointSentence()).layers[0];
  QVERIFY(layer.joint);
  QCOMPARE(layer.source.values,
           std::vector<float>({0.5f, 0.25f, 0, 0.1f, 0.5f, 0.1f, 0, 0.25f, 0.25f}));
  QCOMPARE(layer.history.values, std::vector<float>({0.25f, 0, 0, 0.1f, 0.2f, 0, 0, 0.25f, 0.25f}));
  const double sums[] = {0.75, 0.7, 0.5};
  for (int row = 0; row < 3; ++row)
    QVERIFY(nearSingle(double(rowSum(layer.source, row)), sums[row]));
}

void TestTargetAttention::gateAndNormsBecomeStrips() {
  const LayerAttention layer = targetAttention(fixture::gateSentence()).layers[0];
  const double means[] = {1, 0.5, 0.5, 0.5, 0}, spreads[] = {0, 0.5, 0, 0.2, 0};
  const double shares[] = {1, 0.5, 0.75, 0.25, 0};
  for (int row = 0; row < 5; ++row) {
    QVERIFY(nearSingle(double(layer.gate.at(row, 0)), means[row]));
    QVERIFY(nearSingle(double(layer.gate.at(row, 1)), spreads[row]));
    QVERIFY(nearSingle(double(layer.share.at(row, 0)), shares[row]));
  }
}

void TestTargetAttention::otherModelsHaveNoHistory() {
  SentenceRecordings sentence = fixture::gateSentence();
  sentence.recordings.erase(sentence.recordings.begin() + 1);
  QVERIFY(!hasHistory(sentence));
  QVERIFY(targetAttention(sentence).isEmpty());
  QCOMPARE(targetAttention(sentence).generated.size(), 5U);
}

void TestTargetAttention::damagedShapesAreLeftOut() {
  SentenceRecordings sentence = fixture::gateSentence();
  sentence.target.push_back("more");
  QVERIFY(targetAttention(sentence).isEmpty());
  sentence = fixture::jointSentence();
  sentence.source.push_back("more");
  QVERIFY(targetAttention(sentence).isEmpty());
}

void TestTargetAttention::mergingSumsColumnsAndAveragesRows() {
  const TargetAttention words = wordsMerged(targetAttention(fixture::gateSentence()));
  QCOMPARE(words.source, Words({"ein", "Hund", "schläft", "</s>"}));
  QCOMPARE(words.generated, Words({"a", "dog", "sleeps", "</s>"}));
  QCOMPARE(words.read, Words({"</s>", "a", "dog", "sleeps"}));
  const LayerAttention& layer = words.layers[0];
  // Row "sleeps" is the mean of two rows; its last column is what "eps" gave to "sle@@".
  const double history[] = {0.1, 0.2, 0.5, 0.2}, end[] = {0, 0.5, 0.25, 0.25};
  const double source[] = {0, 0, 0.8, 0.2};
  for (int column = 0; column < 4; ++column) {
    QVERIFY(nearSingle(double(layer.history.at(2, column)), history[column]));
    QVERIFY(nearSingle(double(layer.history.at(3, column)), end[column]));
    QVERIFY(nearSingle(double(layer.source.at(2, column)), source[column]));
  }
  QVERIFY(nearSingle(double(layer.share.at(2, 0)), 0.5));  // of 0.75 and 0.25
  QVERIFY(nearSingle(double(layer.gate.at(2, 1)), 0.1));   // of 0 and 0.2
}

void TestTargetAttention::mergingKeepsRowSums() {
  SentenceRecordings sentence = fixture::gateSentence();
  sentence.target[4] = "cut@@";  // a hypothesis that ends within a word
  for (const auto& recorded : {fixture::gateSentence(), sentence, fixture::jointSentence()}) {
    const LayerAttention layer = wordsMerged(targetAttention(recorded)).layers[0];
    for (int row = 0; row < layer.history.rows; ++row) {
      const double sum = double(rowSum(layer.history, row) + rowSum(layer.source, row));
      QVERIFY(nearSingle(sum, layer.joint ? 1 : 2));
    }
  }
}

void TestTargetAttention::layersAreAveraged() {
  SentenceRecordings sentence = fixture::gateSentence();
  Recording second = sentence.recordings[1];
  second.info.layer = 1;
  second.values.assign(25, 0);
  sentence.recordings.push_back(second);
  const TargetAttention a = targetAttention(sentence);
  QCOMPARE(a.layers.size(), 2U);
  const LayerAttention mean = meanOfLayers(a);
  QVERIFY(nearSingle(double(mean.history.at(2, 2)), 0.3));
  QVERIFY(nearSingle(double(mean.source.at(0, 0)), 0.8));  // only one of the layers has it
  QCOMPARE(layerOf(a, 1).layer, 1);
  QCOMPARE(layerOf(a, -1).layer, -1);
}

void TestTargetAttention::arcsGoToTheTwoMostAttendedEarlierWords() {
  // clang-format off
  const Grid history{5, 5, {1,    0,    0,    0,    0,
                            0.9f, 0.1f, 0,    0,    0,      // the start symbol is no word
                            0,    0.5f, 0.5f, 0,    0,      // equal: the nearer word first
                            0,    1,    0,    0,    0,      // nothing for a second arc
                            0.1f, 0.5f, 0.1f, 0,    0.3f}};
  // clang-format on
  const std::vector<Arc> expected{{1, 0, 0.1f, false}, {2, 1, 0.5f, false}, {2, 0, 0.5f, true},
                                  {3, 0, 1, false},    {4, 0, 0.5f, false}, {4, 3, 0.3f, true}};
  QCOMPARE(arcsOf(history), expected);
  QCOMPARE(expected[4].length(), 4);
}

void TestTargetAttention::classesComeFromSpellingAndWordLists_data() {
  QTest::addColumn<QByteArray>("word");
  QTest::addColumn<QByteArray>("language");
  QTest::addColumn<WordClass>("expected");
  const auto row = [](const char* word, const char* language, WordClass expected) {
    QTest::addRow("%s (%s)", word, language)
        << QByteArray(word) << QByteArray(language) << expected;
  };
  row("The", "en", WordClass::kFunction);
  row("house", "en", WordClass::kContent);
  row("die", "de", WordClass::kFunction);
  row("die", "en", WordClass::kContent);
  row("dans", "fr", WordClass::kFunction);
  row("für", "de", WordClass::kFunction);
  row("FÜR", "de", WordClass::kFunction);
  row("seven", "en", WordClass::kNumber);
  row("1,987", "en", WordClass::kNumber);
  row("?", "fr", WordClass::kPunctuation);
  row("&quot;", "en", WordClass::kPunctuation);
  row("<unk>", "de", WordClass::kUnknown);
  row("</s>", "de", WordClass::kEnd);
  row("the", "xx", WordClass::kContent);  // no list
}

void TestTargetAttention::classesComeFromSpellingAndWordLists() {
  QFETCH(QByteArray, word);
  QFETCH(QByteArray, language);
  QFETCH(WordClass, expected);
  QCOMPARE(wordClassOf(word.constData(), language.constData()), expected);
  QCOMPARE(hasWordList(language.constData()), language != "xx");
}

void TestTargetAttention::goldLinesAreRead() {
  const std::vector<GoldWord> expected{{1, WordClass::kFunction},
                                       {2, WordClass::kContent},
                                       {-1, WordClass::kContent},
                                       {2, WordClass::kFunction},
                                       {2, WordClass::kPunctuation}};
  QCOMPARE(goldWords("1:det:d 2:nsubj:n -1:root:v 2:acl:relcl:p:1 2:punct:."), expected);
  QVERIFY(goldWords("1:det:d nonsense").empty());
  QVERIFY(goldWords("").empty());
}

static RecordedStep recordings() {
  RecordedStep made;
  made.sentences = {fixture::gateSentence(0), fixture::jointSentence(1)};
  made.targetLanguage = "en";
  return made;
}

void TestTargetAttention::sharesOfSourceByPositionAndClass() {
  const auto sentences = corpusSentences(recordings());
  QCOMPARE(sentences.size(), std::size_t(2));
  const CorpusShares norms = corpusShares(sentences, ShareMeasure::kNorms);
  // Only the gate sentence has norms: a 1, dog 0.5, sleeps 0.5; </s> is in no mean.
  QCOMPARE(norms.layers, std::vector<int>({0}));
  QCOMPARE(norms.byPosition[0].size(), std::size_t(3));
  const double byPosition[] = {1, 0.5, 0.5};
  for (std::size_t i = 0; i < 3; ++i)
    QVERIFY(nearSingle(norms.byPosition[0][i].mean(), byPosition[i]));
  QVERIFY(nearSingle(norms.byClass[0][std::size_t(WordClass::kContent)].mean(), 0.5));
  QCOMPARE(norms.byClass[0][std::size_t(WordClass::kContent)].count, 2);
  QVERIFY(nearSingle(norms.byClass[0][std::size_t(WordClass::kFunction)].mean(), 1));
  QVERIFY(std::isnan(norms.byClass[0][std::size_t(WordClass::kNumber)].mean()));
  // The gate: a 1, dog 0.5, sleeps 0.5; mass on the source: he 0.75, goes 0.7.
  const CorpusShares weights = corpusShares(sentences, ShareMeasure::kWeights);
  QVERIFY(nearSingle(weights.byPosition[0][0].mean(), 0.875));
  QVERIFY(nearSingle(weights.byPosition[0][1].mean(), 0.6));
  QCOMPARE(weights.byPosition[0][2].count, 1);
}

// Two contexts of norm 0 have no share.
void TestTargetAttention::aShareOfNothingIsLeftOutOfMeans() {
  RecordedStep one = recordings();
  one.sentences.pop_back();
  auto& norms = one.sentences[0].recordings[3].values;
  norms[2] = norms[3] = 0;  // of "dog"
  const auto shares = corpusShares(corpusSentences(one), ShareMeasure::kNorms);
  QCOMPARE(shares.byPosition[0][1].count, 0);
  QVERIFY(std::isnan(shares.byPosition[0][1].mean()));
  QCOMPARE(shares.byClass[0][std::size_t(WordClass::kContent)].count, 1);
}

void TestTargetAttention::distancesCountWordsNotSubwords() {
  RecordedStep one = recordings();
  one.sentences.pop_back();
  const Distances d = distancesLookedBack(corpusSentences(one), 0, 3);
  // Three merged rows, weight 3 in all. Start symbol: 1 + 0.4 + 0.1.
  QVERIFY(nearSingle(d.start, 1.5 / 3));
  QVERIFY(nearSingle(d.weight[0], 0.2 / 3));          // "sleeps" within itself
  QVERIFY(nearSingle(d.weight[1], (0.6 + 0.5) / 3));  // dog, sleeps
  QVERIFY(nearSingle(d.weight[2], 0.2 / 3));
  QVERIFY(nearSingle(d.weight[3], 0));
  QCOMPARE(d.arcs, 2);  // dog -> a, sleeps -> dog
  QVERIFY(nearSingle(d.strongest[1], 1));
}

void TestTargetAttention::goldHitsStandBesideThePreviousWordAndChance() {
  RecordedStep one = recordings();
  // As if "dog" and "sleeps" hung on "a".
  one.gold[0] = goldWords("2:det:d 0:nsubj:n 0:root:v");
  const auto sentences = corpusSentences(one);
  const GoldHits hits = goldHits(sentences, -1);
  QCOMPARE(hits.words, 2);     // of "dog" and "sleeps"; the head of "a" comes later
  QCOMPARE(hits.hits, 1);      // dog -> a; sleeps looks at dog
  QCOMPARE(hits.previous, 1);  // a stands just before dog
  QVERIFY(nearSingle(hits.chance, 1 + 0.5));
  QVERIFY(nearSingle(hits.share(hits.hits), 0.5));
  QCOMPARE(sentences[0].classes[0], WordClass::kFunction);
}

void TestTargetAttention::aWordThatLooksAtNoWordMissesItsHead() {
  RecordedStep one = recordings();
  one.gold[0] = goldWords("2:det:d 0:nsubj:n 0:root:v");
  auto& history = one.sentences[0].recordings[1].values;
  history[5] = 1;  // "dog" reads the start symbol alone
  history[6] = 0;
  const GoldHits hits = goldHits(corpusSentences(one), 0);
  QCOMPARE(hits.words, 2);
  QCOMPARE(hits.hits, 0);
}

void TestTargetAttention::goldThatDoesNotFitTheWordsIsIgnored() {
  RecordedStep one = recordings();
  one.gold[0] = goldWords("1:det:d -1:root:n");
  const auto sentences = corpusSentences(one);
  QVERIFY(sentences[0].heads.empty());
  QCOMPARE(goldHits(sentences, -1).words, 0);
}

void TestTargetAttention::aGeneratedDatasetTellsLanguageAndGold() {
  const TemporaryFolder folder;
  generator::GeneratorOptions options;
  options.size = 200;
  generator::generateDataset(folder.path(), "toy", options, false);
  RecordedStep step;
  step.sentences.emplace_back().sentence = 3;
  const Json config{{"data", {{"dataset", "toy"}}}, {"validation", {{"sets", {"valid"}}}}};
  addTargetText(step, config, folder.path());
  QCOMPARE(step.targetLanguage, std::string("en"));
  QCOMPARE(step.gold.size(), std::size_t(1));
  // As many words as the fourth reference has.
  const Dataset dataset = Dataset::open(folder.path(), "toy");
  const auto references =
      QByteArray::fromStdString(readFile(dataset.set("valid").tokensReference()));
  QCOMPARE(step.gold.at(3).size(), wordsOf(references.split('\n')[3].toStdString()).size());
  QCOMPARE(step.gold.at(3).back().wordClass, WordClass::kPunctuation);
  RecordedStep lost;
  addTargetText(lost, config, folder / "nowhere");
  QVERIFY(lost.targetLanguage.empty());
}

STRATA_GUILESS_TEST(TestTargetAttention)
#include "test_target_attention.moc"
