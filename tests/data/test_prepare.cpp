#include <QTest>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/data/corpus.h"
#include "core/data/dataset.h"
#include "core/data/prepare.h"
#include "core/text/pipeline.h"
#include "tests/fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

// A folder with a small parallel text and the options that prepare it.
struct Small {
  TemporaryFolder folder;
  fs::path datasets = folder / "datasets";
  PrepareOptions options;

  Small() {
    put(folder / "train.de", "das Haus\ndie Maus\n\ndas alte Haus ist alt\ndie Katze\ndas Haus\n");
    put(folder / "train.en",
        "the house\nthe mouse\nnothing\nthe old house is old\nthe cat\nthe house\n");
    put(folder / "valid.de", "die Maus\nder  Hund\n");
    put(folder / "valid.en", "a mouse\nthe dog\n");
    options.name = "small";
    options.sourceLanguage = "de";
    options.targetLanguage = "en";
    options.train = {pair("train")};
    options.sets = {{.name = "valid", .test = false, .parts = {pair("valid")}}};
  }

  PairInput pair(const std::string& prefix) const {
    PairInput files;
    files.source.location = (folder / (prefix + ".de")).string();
    files.targets.push_back({.location = (folder / (prefix + ".en")).string()});
    return files;
  }
  PreparedDataset prepare() const { return prepareDataset(datasets, options); }
};

// 20,000 pairs, which are read in several blocks. Each tenth German line is longer, and two
// neighbours share their English line.
struct Large : Small {
  Large() {
    std::string de, en;
    for (int i = 0; i < 20000; ++i) {
      de += german(i) + "\n";
      en += english(i) + "\n";
    }
    put(folder / "train.de", de);
    put(folder / "train.en", en);
    options.sets.clear();
  }

  static std::string german(int i) {
    return fmt::format("Satz {} ist da .{}", i, i % 10 == 0 ? " Und das ist sehr lang ." : "");
  }
  static std::string english(int i) { return fmt::format("Sentence {} is there .", i / 2); }

  // Writes train again with this line of one file replaced. Lines count from 1.
  void replaceLine(const std::string& file, int line, const std::string& text) const {
    std::vector<std::string> lines = linesOf(folder / file);
    lines[static_cast<std::size_t>(line - 1)] = text;
    put(folder / file, fmt::format("{}\n", fmt::join(lines, "\n")));
  }
};

std::vector<std::string> wordsOfIds(const TextPipeline& pipeline, Side side,
                                    const std::vector<TokenId>& ids) {
  std::vector<std::string> words;
  for (const TokenId id : ids) words.push_back(pipeline.vocabulary(side).wordOf(id));
  return words;
}

int entries(const fs::path& folder) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(folder))
    count += entry.path().filename() == ".lock" ? 0 : 1;
  return count;
}

}  // namespace

class TestPrepare : public QObject {
  Q_OBJECT
 private slots:
  void mapsWordsOfASmallText() {
    const Small small;
    const Dataset dataset = small.prepare().dataset;
    const Corpus train(dataset.trainCorpus());
    QCOMPARE(train.pairs(), 5);  // the blank line goes on both sides
    QCOMPARE(dataset.manifest()["train"]["dropped"]["empty"].get<int>(), 1);
    const TextPipeline pipeline = TextPipeline::load(dataset.textFolder());
    // the, house, old, mouse, is, cat and the four specials
    QCOMPARE(dataset.targetVocabularySize(), 10);
    QCOMPARE(pipeline.vocabulary(Side::kTarget).wordOf(4), std::string("the"));
    QCOMPARE(pipeline.vocabulary(Side::kTarget).wordOf(5), std::string("house"));
    QCOMPARE(pipeline.vocabulary(Side::kTarget).countOf(4), 5);
    QCOMPARE(wordsOfIds(pipeline, Side::kTarget, train.ids(CorpusSide::kTarget, 2).toVector()),
             (std::vector<std::string>{"the", "old", "house", "is", "old"}));
    train.verify();
    dataset.verify();
  }

