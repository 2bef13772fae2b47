#include <QTest>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/progress_line.h"
#include "core/data/file_guess.h"
#include "core/data/prepare_fields.h"
#include "core/data/preview.h"
#include "core/text/bpe.h"
#include "core/text/bpe_learner.h"
#include "core/text/words.h"
#include "tests/fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

// Six pairs, of which the third has an empty source; valid repeats a source and a whole pair.
struct SmallText {
  TemporaryFolder folder;
  PrepareOptions options;

  SmallText() {
    put(folder / "train.de", "das Haus\ndie Maus\n\ndas alte Haus ist alt\ndie Katze\ndas Haus\n");
    put(folder / "train.en", "the house\nthe mouse\nnothing\nthe house\nthe cat\nthe house\n");
    put(folder / "valid.de", "die Maus\ndas Haus\nder  Hund\n");
    put(folder / "valid.en", "a mouse\nthe house\nthe dog\n");
    options.name = "small";
    options.sourceLanguage = "de";
    options.targetLanguage = "en";
    options.train = {pair("train")};
    options.sets = {{.name = "valid", .test = false, .parts = {pair("valid")}}};
  }

  PairInput pair(const std::string& prefix) const {
    return {.source = {.location = (folder / (prefix + ".de")).string()},
            .targets = {{.location = (folder / (prefix + ".en")).string()}}};
  }
  std::string path(const std::string& name) const { return (folder / name).string(); }
};

std::vector<std::int64_t> lengthCounts(const TextFigures& figures, std::size_t side) {
  std::vector<std::int64_t> counts;
  for (const auto& bin : figures.lengths.counts) counts.push_back(bin[side]);
  return counts;
}

}  // namespace

class TestPreview : public QObject {
  Q_OBJECT
 private slots:
  void countsWhatAPersonCounts();
  void sharedSentencesAreThoseOfPrepare();
  void coverageFollowsTheMostFrequentWords();
  void growthThinsOutEvenly();
  void badLinesAreNamedAndPassedOver();
  void unequalFilesAreRefusedByLine();
  void aLimitReadsTheBeginning();
  void theLongestRatiosComeFirst();
  void mergesAreThoseThatWouldBeLearned();
  void aSampleSaysThatItIsOne();
  void cancels();
  void namesTellWhatFilesAre();
  void argumentsPrepareTheSame();
  void fieldsComeBackFromArguments();
  void preparedTextHasTheSameFigures();
  void progressIsReadFromALog();
};

void TestPreview::countsWhatAPersonCounts() {
  const SmallText text;
  const DatasetPreview preview = previewDataset(text.options);
  QCOMPARE(preview.read, 6);
  QCOMPARE(preview.cleaning.kept(), 5);
  QCOMPARE(preview.rejectedLines, 1);
  QCOMPARE(preview.rejected.front().line, 3);
  QCOMPARE(preview.rejected.front().reason, std::string("empty"));
  QCOMPARE(preview.rejected.front().file, text.path("train.de"));
  QVERIFY(!preview.obstacle());
  QCOMPARE(preview.pairs.size(), std::size_t(5));
  QCOMPARE(preview.pairs[2].source, std::string("das alte Haus ist alt"));
  QCOMPARE(preview.pairs[2].number, 4);
  const SideFigures& source = preview.figures.sides[0];
  QCOMPARE(source.tokens, 13);  // 2 + 2 + 5 + 2 + 2
  QCOMPARE(source.types, 8);    // das Haus die Maus alte ist alt Katze
  QCOMPARE(source.mean, 13.0 / 5);
  QCOMPARE(source.median, 2);
  QCOMPARE(source.p95, 5);
  QCOMPARE(source.longest, 5);
  QCOMPARE(source.growth.front().types, 1);
  QCOMPARE(source.growth.back().types, 8);
  // 99 % are at most 5 words long, so bins of one word and an open one.
  QCOMPARE(preview.figures.lengths.width, 1);
  QCOMPARE(lengthCounts(preview.figures, 0), (std::vector<std::int64_t>{0, 0, 4, 0, 0, 1, 0}));
  QCOMPARE(lengthCounts(preview.figures, 1), (std::vector<std::int64_t>{0, 0, 5, 0, 0, 0, 0}));
  QCOMPARE(preview.figures.lengths.label(6), std::string("6+"));
}

