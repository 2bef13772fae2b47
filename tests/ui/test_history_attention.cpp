#include <QtTest>
#include <cmath>

#include "core/base/files.h"
#include "core/data/dataset.h"
#include "core/data/generator/dataset.h"
#include "tests/ui/history_fixture.h"
#include "ui/data/history_attention.h"
#include "ui/data/history_corpus.h"
#include "ui/data/target_text.h"
#include "ui/data/text.h"

using namespace strata;
using namespace strata::ui;

class TestHistoryAttention : public QObject {
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
  void sharesOfHistoryByPositionAndClass();
  void distancesCountWordsNotSubwords();
  void goldHitsStandBesideThePreviousWordAndChance();
  void goldThatDoesNotFitTheWordsIsIgnored();
  void aGeneratedDatasetTellsLanguageAndGold();
};

static bool near(double a, double b) {
  return std::abs(a - b) < 1e-6;
}

void TestHistoryAttention::rowsAreGeneratedAndColumnsAreRead() {
  const TargetAttention a = targetAttention(fixture::gateSentence());
  QCOMPARE(a.generated, QStringList({"a", "dog", "sle@@", "eps", "</s>"}));
  QCOMPARE(a.read, QStringList({"</s>", "a", "dog", "sle@@", "eps"}));
  QCOMPARE(a.layers.size(), 1);
  QCOMPARE(a.layers[0].history.at(2, 1), 0.3f);  // "sle@@" was generated, "a" was read
  QCOMPARE(wordsBack(2, 1), 2);                  // ... two words before
  QCOMPARE(wordsBack(4, 4), 1);                  // the diagonal is the previous word
  QVERIFY(!a.layers[0].joint);
}

// What Moses's tokenizer escapes is labelled as a reader writes it, once.
void TestHistoryAttention::labelsHaveNoEscapes() {
  SentenceRecordings sentence = fixture::jointSentence();
  sentence.source = {"&quot;Er&quot;", "a&amp;b", "</s>"};
  sentence.target = {"he", "&apos;s", "</s>"};
  const TargetAttention a = targetAttention(sentence);
  QCOMPARE(a.source, QStringList({"\"Er\"", "a&b", "</s>"}));
  QCOMPARE(a.generated, QStringList({"he", "'s", "</s>"}));
  QCOMPARE(a.read, QStringList({"</s>", "he", "'s"}));
  QCOMPARE(sentenceText(sentence.target), QString("he 's </s>"));
  QCOMPARE(wordText("&amp;apos;"), QString("&apos;"));
  QCOMPARE(wordText("&#91;&#124;&#93;&lt;&gt;"), QString("[|]<>"));
  QCOMPARE(wordText("&other; R&D ü"), QString::fromUtf8("&other; R&D ü"));
}

void TestHistoryAttention::theJointSoftmaxIsSplitAtTheBorder() {
  const LayerAttention layer = targetAttention(fixture::jointSentence()).layers[0];
  QVERIFY(layer.joint);
  QCOMPARE(layer.source.values,
           std::vector<float>({0.5f, 0.25f, 0, 0.1f, 0.5f, 0.1f, 0, 0.25f, 0.25f}));
  QCOMPARE(layer.history.values, std::vector<float>({0.25f, 0, 0, 0.1f, 0.2f, 0, 0, 0.25f, 0.25f}));
  const double sums[] = {0.75, 0.7, 0.5};
  for (int row = 0; row < 3; ++row) QVERIFY(near(double(rowSum(layer.source, row)), sums[row]));
}

void TestHistoryAttention::gateAndNormsBecomeStrips() {
  const LayerAttention layer = targetAttention(fixture::gateSentence()).layers[0];
  const double means[] = {1, 0.5, 0.5, 0.5, 0}, spreads[] = {0, 0.5, 0, 0.2, 0};
  const double shares[] = {1, 0.5, 0.75, 0.25, 0};
  for (int row = 0; row < 5; ++row) {
    QVERIFY(near(double(layer.gate.at(row, 0)), means[row]));
    QVERIFY(near(double(layer.gate.at(row, 1)), spreads[row]));
    QVERIFY(near(double(layer.share.at(row, 0)), shares[row]));
  }
}