  void keepsTextsOfEvaluationSets() {
    const Small small;
    const Dataset dataset = small.prepare().dataset;
    const EvaluationSet& valid = dataset.set("valid");
    QCOMPARE(valid.sentences, 2);
    QVERIFY(!valid.test);
    QCOMPARE(readFile(valid.rawSource()), std::string("die Maus\nder  Hund\n"));
    QCOMPARE(readFile(valid.tokensReference()), std::string("a mouse\nthe dog\n"));
    QCOMPARE(Corpus(valid.corpus).pairs(), 2);
    const Json& facts = dataset.manifest()["sets"]["valid"];
    QCOMPARE(facts["source_unknown"].get<int>(), 2);  // der Hund
    QCOMPARE(facts["overlap_with_train"]["source"].get<int>(), 1);
    QCOMPARE(facts["overlap_with_train"]["target"].get<int>(), 0);
    QCOMPARE(facts["overlap_with_train"]["pair"].get<int>(), 0);
    QVERIFY_THROWS_EXCEPTION(Error, dataset.set("tset"));
  }

  void dropsOverlapFromTrain() {
    Small small;
    small.options.dropOverlap = true;
    const Dataset dataset = small.prepare().dataset;
    QCOMPARE(Corpus(dataset.trainCorpus()).pairs(), 4);
    QCOMPARE(TextPipeline::load(dataset.textFolder()).vocabulary(Side::kSource).idOf("Maus"),
             kUnknownId);
  }

  void limitsVocabulariesAndLengths() {
    Small small;
    small.options.sourceVocabularySize = 2;
    small.options.vocabularyMinimum = 2;
    small.options.maxLength = 4;
    const Dataset dataset = small.prepare().dataset;
    QCOMPARE(dataset.sourceVocabularySize(), 6);
    QCOMPARE(dataset.targetVocabularySize(), 6);  // the, house
    QCOMPARE(Corpus(dataset.trainCorpus()).pairs(), 4);
    QCOMPARE(dataset.manifest()["train"]["dropped"]["too long"].get<int>(), 1);
  }

  void keepsSeveralReferencesAndJoins() {
    Small small;
    put(small.folder / "second.en", "one mouse\na dog\n");
    small.options.sets[0].parts[0].targets.push_back(
        {.location = (small.folder / "second.en").string()});
    small.options.sets.push_back({.name = "t1", .test = true, .parts = {small.pair("valid")}});
    small.options.sets.push_back({.name = "t2", .test = true, .parts = {small.pair("train")}});
    small.options.joins = {{.name = "both", .sets = {"t2", "t1"}}};
    const Dataset dataset = small.prepare().dataset;
    QCOMPARE(dataset.set("valid").references, 2);
    QCOMPARE(readFile(dataset.set("valid").tokensReference(1)), std::string("one mouse\na dog\n"));
    QCOMPARE(dataset.set("both").sentences, 8);
    QVERIFY(dataset.set("both").test);
    QCOMPARE(Corpus(dataset.set("both").corpus).pairs(), 8);
    small.options.joins = {{.name = "bad", .sets = {"valid", "t1"}}};
    QVERIFY(holds(errorOf([&] { small.prepare(); }), "numbers of references"));
  }

  void learnsBpeOfWhichTheIdsEqualThePipelines() {
    for (const bool separate : {false, true}) {
      Small small;
      small.options.tokenizer = "moses";
      small.options.lowercase = true;
      small.options.bpeMerges = 12;
      small.options.bpeSeparate = separate;
      small.options.bpeThreshold = 2;
      const Dataset dataset = small.prepare().dataset;
      TextPipeline pipeline = TextPipeline::load(dataset.textFolder());
      const Corpus valid(dataset.set("valid").corpus), train(dataset.trainCorpus());
      QCOMPARE(valid.ids(CorpusSide::kSource, 1).toVector(),
               pipeline.encode(Side::kSource, "der  Hund"));
      QCOMPARE(train.ids(CorpusSide::kTarget, 2).toVector(),
               pipeline.encode(Side::kTarget, "the old house is old"));
      QCOMPARE(pipeline.tokensOf(Side::kTarget, train.ids(CorpusSide::kTarget, 2).toVector()),
               std::string("the old house is old"));
    }
  }