// The index of prepare and its manifest, over every combination of shared sides.
void TestPreview::sharedSentencesAreThoseOfPrepare() {
  const SmallText text;
  const DatasetPreview preview = previewDataset(text.options);
  const auto prepared = prepareDataset(text.folder / "datasets", text.options);
  const Json& overlap = prepared.dataset.manifest()["sets"]["valid"]["overlap_with_train"];
  const OverlapCounts& counts = preview.figures.overlap.front();
  QCOMPARE(counts.source, overlap["source"].get<std::int64_t>());
  QCOMPARE(counts.target, overlap["target"].get<std::int64_t>());
  QCOMPARE(counts.pair, overlap["pair"].get<std::int64_t>());
  QCOMPARE(counts.source, 2);
  QCOMPARE(counts.target, 1);
  QCOMPARE(counts.pair, 1);
  QCOMPARE(preview.figures.sharedPairs, 4);  // pairs 1, 2, 4 (only its target) and 6
  std::vector<std::string> found;
  for (const SharedSentence& shared : preview.figures.shared)
    found.push_back(fmt::format("{}:{}{}{}", shared.train.number, shared.sentence,
                                shared.source ? "s" : "", shared.target ? "t" : ""));
  QCOMPARE(found, (std::vector<std::string>{"1:2st", "2:1s", "4:2t", "6:2st"}));
  QCOMPARE(preview.figures.shared[1].setReference, std::string("a mouse"));
  QCOMPARE(preview.figures.shared[1].train.target, std::string("the mouse"));
}

void TestPreview::coverageFollowsTheMostFrequentWords() {
  TextFiguresBuilder builder;
  const std::size_t set = builder.addSet("valid");
  builder.addSentence(set, "w0 w300 w300 new", {"w0"});
  // w0 occurs 600 times, w1 599 times, ...
  for (int word = 0; word < 600; ++word) {
    const std::string name = "w" + std::to_string(word);
    std::string line;
    for (int i = 0; i < 600 - word; ++i) line += (i > 0 ? " " : "") + name;
    builder.addPair({line, "w0", word + 1});
  }
  const TextFigures figures = builder.finish();
  const Coverage& source = figures.coverage[0];
  QCOMPARE(source.tokens, 4);
  QCOMPARE(source.points.size(), std::size_t(3));  // 250, 500, all 600
  QCOMPARE(source.points[0].words, 250);
  QCOMPARE(source.points[0].share, 0.25);
  QCOMPARE(source.points[1].words, 500);
  QCOMPARE(source.points[1].share, 0.75);
  QCOMPARE(source.points[2].words, 600);
  QCOMPARE(source.points[2].share, 0.75);
  QCOMPARE(figures.coverage[1].points.back().share, 1.0);
}

// Against counting again from the beginning for every point.
void TestPreview::growthThinsOutEvenly() {
  TextFiguresBuilder builder;
  std::vector<std::string> words;
  for (int i = 0; i < 5000; ++i) {
    words.push_back(std::to_string(i * i % 977));
    builder.addPair({words.back(), "x", i + 1});
  }
  const TextFigures figures = builder.finish();
  const auto& growth = figures.sides[0].growth;
  QVERIFY(growth.size() >= 50 && growth.size() <= 101);
  for (const GrowthPoint& point : growth) {
    const std::set<std::string> types(words.begin(), words.begin() + point.tokens);
    QCOMPARE(point.types, std::ssize(types));
  }
  for (std::size_t i = 2; i + 1 < growth.size(); ++i)
    QCOMPARE(growth[i].tokens - growth[i - 1].tokens, growth[1].tokens - growth[0].tokens);
}

