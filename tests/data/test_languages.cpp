#include <QTest>

#include "core/data/corpus.h"
#include "core/data/prepare.h"
#include "core/data/preview.h"
#include "core/data/recipe.h"
#include "core/text/pipeline.h"
#include "core/text/segmentation.h"
#include "tests/fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

// A Chinese-English text of three pairs, and its preparation.
struct Chinese {
  TemporaryFolder folder;
  PrepareOptions options;

  explicit Chinese(const std::string& source = "zh") {
    write("老师喜欢音乐。\n你好，世界！\n我在2023年买了iPhone。\n");
    put(folder / "train.en",
        "The teacher likes music.\nHello, world!\nHe bought an iPhone in 2023; don't ask.\n");
    options.name = "chinese";
    options.sourceLanguage = source;
    options.targetLanguage = "en";
    options.train = {pair()};
    options.sets = {{.name = "valid", .test = false, .parts = {pair()}}};
  }

  void write(const std::string& text) const { put(folder / "train.zh", text); }
  PairInput pair() const {
    return {.source = {.location = (folder / "train.zh").string()},
            .targets = {{.location = (folder / "train.en").string()}}};
  }
  PreparedDataset prepare() const { return prepareDataset(folder / "datasets", options); }
  std::vector<std::string> warnings(const std::string& tokenizer) {
    options.tokenizer = tokenizer;
    return previewDataset(options).warnings;
  }
};

}  // namespace

// What preparing and previewing do with languages that differ from the usual.
class TestLanguages : public QObject {
  Q_OBJECT
 private slots:
  void splitsChineseAndTokenizesEnglish();
  void warnsOfTextWithoutSpaces();
  void leavesSplitTextAlone();
  void goesByTheTextAndNotByTheCode();
  void aFewNamesAreNoReason();
  void looksAtEverySplit();
  void refusesTokenizersThatDoNotFit();
  void lowercasesByTheLanguage();
  void truecasesByTheLanguage();
  void recipesNameATokenizer();
};

void TestLanguages::splitsChineseAndTokenizesEnglish() {
  Chinese text;
  text.options.tokenizer = "icu";
  const PreparedDataset result = text.prepare();
  QVERIFY(result.warnings.size() == 1);  // the evaluation set is train itself
  const EvaluationSet& valid = result.dataset.set("valid");
  QCOMPARE(linesOf(valid.tokensSource())[0], std::string("老师 喜欢 音乐 。"));
  QCOMPARE(linesOf(valid.tokensReference())[2],
           std::string("He bought an iPhone in 2023 ; don &apos;t ask ."));
  TextPipeline pipeline = TextPipeline::load(result.dataset.textFolder());
  QCOMPARE(pipeline.side(Side::kSource).tokenizer, std::string("icu"));
  QCOMPARE(pipeline.side(Side::kTarget).tokenizer, std::string("moses"));
  // A user's text gets the ids that training saw, and comes back as it was.
  const Corpus train(result.dataset.trainCorpus());
  const auto ids = train.ids(CorpusSide::kSource, 0).toVector();
  QCOMPARE(pipeline.encode(Side::kSource, "老师喜欢音乐。"), ids);
  QCOMPARE(pipeline.text(Side::kSource, pipeline.tokensOf(Side::kSource, ids)),
           std::string("老师喜欢音乐。"));
  // The manifest says what the words depend on.
  const Json& manifest = result.dataset.manifest();
  QCOMPARE(manifest["options"]["tokenizer"].get<std::string>(), std::string("icu"));
  QCOMPARE(manifest["pipeline"]["source"]["segmenter"].get<std::string>(), segmenterVersion());
  QVERIFY(text.prepare().unchanged);
}

void TestLanguages::warnsOfTextWithoutSpaces() {
  Chinese text;
  QVERIFY(text.warnings("icu").empty());
  for (const char* tokenizer : {"none", "moses"}) {
    const auto warnings = text.warnings(tokenizer);
    QCOMPARE(warnings.size(), std::size_t(1));
    QHOLDS(warnings[0], "source (zh) of train, valid: text of a script without spaces");
    QHOLDS(warnings[0], "use --tokenizer icu, or");
    const auto prepared = text.prepare().warnings;
    QVERIFY(std::ranges::find(prepared, warnings[0]) != prepared.end());
  }
  for (const char* line : {"日本語の文章を翻訳します", "ภาษาไทยง่ายมากครับ", "ខ្ញុំស្រលាញ់ភាសាខ្មែរ"}) {
    text.write(fmt::format("{0}\n{0}\n{0}\n", line));
    QCOMPARE(text.warnings("none").size(), std::size_t(1));
  }
}