  void truecasesAsThePipelineDoes() {
    Small small;
    small.options.tokenizer = "moses";
    small.options.truecase = true;
    put(small.folder / "train.de", "Das Haus .\nHier ist das Haus .\nUnd das Haus .\n");
    put(small.folder / "train.en", "The house .\nHere is the house .\nAnd the house .\n");
    const Dataset dataset = small.prepare().dataset;
    TextPipeline pipeline = TextPipeline::load(dataset.textFolder());
    const Corpus train(dataset.trainCorpus());
    QCOMPARE(wordsOfIds(pipeline, Side::kSource, train.ids(CorpusSide::kSource, 0).toVector()),
             (std::vector<std::string>{"das", "Haus", "."}));
    QCOMPARE(train.ids(CorpusSide::kSource, 0).toVector(),
             pipeline.encode(Side::kSource, "Das Haus ."));
  }

  void dropsPairsWithTooManyUnits() {
    Small small;
    small.options.bpeMerges = 1;
    small.options.maxSubwords = 12;
    const Dataset dataset = small.prepare().dataset;
    const Corpus train(dataset.trainCorpus());
    QCOMPARE(dataset.manifest()["train"]["dropped"]["too many units"].get<int>(), 1);
    QCOMPARE(train.pairs(), 4);
    for (std::int64_t i = 0; i < train.pairs(); ++i)
      QVERIFY(train.length(CorpusSide::kSource, i) <= 12);
  }

  void drawsASampleThatTrainLoses() {
    Small small;
    std::string de, en;
    for (int i = 0; i < 1000; ++i) {
      de += fmt::format("Satz {}\n", i);
      en += fmt::format("sentence {}\n", i / 2);
    }
    put(small.folder / "train.de", de);
    put(small.folder / "train.en", en);
    small.options.sets.clear();
    small.options.validSample = 100;
    const Dataset pairs = small.prepare().dataset;
    QCOMPARE(pairs.set("valid").sentences, 100);
    QCOMPARE(Corpus(pairs.trainCorpus()).pairs(), 900);
    QCOMPARE(pairs.manifest()["sets"]["valid"]["overlap_with_train"]["source"].get<int>(), 0);
    small.options.sampleBy = PrepareOptions::SampleBy::kTarget;
    small.options.testSample = 50;
    const Dataset grouped = small.prepare().dataset;
    QCOMPARE(grouped.version(), 2);
    QCOMPARE(grouped.set("test").sentences, 50);
    QCOMPARE(Corpus(grouped.trainCorpus()).pairs(), 700);  // each drawn sentence has two pairs
    QCOMPARE(grouped.manifest()["sets"]["valid"]["overlap_with_train"]["target"].get<int>(), 0);
    small.options.seed = 2;
    QVERIFY(readFile(small.prepare().dataset.set("valid").rawSource()) !=
            readFile(grouped.set("valid").rawSource()));
  }

  void takesEverySoManiethPair() {
    Small small;
    small.options.sets.clear();
    small.options.validEvery = 2;
    const Dataset dataset = small.prepare().dataset;
    QCOMPARE(readFile(dataset.set("valid").rawSource()), std::string("die Maus\ndie Katze\n"));
    QCOMPARE(Corpus(dataset.trainCorpus()).pairs(), 3);
  }