void TestPreview::badLinesAreNamedAndPassedOver() {
  const SmallText text;
  put(text.folder / "train.en", "the house\nthe \xff mouse\nnothing\nx\nthe cat\nthe house\n");
  const DatasetPreview preview = previewDataset(text.options);
  QCOMPARE(preview.read, 6);
  QCOMPARE(preview.bad, 1);
  QCOMPARE(preview.cleaning.kept(), 4);
  QVERIFY(preview.obstacle());
  QCOMPARE(preview.obstacle()->reason, std::string("bad UTF-8"));
  QCOMPARE(preview.obstacle()->line, 2);
  QCOMPARE(preview.obstacle()->file, text.path("train.en"));
  QVERIFY_THROWS_EXCEPTION(Error, prepareDataset(text.folder / "datasets", text.options));
  fs::remove(text.folder / "valid.en");
  QCOMPARE(previewDataset(text.options).rejected.front().reason, std::string("cannot be read"));
}

void TestPreview::unequalFilesAreRefusedByLine() {
  const SmallText text;
  put(text.folder / "train.en", "the house\nthe mouse\nnothing\n");
  const DatasetPreview preview = previewDataset(text.options);
  QCOMPARE(preview.read, 3);
  QVERIFY(preview.obstacle());
  QCOMPARE(preview.obstacle()->reason, std::string("unequal counts"));
  QCOMPARE(preview.obstacle()->file, text.path("train.en"));
  QCOMPARE(preview.obstacle()->line, 4);
  QVERIFY(preview.obstacle()->text.find("has 3 lines") != std::string::npos);
  QVERIFY(preview.obstacle()->text.find("has 6") != std::string::npos);
}

void TestPreview::aLimitReadsTheBeginning() {
  const SmallText text;
  PreviewOptions options;
  options.limit = 2;
  const DatasetPreview part = previewDataset(text.options, options);
  QCOMPARE(part.read, 2);
  QVERIFY(!part.complete);
  QCOMPARE(part.figures.sides[0].tokens, 4);
  options.limit = 6;
  QVERIFY(previewDataset(text.options, options).complete);
}

void TestPreview::theLongestRatiosComeFirst() {
  TextFiguresOptions options;
  options.outliers = 2;
  TextFiguresBuilder builder(options);
  builder.addPair({"a", "b b b", 1});                // 3: not more than 3
  builder.addPair({"a", "b b b b", 2});              // 4
  builder.addPair({"a a a a a a a a a a", "b", 3});  // 10
  builder.addPair({"a", "b b b b b", 4});            // 5
  const TextFigures figures = builder.finish();
  QCOMPARE(figures.outlierPairs, 3);
  QCOMPARE(figures.outliers.size(), std::size_t(2));
  QCOMPARE(figures.outliers[0].number, 3);
  QCOMPARE(figures.outliers[0].ratio, 10.0);
  QCOMPARE(figures.outliers[1].number, 4);
}

// Learned for each number by itself, and counted word by word.
void TestPreview::mergesAreThoseThatWouldBeLearned() {
  MergeText text;
  for (int i = 0; i < 300; ++i) {
    text.words[0].addLine(fmt::format("Haus{} Maus{} laufen lief gelaufen", i % 7, i % 13));
    text.words[1].addLine(fmt::format("house{} mouse{} run ran running", i % 7, i % 13));
  }
  text.valid[0].addLine("Haus1 Haus12 Qualle laufen");
  text.valid[1].addLine("house1 xyz");
  const auto rows = mergeRows(text, {20, 5}, false);
  QCOMPARE(rows.size(), std::size_t(3));
  QCOMPARE(rows[0].merges, 0);
  QCOMPARE(rows[0].sides[0].unitsPerWord, 1.0);
  QCOMPARE(rows[0].sides[0].split, 0.0);
  QCOMPARE(*rows[0].sides[0].unknown, 2.0 / 4);  // Haus12, Qualle
  QCOMPARE(*rows[0].sides[1].unknown, 1.0 / 2);
  WordCounter both;
  for (const WordCounter& words : text.words) both.add(words.entries());
  for (const std::size_t row : {1u, 2u}) {
    const BpeLearned learned = learnBpe(both, {.merges = rows[row].merges});
    Bpe bpe(learned.codes, "codes");
    for (std::size_t side = 0; side < 2; ++side) {
      std::set<std::string> units;
      std::int64_t pieces = 0, split = 0, total = 0;
      for (const auto& [word, count] : text.words[side].entries()) {
        const auto parts = wordsOf(bpe.apply(word));
        units.insert(parts.begin(), parts.end());
        pieces += std::ssize(parts) * count;
        split += parts.size() > 1 ? count : 0;
        total += count;
      }
      const MergeSide& found = rows[row].sides[side];
      QCOMPARE(found.vocabulary, std::ssize(units));
      QCOMPARE(found.unitsPerWord, double(pieces) / double(total));
      QCOMPARE(found.split, double(split) / double(total));
    }
  }
  QVERIFY(rows[2].sides[0].unitsPerWord < rows[1].sides[0].unitsPerWord);
}

