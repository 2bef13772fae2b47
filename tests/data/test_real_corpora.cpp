#include <QElapsedTimer>
#include <QTest>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/data/batcher.h"
#include "core/data/corpus.h"
#include "core/data/formats.h"
#include "core/data/lines.h"
#include "core/data/prepare.h"
#include "core/data/recipe.h"
#include "core/text/bpe.h"
#include "core/text/bpe_learner.h"
#include "core/text/casing.h"
#include "core/text/pipeline.h"
#include "core/text/tokenizer.h"
#include "core/text/vocabulary.h"
#include "tests/fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

const fs::path kData = fs::path(STRATA_SHARED_DIR) / "data";

std::vector<std::string> everything(const TextInput& input) {
  const auto lines = openLines(input, true);
  std::vector<std::string> result;
  for (std::string_view line; lines->next(line);) result.emplace_back(line);
  return result;
}

PairInput pairOf(const fs::path& source, const fs::path& target) {
  PairInput files;
  files.source.location = source.string();
  files.targets.push_back({.location = target.string()});
  return files;
}

PrepareOptions byRecipe(const std::string& name, const std::vector<fs::path>& from) {
  const fs::path file = fs::path(STRATA_SOURCE_DIR) / "datasets" / (name + ".yaml");
  return resolveRecipe(parseRecipe(readFile(file), file.string()), from);
}

}  // namespace

// Real corpora next to the checkout; without them this program is not built.
class TestRealCorpora : public QObject {
  Q_OBJECT
 private slots:
  void preparesTed() {
    const fs::path ted = kData / "ted-deen";
    PrepareOptions options;
    options.name = "ted";
    options.sourceLanguage = "de";
    options.targetLanguage = "en";
    options.bpeMerges = 10000;
    options.train = {pairOf(ted / "train.de", ted / "train.en")};
    options.sets = {{"valid", false, {pairOf(ted / "valid.de", ted / "valid.en")}},
                    {"test", true, {pairOf(ted / "test.de", ted / "test.en")}}};
    const TemporaryFolder folder;
    QElapsedTimer timer;
    timer.start();
    const Dataset dataset = prepareDataset(folder / "datasets", options).dataset;
    qInfo("prepared ted-deen in %.2f s", static_cast<double>(timer.elapsed()) / 1000);
    const Corpus train(dataset.trainCorpus());
    QCOMPARE(train.pairs(), 44294);
    QCOMPARE(dataset.set("valid").sentences, 7283);
    QCOMPARE(dataset.set("test").sentences, 6750);
    QCOMPARE(readFile(dataset.set("test").tokensReference()), readFile(ted / "test.en"));
    // Short sentences ("thank you .") are in both; counted with another program.
    const Json& sets = dataset.manifest()["sets"];
    QCOMPARE(sets["test"]["overlap_with_train"]["source"].get<int>(), 57);
    QCOMPARE(sets["test"]["overlap_with_train"]["target"].get<int>(), 79);
    QCOMPARE(sets["valid"]["overlap_with_train"]["target"].get<int>(), 45);
    TextPipeline pipeline = TextPipeline::load(dataset.textFolder());
    TextLines source((ted / "train.de").string());
    std::string_view line;
    for (std::int64_t i = 0; i < 500 && source.next(line); ++i) {
      QCOMPARE(train.ids(CorpusSide::kSource, i).toVector(), pipeline.encode(Side::kSource, line));
    }
  }

  void preparesMulti30k() {
    const TemporaryFolder folder;
    const Dataset dataset =
        prepareDataset(folder / "datasets", byRecipe("multi30k-deen", {kData / "multi30k"}))
            .dataset;
    QCOMPARE(Corpus(dataset.trainCorpus()).pairs(), 29000);
    QCOMPARE(dataset.set("valid").sentences, 1014);
    QVERIFY(dataset.set("test").test);
    QCOMPARE(readLines(dataset.set("test").rawReference().string()),
             readLines((kData / "multi30k/test_2016_flickr.en.gz").string()));
  }

  void splitsTatoebaByEnglishSentence() {
    const TemporaryFolder folder;
    const Dataset dataset =
        prepareDataset(folder / "datasets", byRecipe("tatoeba-deen", {kData / "tatoeba"})).dataset;
    const Json& manifest = dataset.manifest();
    QCOMPARE(manifest["train"]["read"].get<int>(), 169813);
    for (const char* name : {"valid", "test"}) {
      QCOMPARE(dataset.set(name).sentences, 2000);
      QCOMPARE(manifest["sets"][name]["overlap_with_train"]["target"].get<int>(), 0);
    }
    QVERIFY(manifest["train"]["dropped"]["same sentence as a drawn pair"].get<int>() > 0);
  }

  void preparesWmtWithNewstest() {
    const TemporaryFolder folder;
    for (const std::string side : {"en", "de"}) {
      const auto lines = readLines(
          (kData / "wmt-ende-10k" / (side == "en" ? "src-train.txt" : "tgt-train.txt")).string());
      std::string parts[3];
      for (std::size_t i = 0; i < lines.size(); ++i) parts[i % 3] += lines[i] + "\n";
      put(folder / ("in/training/europarl-v7.de-en." + side), parts[0]);
      put(folder / ("in/commoncrawl.de-en." + side), parts[1]);
      put(folder / ("in/training/news-commentary-v9.de-en." + side), parts[2]);
    }
    PrepareOptions options = byRecipe("wmt14-ende", {folder / "in", kData / "newstest"});
    options.bpeMerges = 2000;
    const Dataset dataset = prepareDataset(folder / "datasets", options).dataset;
    QCOMPARE(dataset.set("valid").sentences, 6003);
    QCOMPARE(dataset.set("test").sentences, 3003);
    QVERIFY(!dataset.set("valid").test);
  }