  // The digests are those of a preparation that reads pair by pair and keeps text, not numbers.
  void dropsAndDrawsFromSeveralBlocks() {
    Large large;
    std::string de, en;
    for (int i = 0; i < 10; ++i) {
      de += Large::german(i) + "\n";
      en += Large::english(i + 5) + "\n";
    }
    put(large.folder / "test.de", de);
    put(large.folder / "test.en", en);
    large.options.sets = {{.name = "test", .test = true, .parts = {large.pair("test")}}};
    large.options.dropOverlap = true;
    const Dataset dropped = large.prepare().dataset;
    QCOMPARE(Corpus(dropped.trainCorpus()).pairs(), 20000 - 16);  // sources 0-9, targets 4-15
    QCOMPARE(dropped.digest(), std::string("c577291258b16150df56dc529b52ba0a"));

    large.options.sets.clear();
    large.options.dropOverlap = false;
    large.options.validSample = 100;
    large.options.testSample = 50;
    large.options.sampleBy = PrepareOptions::SampleBy::kTarget;
    const Dataset drawn = large.prepare().dataset;
    QCOMPARE(Corpus(drawn.trainCorpus()).pairs(), 20000 - 2 * 150);
    QCOMPARE(drawn.digest(), std::string("c0358759fde12441da033de24a808bef"));
  }

  void takesEveryThirdAndDropsLongOnesOfSeveralBlocks() {
    Large large;
    large.options.validEvery = 3;
    large.options.truecase = true;
    large.options.maxSubwords = 8;
    const Dataset dataset = large.prepare().dataset;
    QCOMPARE(dataset.set("valid").sentences, 6666);
    // Of the 2,000 long ones 666 are in valid.
    QCOMPARE(dataset.manifest()["train"]["dropped"]["too many units"].get<int>(), 1334);
    QCOMPARE(Corpus(dataset.trainCorpus()).pairs(), 20000 - 6666 - 1334);
    QCOMPARE(dataset.digest(), std::string("ef9fd43e5974c5f25a79423023629971"));
  }

  void doesNotDependOnThreads() {
    Large large;
    large.options.tokenizer = "moses";
    large.options.truecase = true;
    large.options.bpeMerges = 50;
    large.options.validSample = 100;
    large.options.threads = 1;
    const Dataset dataset = large.prepare().dataset;
    for (const int threads : {2, 3, 0}) {
      large.options.threads = threads;
      const PreparedDataset again = large.prepare();
      QVERIFY(again.unchanged);
      QCOMPARE(again.dataset.digest(), dataset.digest());
    }
  }

  void namesABadLineOfAnyBlock() {
    for (const int line : {1, 8191, 8192, 8193, 16384, 16385, 20000}) {
      const Large large;
      large.replaceLine("train.en", line, "ab\xff");
      QHOLDS(errorOf([&] { large.prepare(); }), fmt::format("train.en: line {}, byte 2", line));
    }
    const Large both;  // the earlier line is named
    both.replaceLine("train.de", 9001, "\xff");
    both.replaceLine("train.en", 9000, "\xff");
    QHOLDS(errorOf([&] { both.prepare(); }), "train.en: line 9000, byte 0");
    const Large
        factors;  // the first pair makes bars separators, as \x01 keeps them from being words
    factors.replaceLine("train.de", 1, "a|\x01");
    factors.replaceLine("train.de", 9000, "b |\x01");
    factors.replaceLine("train.de", 9005, "\xff");
    QHOLDS(errorOf([&] { factors.prepare(); }), "source:9000: a blank factor in \"b |\x01\"");
  }