void TestHistoryAttention::otherModelsHaveNoHistory() {
  SentenceRecordings sentence = fixture::gateSentence();
  sentence.recordings.erase(sentence.recordings.begin() + 1);
  QVERIFY(!hasHistory(sentence));
  QVERIFY(targetAttention(sentence).isEmpty());
  QCOMPARE(targetAttention(sentence).generated.size(), 5);
}

void TestHistoryAttention::damagedShapesAreLeftOut() {
  SentenceRecordings sentence = fixture::gateSentence();
  sentence.target.push_back("more");
  QVERIFY(targetAttention(sentence).isEmpty());
  sentence = fixture::jointSentence();
  sentence.source.push_back("more");
  QVERIFY(targetAttention(sentence).isEmpty());
}

void TestHistoryAttention::mergingSumsColumnsAndAveragesRows() {
  const TargetAttention words = wordsMerged(targetAttention(fixture::gateSentence()));
  QCOMPARE(words.source, QStringList({"ein", "Hund", "schläft", "</s>"}));
  QCOMPARE(words.generated, QStringList({"a", "dog", "sleeps", "</s>"}));
  QCOMPARE(words.read, QStringList({"</s>", "a", "dog", "sleeps"}));
  const LayerAttention& layer = words.layers[0];
  // Row "sleeps" is the mean of two rows; its last column is what "eps" gave to "sle@@".
  const double history[] = {0.1, 0.2, 0.5, 0.2}, end[] = {0, 0.5, 0.25, 0.25};
  const double source[] = {0, 0, 0.8, 0.2};
  for (int column = 0; column < 4; ++column) {
    QVERIFY(near(double(layer.history.at(2, column)), history[column]));
    QVERIFY(near(double(layer.history.at(3, column)), end[column]));
    QVERIFY(near(double(layer.source.at(2, column)), source[column]));
  }
  QVERIFY(near(double(layer.share.at(2, 0)), 0.5));  // of 0.75 and 0.25
  QVERIFY(near(double(layer.gate.at(2, 1)), 0.1));   // of 0 and 0.2
}

void TestHistoryAttention::mergingKeepsRowSums() {
  SentenceRecordings sentence = fixture::gateSentence();
  sentence.target[4] = "cut@@";  // a hypothesis that ends within a word
  for (const auto& recorded : {fixture::gateSentence(), sentence, fixture::jointSentence()}) {
    const LayerAttention layer = wordsMerged(targetAttention(recorded)).layers[0];
    for (int row = 0; row < layer.history.rows; ++row) {
      const double sum = double(rowSum(layer.history, row) + rowSum(layer.source, row));
      QVERIFY(near(sum, layer.joint ? 1 : 2));
    }
  }
}

void TestHistoryAttention::layersAreAveraged() {
  SentenceRecordings sentence = fixture::gateSentence();
  Recording second = sentence.recordings[1];
  second.info.layer = 1;
  second.values.assign(25, 0);
  sentence.recordings.push_back(second);
  const TargetAttention a = targetAttention(sentence);
  QCOMPARE(a.layers.size(), 2);
  const LayerAttention mean = meanOfLayers(a);
  QVERIFY(near(double(mean.history.at(2, 2)), 0.3));
  QVERIFY(near(double(mean.source.at(0, 0)), 0.8));  // only one of the layers has it
  QCOMPARE(layerOf(a, 1).layer, 1);
  QCOMPARE(layerOf(a, -1).layer, -1);
}