void TestPreview::aSampleSaysThatItIsOne() {
  const SmallText text;
  PreviewOptions options;
  options.merges = {10};
  options.mergePairs = 2;
  const MergeEffect sampled = previewDataset(text.options, options).merges;
  QCOMPARE(sampled.pairs, 2);
  QCOMPARE(sampled.of, 5);
  QVERIFY(sampled.isSample());
  options.mergePairs = 5;
  const MergeEffect whole = previewDataset(text.options, options).merges;
  QVERIFY(!whole.isSample());
  QCOMPARE(whole.rows.front().sides[0].vocabulary, 8);
}

void TestPreview::cancels() {
  const SmallText text;
  std::stop_source stop;
  stop.request_stop();
  PreviewOptions options;
  options.stop = stop.get_token();
  QVERIFY_THROWS_EXCEPTION(Cancelled, previewDataset(text.options, options));
}

void TestPreview::namesTellWhatFilesAre() {
  TemporaryFolder folder;
  const fs::path corpus = folder / "multi30k";
  fs::create_directories(corpus);
  for (const char* name :
       {"train.de", "train.en.gz", "val.de", "val.en", "test2016.de", "test2016.en", "test2017.de",
        "test2017.en", "README", "vocab.de", "vocab.en"})
    put(corpus / name, "");
  const FileGuess guess = guessFiles({corpus.string()});
  const PrepareOptions& options = guess.options;
  QCOMPARE(options.sourceLanguage, std::string("de"));
  QCOMPARE(options.targetLanguage, std::string("en"));
  QCOMPARE(options.name, std::string("multi30k-deen"));
  QCOMPARE(options.train.size(), std::size_t(1));
  QCOMPARE(options.train[0].targets[0].location, (corpus / "train.en.gz").string());
  QCOMPARE(options.sets.size(), std::size_t(3));
  QCOMPARE(options.sets[0].name, std::string("test"));
  QVERIFY(options.sets[0].test);
  QCOMPARE(options.sets[1].name, std::string("test2017"));
  QCOMPARE(options.sets[2].name, std::string("valid"));
  QVERIFY(!options.sets[2].test);
  QCOMPARE(guess.unused,
           (std::vector<std::string>{(corpus / "README").string(), (corpus / "vocab.de").string(),
                                     (corpus / "vocab.en").string()}));
  // The order that a prefix names, and two files without languages.
  put(folder / "news.en-fr.en", "");
  put(folder / "news.en-fr.fr", "");
  const FileGuess named =
      guessFiles({(folder / "news.en-fr.fr").string(), (folder / "news.en-fr.en").string()});
  QCOMPARE(named.options.sourceLanguage, std::string("en"));
  QCOMPARE(named.options.targetLanguage, std::string("fr"));
  put(folder / "left.txt", "");
  put(folder / "right.txt", "");
  const FileGuess bare =
      guessFiles({(folder / "left.txt").string(), (folder / "right.txt").string()});
  QCOMPARE(bare.options.train.size(), std::size_t(1));
  QCOMPARE(bare.options.sourceLanguage, std::string());
  QVERIFY_THROWS_EXCEPTION(Error, guessFiles({(folder / "absent.de").string()}));
}