  // The archive with the standard evaluation sets and other training data: the sets are correct,
  // the counts are rejected.
  void checksTheCountsOfIwslt() {
    const TemporaryFolder folder;
    const fs::path archive = folder / "de-en.tgz";
    fs::create_directories(folder / "de-en");
    for (const auto& entry : fs::directory_iterator(kData / "ted-deen/xml"))
      fs::copy_file(entry.path(), folder / "de-en" / entry.path().filename());
    std::string text[2];
    for (int i = 0; i < 100; ++i) {
      text[0] += fmt::format("<url>http://{}</url>\n<title>Titel {}</title>\nSatz {}.\n", i, i, i);
      text[1] +=
          fmt::format("<url>http://{}</url>\n<title>Title {}</title>\nSentence {}.\n", i, i, i);
    }
    put(folder / "de-en/train.tags.de-en.de", text[0]);
    put(folder / "de-en/train.tags.de-en.en", text[1]);
    QCOMPARE(std::system(("cd " + folder.path().string() + " && tar czf de-en.tgz de-en").c_str()),
             0);
    PrepareOptions options = byRecipe("iwslt14-deen", {archive});
    std::string message;
    try {
      prepareDataset(folder / "datasets", options);
    } catch (const Error& error) {
      message = error.what();
    }
    QVERIFY2(
        message.find("train: 192 instead of 160239; valid: 8 instead of 7283; vocabulary.source") !=
            std::string::npos,
        message.c_str());
    QVERIFY(!fs::exists(folder / "datasets/iwslt14-deen"));
    options.expected.enforced = false;
    const Dataset dataset = prepareDataset(folder / "datasets", options).dataset;
    QCOMPARE(readFile(dataset.set("test").tokensSource()), readFile(kData / "ted-deen/test.de"));
    QCOMPARE(readFile(dataset.set("test").tokensReference()), readFile(kData / "ted-deen/test.en"));
  }

  // With its own 10,000 merges, at 4,096 tokens per batch, at most a tenth of the positions is
  // padding.
  void paddingWasteOnTed() {
    const fs::path data = kData / "ted-deen";
    WordCounter words;
    words.addText(readFile(data / "train.de"));
    words.addText(readFile(data / "train.en"));
    Bpe bpe(learnBpe(words, {.merges = 10000}).codes, "codes");
    Vocabulary vocabulary;
    const auto sourceLines = linesOf(data / "train.de"), targetLines = linesOf(data / "train.en");
    TemporaryFolder folder;
    CorpusWriter writer(folder / "c", vocabulary.size(), vocabulary.size());
    for (std::size_t i = 0; i < sourceLines.size(); ++i) {
      writer.add(vocabulary.encode(bpe.apply(sourceLines[i])),
                 vocabulary.encode(bpe.apply(targetLines[i])));
    }
    writer.finish();
    const Corpus corpus(folder / "c");
    Batcher batcher(corpus, {.size = 4096});
    const BatchReport& report = batcher.report();
    qInfo("pairs %lld batches %lld left out %lld waste %.4f",
          static_cast<long long>(report.sentences), static_cast<long long>(report.batches),
          static_cast<long long>(report.leftOut), report.paddingWaste());
    QCOMPARE(report.sentences + report.leftOut, static_cast<std::int64_t>(sourceLines.size()));
    QVERIFY(report.paddingWaste() <= 0.10);
  }

  // The standard test set of IWSLT14 German-English is made of five raw sets, tokenized and
  // lower-cased.
  void makesTheStandardTestSetFromXml() {
    const fs::path ted = kData / "ted-deen";
    for (const std::string language : {"de", "en"}) {
      const Tokenizer tokenizer({.language = language});
      const auto expected = everything({.location = (ted / ("test." + language)).string()});
      QCOMPARE(expected.size(), std::size_t{6750});
      std::size_t at = 0;
      for (const char* set :
           {"TED.dev2010", "TEDX.dev2012", "TED.tst2010", "TED.tst2011", "TED.tst2012"}) {
        const auto xml =
            ted / "xml" / ("IWSLT14." + std::string(set) + ".de-en." + language + ".xml");
        for (const std::string& line : everything({.location = xml.string(),
                                       .keepEntities = true,
                                       .replace = {{"\xe2\x80\x99", "'"}}})) {
          std::string tokens, lower;
          tokenizer.tokenize(line, tokens);
          lowercase(tokens, lower);
          if (lower != expected[at])
            qWarning("%s line %zu: %s / %s", language.c_str(), at + 1, lower.c_str(),
                     expected[at].c_str());
          QCOMPARE(lower, expected[at++]);
        }
      }
      QCOMPARE(at, expected.size());
    }
  }
};

STRATA_GUILESS_TEST(TestRealCorpora)
#include "test_real_corpora.moc"