void TestHistoryAttention::arcsGoToTheTwoMostAttendedEarlierWords() {
  // clang-format off
  const Grid history{5, 5, {1,    0,    0,    0,    0,
                            0.9f, 0.1f, 0,    0,    0,      // the start symbol is no word
                            0,    0.5f, 0.5f, 0,    0,      // equal: the nearer word first
                            0,    1,    0,    0,    0,      // nothing for a second arc
                            0.1f, 0.5f, 0.1f, 0,    0.3f}};
  // clang-format on
  const QVector<Arc> expected{{1, 0, 0.1f, false}, {2, 1, 0.5f, false}, {2, 0, 0.5f, true},
                              {3, 0, 1, false},    {4, 0, 0.5f, false}, {4, 3, 0.3f, true}};
  QCOMPARE(arcsOf(history), expected);
  QCOMPARE(expected[4].length(), 4);
}

void TestHistoryAttention::classesComeFromSpellingAndWordLists_data() {
  QTest::addColumn<QString>("word");
  QTest::addColumn<QString>("language");
  QTest::addColumn<TokenClass>("expected");
  const auto row = [](const char* word, const char* language, TokenClass expected) {
    QTest::addRow("%s (%s)", word, language) << QString(word) << QString(language) << expected;
  };
  row("The", "en", TokenClass::kFunction);
  row("house", "en", TokenClass::kContent);
  row("die", "de", TokenClass::kFunction);
  row("die", "en", TokenClass::kContent);
  row("dans", "fr", TokenClass::kFunction);
  row("für", "de", TokenClass::kFunction);
  row("FÜR", "de", TokenClass::kFunction);
  row("seven", "en", TokenClass::kNumber);
  row("1,987", "en", TokenClass::kNumber);
  row("?", "fr", TokenClass::kPunctuation);
  row("&quot;", "en", TokenClass::kPunctuation);
  row("<unk>", "de", TokenClass::kUnknown);
  row("</s>", "de", TokenClass::kEnd);
  row("the", "xx", TokenClass::kContent);  // no list
}

void TestHistoryAttention::classesComeFromSpellingAndWordLists() {
  QFETCH(QString, word);
  QFETCH(QString, language);
  QFETCH(TokenClass, expected);
  QCOMPARE(tokenClass(word, language), expected);
  QCOMPARE(hasWordList(language), language != "xx");
}

void TestHistoryAttention::goldLinesAreRead() {
  const std::vector<GoldWord> expected{{1, TokenClass::kFunction},
                                       {2, TokenClass::kContent},
                                       {-1, TokenClass::kContent},
                                       {2, TokenClass::kFunction},
                                       {2, TokenClass::kPunctuation}};
  QCOMPARE(goldWords("1:det:d 2:nsubj:n -1:root:v 2:acl:relcl:p:1 2:punct:."), expected);
  QVERIFY(goldWords("1:det:d nonsense").empty());
  QVERIFY(goldWords("").empty());
}

static StepRecordings recordings() {
  StepRecordings made;
  made.sentences = {fixture::gateSentence(0), fixture::jointSentence(1)};
  made.targetLanguage = "en";
  return made;
}

void TestHistoryAttention::sharesOfHistoryByPositionAndClass() {
  const auto sentences = corpusSentences(recordings());
  QCOMPARE(sentences.size(), std::size_t(2));
  const CorpusShares norms = corpusShares(sentences, ShareMeasure::kNorms);
  // Only the gate sentence has norms: a 0, dog 0.5, sleeps 0.5, </s> 1.
  QCOMPARE(norms.layers, QVector<int>({0}));
  const double byPosition[] = {0, 0.5, 0.5, 1};
  for (std::size_t i = 0; i < 4; ++i) QVERIFY(near(norms.byPosition[0][i].mean(), byPosition[i]));
  QVERIFY(near(norms.byClass[0][std::size_t(TokenClass::kContent)].mean(), 0.5));
  QCOMPARE(norms.byClass[0][std::size_t(TokenClass::kContent)].count, 2);
  QVERIFY(near(norms.byClass[0][std::size_t(TokenClass::kFunction)].mean(), 0));
  QVERIFY(std::isnan(norms.byClass[0][std::size_t(TokenClass::kNumber)].mean()));
  // 1 - gate: a 0, dog 0.5, ...; mass on the history: he 0.25, goes 0.3, </s> 0.5.
  const CorpusShares weights = corpusShares(sentences, ShareMeasure::kWeights);
  QVERIFY(near(weights.byPosition[0][0].mean(), 0.125));
  QVERIFY(near(weights.byPosition[0][1].mean(), 0.4));
  QCOMPARE(weights.byPosition[0][3].count, 1);
}