void TestPreview::argumentsPrepareTheSame() {
  SmallText text;
  text.options.tokenizer = "moses";
  text.options.bpeMerges = 12;
  text.options.dropOverlap = true;
  text.options.ratio = 2.5;
  QCOMPARE(prepareArguments({.options = text.options}),
           (std::vector<std::string>{"data",        "prepare",
                                     "--name",      "small",
                                     "--source",    "de",
                                     "--target",    "en",
                                     "--train",     text.path("train"),
                                     "--valid",     "valid=" + text.path("valid"),
                                     "--tokenizer", "moses",
                                     "--bpe",       "12",
                                     "--overlap",   "drop-from-train",
                                     "--ratio",     "2.5"}));
  text.options.train = {{.source = {.location = "a.txt"}, .targets = {{.location = "b.txt"}}}};
  QCOMPARE(prepareArguments({.options = text.options})[9], std::string("a.txt,b.txt"));
  const PairInput read = pairNamed("a.txt,b.txt", text.options);
  QCOMPARE(read.source.location, std::string("a.txt"));
  QCOMPARE(read.targets.front().location, std::string("b.txt"));
  text.options.train.front().source.location = "a,b.txt";
  QVERIFY_THROWS_EXCEPTION(Error, prepareArguments({.options = text.options}));
  QCOMPARE(
      prepareArguments({.options = {}, .recipe = "multi30k-deen", .from = {"x", "y"}}),
      (std::vector<std::string>{"data", "prepare", "multi30k-deen", "--from", "x", "--from", "y"}));
}

void TestPreview::fieldsComeBackFromArguments() {
  PrepareOptions options;
  options.tokenizer = "moses";
  options.lowercase = options.dropOverlap = options.bpeSeparate = true;
  options.bpeMerges = 8000;
  options.ratio = 1.5;
  options.validSample = 7;
  options.sourceLanguage = "de";
  const auto arguments = prepareArguments({.options = options});
  const PrepareOptions back = fieldsOf(arguments);
  PrepareOptions expected = options;
  expected.sourceLanguage.clear();
  QCOMPARE(prepareArguments({.options = back}), prepareArguments({.options = expected}));
  QCOMPARE(fieldsOf({"--bpe", "many", "--tokenizer", "x", "--ratio"}).bpeMerges, 0);
}

// From the ids, and from the text that is kept if words have no id.
void TestPreview::preparedTextHasTheSameFigures() {
  SmallText text;
  const TextFigures before = previewDataset(text.options).figures;
  for (const std::int64_t size : {0, 3}) {
    text.options.sourceVocabularySize = text.options.targetVocabularySize = size;
    const auto prepared = prepareDataset(text.folder / "datasets", text.options);
    QCOMPARE(fs::exists(prepared.dataset.trainTokens(0)), size > 0);
    Json after = datasetFigures(prepared.dataset).figures.json();
    Json expected = before.json();
    for (Json* json : {&after, &expected})  // pairs are numbered before and after cleaning
      for (Json& shared : (*json)["shared"]) shared["train"].erase("pair");
    QCOMPARE(after.dump(), expected.dump());
  }
}

void TestPreview::progressIsReadFromALog() {
  const auto progress = lastProgress(
      "warning: x\n{\"progress\":\"a\",\"done\":1,\"total\":0,\"unit\":\"pairs\"}\n"
      "{\"progress\":\"b\",\"done\":2,\"total\":9,\"unit\":\"pairs\"}\nnote\n{\"progress\":\"c\",");
  QVERIFY(progress.has_value());
  QCOMPARE(progress->what, std::string("b"));
  QCOMPARE(progress->done, 2);
  QCOMPARE(progress->total, 9);
  QVERIFY(!lastProgress("nothing\n"));
  QVERIFY(!lastProgress(""));
}

STRATA_APPLESS_TEST(TestPreview)
#include "test_preview.moc"
