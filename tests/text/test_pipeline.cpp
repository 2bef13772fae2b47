#include <QTest>

#include "core/base/files.h"
#include "core/text/pipeline.h"
#include "core/text/segmentation.h"
#include "core/text/truecaser.h"
#include "tests/fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

std::string truecaserModel() {
  TruecaserTrainer trainer;
  for (int i = 0; i < 3; ++i) trainer.add("x the Haus is small .");
  return trainer.model();
}

// Source: Moses tokens, truecased, BPE. Target: tokens as they come, lower-cased, words.
TextPipeline example() {
  PipelineSide source;
  source.language = "de";
  source.tokenizer = "moses";
  source.truecaser = truecaserModel();
  source.codes = "#version: 0.2\nt h\nth e</w>\nH a\nHa u\n";
  source.vocabulary = Vocabulary::parse("the 5\nHau@@ 3\ns 3\n. 2\n", "v");
  PipelineSide target;
  target.lowercase = true;
  target.vocabulary = Vocabulary::parse("das 5\nhaus 3\n", "v");
  return {std::move(source), std::move(target)};
}

}  // namespace

class TestPipeline : public QObject {
  Q_OBJECT
 private slots:
  void appliesItsStepsInOrder() {
    TextPipeline pipeline = example();
    QCOMPARE(pipeline.tokens(Side::kSource, "The Haus."), std::string("the Haus ."));
    QCOMPARE(pipeline.units(Side::kSource, "the Haus ."), std::string("the Hau@@ s ."));
    const std::vector<std::int32_t> ids{4, 5, 6, 7};
    QCOMPARE(pipeline.encode(Side::kSource, "The Haus."), ids);
    QCOMPARE(pipeline.tokens(Side::kTarget, "Das Haus."), std::string("das haus."));
    const std::vector<std::int32_t> target{4, 3};
    QCOMPARE(pipeline.encode(Side::kTarget, "Das Haus."), target);
  }

  void goesBackToText() {
    TextPipeline pipeline = example();
    QCOMPARE(pipeline.tokensOf(Side::kSource, {4, 5, 6, 7, 2}), std::string("the Haus ."));
    QCOMPARE(pipeline.text(Side::kSource, "the Haus ."), std::string("The Haus."));
    QCOMPARE(pipeline.tokensOf(Side::kTarget, {4, 3, 5}), std::string("das <unk> haus"));
    QCOMPARE(pipeline.text(Side::kTarget, "das haus ."), std::string("das haus ."));
    // Without BPE a mark at a word's end is text.
    QCOMPARE(pipeline.joinUnits(Side::kTarget, "a@@ b"), std::string("a@@ b"));
  }

  // Chinese to Turkish: words by ICU, and case by Turkish rules.
  void splitsAndJoinsTextWithoutSpaces() {
    PipelineSide chinese{.language = "zh", .tokenizer = "icu"};
    chinese.vocabulary = Vocabulary::parse("我 5\n喜欢 4\n北京 3\n。 2\n", "v");
    PipelineSide turkish{.language = "tr", .tokenizer = "moses", .lowercase = true, .casing = "tr"};
    turkish.vocabulary = Vocabulary::parse("ısparta 5\n", "v");
    TemporaryFolder folder;
    TextPipeline(chinese, turkish).save(folder.path());
    TextPipeline pipeline = TextPipeline::load(folder.path());
    QCOMPARE(pipeline.tokens(Side::kSource, "我喜欢北京。"), std::string("我 喜欢 北京 。"));
    QCOMPARE(pipeline.encode(Side::kSource, " 我喜欢 北京。"),
             (std::vector<std::int32_t>{4, 5, 6, 7}));
    QCOMPARE(pipeline.text(Side::kSource, pipeline.tokensOf(Side::kSource, {4, 5, 6, 3, 7, 2})),
             std::string("我喜欢北京<unk>。"));
    QCOMPARE(pipeline.tokens(Side::kTarget, "ISPARTA."), std::string("ısparta ."));
    const Json description = pipeline.description();
    QCOMPARE(description["format"].get<int>(), 2);
    QCOMPARE(description["source"]["segmenter"].get<std::string>(), segmenterVersion());
    QVERIFY(!description["source"].contains("casing"));
    QCOMPARE(description["target"]["casing"].get<std::string>(), std::string("tr"));
  }

  // A pipeline of an earlier version: Turkish by Moses's rules, and the same file when it is saved.
  void keepsTheMeaningOfEarlierPipelines() {
    TemporaryFolder folder;
    PipelineSide side{.language = "tr", .lowercase = true};
    TextPipeline(side, side).save(folder.path());
    const std::string written = readFile(folder / "pipeline.yaml");
    QHOLDS(written, "format: 1\n");
    QVERIFY(!holds(written, "casing") && !holds(written, "segmenter"));
    const TextPipeline loaded = TextPipeline::load(folder.path());
    QCOMPARE(loaded.tokens(Side::kSource, "IĞDIR İyi"), std::string("iğdir i\u0307yi"));
    loaded.save(folder / "again");
    QCOMPARE(readFile(folder / "again" / "pipeline.yaml"), written);
  }