void TestHistoryAttention::distancesCountWordsNotSubwords() {
  StepRecordings one = recordings();
  one.sentences.pop_back();
  const Distances d = distancesLookedBack(corpusSentences(one), 0, 3);
  // Four merged rows, weight 4 in all. Start symbol: 1 + 0.4 + 0.1.
  QVERIFY(near(d.start, 1.5 / 4));
  QVERIFY(near(d.weight[0], 0.2 / 4));                 // "sleeps" within itself
  QVERIFY(near(d.weight[1], (0.6 + 0.5 + 0.25) / 4));  // a, dog, sleeps
  QVERIFY(near(d.weight[2], (0.2 + 0.25) / 4));
  QVERIFY(near(d.weight[3], 0.5 / 4));
  QCOMPARE(d.arcs, 3);  // dog -> a, sleeps -> dog, </s> -> a
  QVERIFY(near(d.strongest[1], 2 / 3.0));
  QVERIFY(near(d.strongest[3], 1 / 3.0));
}

void TestHistoryAttention::goldHitsStandBesideThePreviousWordAndChance() {
  StepRecordings one = recordings();
  // As if "dog" and "sleeps" hung on "a".
  one.gold[0] = goldWords("2:det:d 0:nsubj:n 0:root:v");
  const auto sentences = corpusSentences(one);
  const GoldHits hits = goldHits(sentences, -1);
  QCOMPARE(hits.words, 2);     // of "dog" and "sleeps"; the head of "a" comes later
  QCOMPARE(hits.hits, 1);      // dog -> a; sleeps looks at dog
  QCOMPARE(hits.previous, 1);  // a stands just before dog
  QVERIFY(near(hits.chance, 1 + 0.5));
  QVERIFY(near(hits.share(hits.hits), 0.5));
  QCOMPARE(sentences[0].classes[0], TokenClass::kFunction);
}

void TestHistoryAttention::goldThatDoesNotFitTheWordsIsIgnored() {
  StepRecordings one = recordings();
  one.gold[0] = goldWords("1:det:d -1:root:n");
  const auto sentences = corpusSentences(one);
  QVERIFY(sentences[0].heads.empty());
  QCOMPARE(goldHits(sentences, -1).words, 0);
}

void TestHistoryAttention::aGeneratedDatasetTellsLanguageAndGold() {
  const TemporaryFolder folder;
  generator::GeneratorOptions options;
  options.size = 200;
  generator::generateDataset(folder.path(), "toy", options, false);
  SentenceRecordings third;
  third.sentence = 3;
  const Json config{{"data", {{"dataset", "toy"}}}, {"validation", {{"sets", {"valid"}}}}};
  const TargetText text = targetTextOf(folder.path(), config, {third});
  QCOMPARE(text.language, QString("en"));
  QCOMPARE(text.gold.size(), std::size_t(1));
  // As many words as the fourth reference has.
  const Dataset dataset = Dataset::open(folder.path(), "toy");
  const QString references = qs(readFile(dataset.set("valid").tokensReference()));
  const QStringList words = references.section('\n', 3, 3).split(' ');
  QCOMPARE(text.gold.at(3).size(), std::size_t(words.size()));
  QCOMPARE(text.gold.at(3).back().kind, TokenClass::kPunctuation);
  QVERIFY(targetTextOf(folder / "nowhere", config, {third}).language.isEmpty());
}

QTEST_GUILESS_MAIN(TestHistoryAttention)
#include "test_history_attention.moc"