void TestLanguages::leavesSplitTextAlone() {
  Chinese text;
  text.write("我 在 北京 工作 。\n你好 ， 世界 ！\n他 在 2023年 买了 iPhone 。\n");
  QVERIFY(text.warnings("none").empty());
  text.write("我 在 北 京 工 作 。\n你 好 ， 世 界 ！\n他 在 2 0 2 3 年 买 了 iPhone 。\n");
  QVERIFY(text.warnings("none").empty());
  text.write("한국어 문장입니다 .\n안녕하세요 세계 !\nཁྱེད་རང་བདེ་མོ།\n");
  QVERIFY(text.warnings("none").empty());
}

void TestLanguages::goesByTheTextAndNotByTheCode() {
  Chinese text("cn");
  const auto warnings = text.warnings("moses");
  QCOMPARE(warnings.size(), std::size_t(1));
  QHOLDS(warnings[0], "source (cn)");
  QHOLDS(warnings[0], "give the language's code (--source zh, ja, th, ...)");
  text.write("The teacher likes music.\nHello, world!\nHe bought an iPhone.\n");
  text.options.sourceLanguage = "zh";
  QVERIFY(text.warnings("moses").empty());
}

void TestLanguages::aFewNamesAreNoReason() {
  Chinese text("en");
  text.write(
      "The city of 中华人民共和国 in the north of the country\nHello, world\nnothing else\n");
  QVERIFY(text.warnings("moses").empty());
}

// Train was split, the evaluation set was not.
void TestLanguages::looksAtEverySplit() {
  Chinese text;
  put(text.folder / "split.zh", "我 在 北京 工作 。\n你好 ， 世界 ！\n他 买 了 。\n");
  text.options.train[0].source.location = (text.folder / "split.zh").string();
  const auto warnings = text.warnings("none");
  QCOMPARE(warnings.size(), std::size_t(1));
  QHOLDS(warnings[0], "source (zh) of valid:");
}

void TestLanguages::refusesTokenizersThatDoNotFit() {
  Chinese text("de");
  text.options.tokenizer = "icu";
  for (const auto& call : {std::function<void()>([&] { previewDataset(text.options); }),
                           std::function<void()>([&] { text.prepare(); })}) {
    QHOLDS(usageErrorOf(call), "neither de nor en is the code of one");
  }
  text.options.tokenizer = "jieba";
  QHOLDS(usageErrorOf([&] { previewDataset(text.options); }), "expected one of moses, icu, none");
}

void TestLanguages::lowercasesByTheLanguage() {
  Chinese text("tr");
  text.write("IĞDIR İstanbul\nISPARTA\nAĞRI\n");
  text.options.lowercase = true;
  const Dataset dataset = text.prepare().dataset;
  QCOMPARE(linesOf(dataset.set("valid").tokensSource()),
           (std::vector<std::string>{"ığdır istanbul", "ısparta", "ağrı"}));
  QCOMPARE(linesOf(dataset.set("valid").tokensReference())[0],
           std::string("the teacher likes music."));
  TextPipeline pipeline = TextPipeline::load(dataset.textFolder());
  QCOMPARE(pipeline.encode(Side::kSource, "ISPARTA"), pipeline.encode(Side::kSource, "ısparta"));
  QCOMPARE(pipeline.side(Side::kTarget).casing, std::string());
}

void TestLanguages::truecasesByTheLanguage() {
  Chinese text("tr");
  text.write("Bu ışık iyi .\nBu ışık iyi .\nIşık İzmir .\n");
  text.options.truecase = true;
  TextPipeline pipeline = TextPipeline::load(text.prepare().dataset.textFolder());
  QCOMPARE(pipeline.tokens(Side::kSource, "Işık iyi ."), std::string("ışık iyi ."));
  QCOMPARE(pipeline.tokens(Side::kSource, "İyi ışık ."), std::string("iyi ışık ."));
  QCOMPARE(pipeline.text(Side::kSource, "iyi ışık ."), std::string("İyi ışık ."));
}

void TestLanguages::recipesNameATokenizer() {
  const auto zhen = builtInRecipe("zhen-captions");
  QVERIFY(zhen.has_value());
  QCOMPARE(zhen->options.tokenizer, std::string("icu"));
  // The paper says nothing of lower-casing Turkish-English.
  for (const char* name : {"setimes-tren", "setimes-tren-morph"})
    QVERIFY(!builtInRecipe(name)->options.lowercase);
  const std::string text =
      "recipe: x\ntitle: X\nlicence: none\norigin: here\nget: \"write it\"\nsource: zh\ntarget: "
      "en\n"
      "options: {tokenizer: jieba}\ntrain: [{source: a, target: b}]\n";
  QHOLDS(usageErrorOf([&] { parseRecipe(text, "x.yaml"); }), "'tokenizer'");
}

STRATA_GUILESS_TEST(TestLanguages)
#include "test_languages.moc"