  // Another ICU still works; what no version has written is refused.
  void namesWhatSplitItsWords() {
    TemporaryFolder folder;
    PipelineSide side{.language = "ja", .tokenizer = "icu", .segmenter = "ICU 1.2"};
    TextPipeline(side, {}).save(folder.path());
    const fs::path file = folder / "pipeline.yaml";
    QCOMPARE(TextPipeline::load(folder.path()).side(Side::kSource).segmenter,
             std::string("ICU 1.2"));
    std::string text = readFile(file);
    put(file, text.replace(text.find("  segmenter:"), std::string("  segmenter: ICU 1.2\n").size(),
                           "  casing: xx\n  segmenter: ICU 1.2\n"));
    QHOLDS(errorOf([&] { TextPipeline::load(folder.path()); }), "unknown casing \"xx\"");
  }

  void holdsBpeToItsVocabulary() {
    PipelineSide side;
    side.codes = "#version: 0.2\nl o\nlo w</w>\n";
    side.bpeVocabulary = "low 9\nlo@@ 40\nw 40\n";
    side.bpeThreshold = 10;
    TextPipeline pipeline(side, {});
    QCOMPARE(pipeline.units(Side::kSource, "low"), std::string("lo@@ w"));
  }

  void survivesItsFolder() {
    TemporaryFolder folder;
    TextPipeline saved = example();
    saved.save(folder / "text");
    TextPipeline loaded = TextPipeline::load(folder / "text");
    QVERIFY(loaded.description() == saved.description());
    QCOMPARE(loaded.encode(Side::kSource, "The Haus."), saved.encode(Side::kSource, "The Haus."));
    QCOMPARE(loaded.text(Side::kSource, "the Haus ."), std::string("The Haus."));
    QCOMPARE(loaded.side(Side::kSource).language, std::string("de"));

    // The files it names are all there are, and a copy of them is a pipeline.
    const auto files = TextPipeline::files(folder / "text");
    QCOMPARE(std::distance(fs::directory_iterator(folder / "text"), {}),
             std::ptrdiff_t(files.size()));
    fs::create_directory(folder / "run");
    for (const auto& file : files) linkOrCopy(folder / "text" / file, folder / "run" / file);
    QVERIFY(TextPipeline::load(folder / "run").description() == saved.description());
  }

  void namesDamage() {
    TemporaryFolder folder;
    example().save(folder.path());
    writeFileAtomic(folder / "codes.source", "#version: 0.2\nt h\n");
    QVERIFY(errorOf([&] { TextPipeline::load(folder.path()); }).find("codes.source") !=
            std::string::npos);
    example().save(folder.path());
    fs::remove(folder / "vocabulary.target");
    QVERIFY(errorOf([&] { TextPipeline::load(folder.path()); }).find("vocabulary.target") !=
            std::string::npos);
    writeFileAtomic(folder / "pipeline.yaml", "format: 3\n");
    QVERIFY(errorOf([&] { TextPipeline::load(folder.path()); }).find("format 3") !=
            std::string::npos);
    writeFileAtomic(folder / "pipeline.yaml", "format: 1\n");
    QVERIFY(errorOf([&] { TextPipeline::load(folder.path()); }).find("source") !=
            std::string::npos);
    QVERIFY(errorOf([&] { TextPipeline::load(folder / "nothing"); }).find("pipeline.yaml") !=
            std::string::npos);
  }

  // A folder that no manifest covers: every flip of pipeline.yaml shows, also one that is YAML
  // still.
  void sealedFoldersShowEveryFlip() {
    TemporaryFolder folder;
    example().save(folder.path());
    const fs::path file = folder / "pipeline.yaml";
    TextPipeline::seal(folder.path());
    QVERIFY(TextPipeline::load(folder.path()).description() == example().description());
    const std::string text = readFile(file);
    for (std::size_t i = 0; i < text.size(); ++i) {
      std::string flipped = text;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << i % 8));
      put(file, flipped);
      QHOLDS(errorOf([&] { TextPipeline::load(folder.path()); }), "pipeline.yaml is damaged");
    }
    put(file, text);
    put(folder / "pipeline.digest", "0123456789abcdef0123456789abcdef\n");
    QHOLDS(errorOf([&] { TextPipeline::load(folder.path()); }), "pipeline.yaml is damaged");
    TextPipeline::seal(folder.path());
    TextPipeline::load(folder.path());
  }

  void refusesWhatContradictsItself() {
    PipelineSide side;
    side.tokenizer = "spacy";
    QVERIFY(errorOf([&] { TextPipeline(side, {}); }).find("spacy") != std::string::npos);
    side.tokenizer = "none";
    side.lowercase = true;
    side.truecaser = truecaserModel();
    QVERIFY(!errorOf([&] { TextPipeline(side, {}); }).empty());
  }
};

STRATA_GUILESS_TEST(TestPipeline)
#include "test_pipeline.moc"