  void keepsOldVersions() {
    Small small;
    const Dataset first = small.prepare().dataset;
    QVERIFY(small.prepare().unchanged);
    small.options.lowercase = true;
    const Dataset second = small.prepare().dataset;
    QCOMPARE(second.version(), 2);
    QVERIFY(second.digest() != first.digest());
    QCOMPARE(Dataset::open(small.datasets, "small").digest(), second.digest());
    QCOMPARE(Dataset::open(small.datasets, "small@1").digest(), first.digest());
    QCOMPARE(Dataset::open(small.datasets, "small@2").digest(), second.digest());
    QCOMPARE(Dataset::find(small.datasets, "small", first.digest())->version(), 1);
    QVERIFY(!Dataset::find(small.datasets, "small", "0"));
    QCOMPARE(listDatasets(small.datasets).datasets.size(), std::size_t{2});
    QCOMPARE(entries(small.datasets), 2);
    trashDataset(small.datasets, "small");
    QCOMPARE(Dataset::open(small.datasets, "small").digest(), first.digest());
    trashDataset(small.datasets, "small@1");
    QCOMPARE(entries(small.datasets), 1);  // the trash
    QCOMPARE(trashedDatasets(small.datasets).size(), std::size_t{2});
    QVERIFY(holds(errorOf([&] { Dataset::open(small.datasets, "small"); }), "no dataset 'small'"));
  }

  void noticesDamage() {
    const Small small;
    const Dataset dataset = small.prepare().dataset;
    std::string bytes = readFile(dataset.set("valid").tokensReference());
    bytes[0] ^= 1;
    put(dataset.set("valid").tokensReference(), bytes);
    QVERIFY(holds(errorOf([&] { dataset.verify(); }), "tokens.target"));
    put(dataset.set("valid").tokensReference(), "short\n");
    QVERIFY(holds(errorOf([&] { Dataset::open(small.datasets, "small"); }), "tokens.target"));
    QCOMPARE(listDatasets(small.datasets).damaged.size(), std::size_t{1});
  }

  void leavesNothingBehindWhenTheInputIsBad() {
    Small small;
    const std::string digest = small.prepare().dataset.digest();
    const auto refused = [&](std::string_view german, const std::string& part) {
      put(small.folder / "train.de", german);
      const std::string error = errorOf([&] { small.prepare(); });
      QVERIFY2(holds(error, part), error.c_str());
      QCOMPARE(Dataset::open(small.datasets, "small").digest(), digest);
      QCOMPARE(entries(small.datasets), 1);
    };
    refused("a\nb\n", "train.de has 2 lines");
    refused("", "train.de has 0 lines");
    refused("a\n\xff\nc\nd\ne\nf\n", "line 2, byte 0");
    refused(std::string_view("a\nb\nc\n\0\ne\nf\n", 12), "line 4, byte 0");
    refused("\n\n\n\n\n\n", "nothing to train on");
  }

  void keepsLongLinesAndBars() {
    Small small;
    const std::string longLine = std::string(1 << 20, 'x');
    put(small.folder / "train.de", "a | b\n" + longLine + "\nein |\n");
    put(small.folder / "train.en", "a | b\nlong\n|\n");
    const Dataset dataset = small.prepare().dataset;
    QCOMPARE(dataset.manifest()["train"]["dropped"]["long word"].get<int>(), 1);
    const TextPipeline pipeline = TextPipeline::load(dataset.textFolder());
    const Corpus train(dataset.trainCorpus());
    QCOMPARE(wordsOfIds(pipeline, Side::kSource, train.ids(CorpusSide::kSource, 0).toVector()),
             (std::vector<std::string>{"a", "|", "b"}));
    QCOMPARE(train.pairs(), 2);
  }

  void checksItsOptions() {
    Small small;
    const auto refused = [&](const std::string& part) {
      const std::string error = errorOf([&] { small.prepare(); });
      QVERIFY2(holds(error, part), error.c_str());
      small.options.name = "small";
    };
    small.options.name = "a/b";
    refused("'a/b'");
    small.options.name = "..";
    refused("'..'");
    small.options.sets.push_back(small.options.sets[0]);
    refused("two sets are named 'valid'");
    small.options.sets.pop_back();
    small.options.lowercase = small.options.truecase = true;
    refused("exclude");
    small.options.truecase = false;
    small.options.expected.counts = {{"train", 5}, {"valid", 3}, {"vocabulary.target", 10}};
    refused("valid: 2 instead of 3");
  }
};

STRATA_GUILESS_TEST(TestPrepare)
#include "test_prepare.moc"
