#include <QTest>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/text/bpe.h"
#include "core/text/vocabulary.h"
#include "tests/fixture.h"
#include "tests/program.h"
#include "tests/warnings.h"

using namespace strata;

class TestVocabulary : public QObject {
  Q_OBJECT
 private slots:
  void wordsStartAtFour() {
    const Vocabulary vocabulary = Vocabulary::parse("the 7\ncat 2\n", "v");
    QCOMPARE(vocabulary.size(), std::int64_t{6});
    QCOMPARE(vocabulary.idOf("the"), 4);
    QCOMPARE(vocabulary.idOf("dog"), 3);
    QCOMPARE(vocabulary.wordOf(5), std::string("cat"));
    QCOMPARE(vocabulary.countOf(4), std::int64_t{7});
    QCOMPARE(vocabulary.wordOf(2), std::string("</s>"));
    QVERIFY_THROWS_EXCEPTION(Error, vocabulary.wordOf(6));
    QVERIFY_THROWS_EXCEPTION(Error, vocabulary.wordOf(-1));
  }

  void encodesAndDecodes() {
    const Vocabulary vocabulary = Vocabulary::parse("the 7\ncat 2\n", "v");
    const std::vector<std::int32_t> ids{4, 3, 5};
    QCOMPARE(vocabulary.encode(" the dog  cat "), ids);
    QCOMPARE(vocabulary.decode({4, 3, 5, 2, 1}), std::string("the <unk> cat"));
  }

  void textYieldsNoControlIds() {
    const Vocabulary vocabulary = Vocabulary::parse("the 7\n", "v");
    const std::vector<std::int32_t> unknown{3, 3, 3, 3};
    QCOMPARE(vocabulary.encode("<s> </s> <pad> <unk>"), unknown);
    const Vocabulary odd = Vocabulary::parse("</s> 3\n<unk> 2\nx 1\n", "v");
    QCOMPARE(odd.idOf("</s>"), 4);
    QCOMPARE(odd.idOf("x"), 5);
    QCOMPARE(odd.countOf(3), std::int64_t{2});
  }

  void writesWhatItReads() {
    TemporaryFolder folder;
    const std::string text = "the 7\nThe 2\ne\xCC\x81 2\n\xC3\xA9 1\n";
    Vocabulary::parse(text, "v").write(folder / "vocabulary");
    QCOMPARE(readFile(folder / "vocabulary"), text);
    QCOMPARE(Vocabulary::read(folder / "vocabulary").toText(), text);
  }

  // Their words would be others: `"the":` of YAML, or a piece's score taken for a count.
  void vocabulariesOfOtherToolsAreRefusedByName() {
    TemporaryFolder folder;
    const auto refusal = [&](std::string_view text) {
      put(folder / "v", text);
      const std::string said = usageErrorOf([&] { Vocabulary::read(folder / "v"); });
      return usageErrorOf([&] { readBpeCodes(folder / "v"); }) == said ? said : "";
    };
    QHOLDS(refusal("\"the\": 0\n\"cat\": 1\n"), "v: is a vocabulary in YAML");
    QHOLDS(refusal("the: 0\r\n\"::\": 1\r\n"), "as Marian writes it");
    QHOLDS(refusal("<unk>\t0\n\u2581the\t-2.5\ne\t-1e1\n"), "a vocabulary of SentencePiece");
    QHOLDS(refusal("<unk>\t0\nthe\t120\n"), "a vocabulary with tabs, as OpenNMT-py writes it");
    QHOLDS(refusal("<unk>\t0\nthe\t0.0\n"), "a vocabulary of SentencePiece");
    QHOLDS(refusal(std::string("\n\x0e\n\x05<unk>\x15\0\0\0\0\x18\x02", 16)),
           "a model of SentencePiece");
    QHOLDS(refusal("{\"the\": 0, \"cat\": 1}"), "a vocabulary in JSON");
    QHOLDS(refusal("{\n  \"version\": \"1.0\",\n  \"added_tokens\": []}\n"),
           "a tokenizer of Hugging Face");
    // Words that only look so.
    for (const char* text : {"{ 5\n\"a\" 3\n", "the: 7\ncat 2\n", "{\"a 5\n", ": 3\n"}) {
      put(folder / "v", text);
      QVERIFY2(Vocabulary::read(folder / "v").size() > 4, text);
    }
  }

  void namesBadLines() {
    QVERIFY(errorOf([] { Vocabulary::parse("a 1\na 2\n", "v"); }).starts_with("v:2:"));
    QVERIFY(errorOf([] { Vocabulary::parse("a\n", "v"); }).starts_with("v:1:"));
    QVERIFY(errorOf([] { Vocabulary::parse("a 1\n\n", "v"); }).starts_with("v:2:"));
    QVERIFY(errorOf([] { Vocabulary::parse("a x\n", "v"); }).starts_with("v:1:"));
    QVERIFY(errorOf([] { Vocabulary::parse("a b 1\n", "v"); }).starts_with("v:1:"));
    QVERIFY(errorOf([] { Vocabulary::parse("a 1\nx\xFF 1\n", "v"); }).starts_with("v:2: byte 2"));
    QVERIFY(errorOf([] { Vocabulary::read("/nowhere/vocab"); }).find("/nowhere/vocab") !=
            std::string::npos);
  }

  // What fairseq and subword-nmt read without a word, or with another meaning.
  void namesWhatIsNoVocabulary() {
    const auto errorIn = [](const char* text) {
      return errorOf([&] { Vocabulary::parse(text, "v"); });
    };
    QHOLDS(errorIn("<s> 1\nthe 7\n<s> 1\n"), "v:3: \"<s>\" is in this vocabulary twice");
    QHOLDS(errorIn("<unk> 2\nthe 7\n<unk> 3\n"), "v:3: \"<unk>\" is in this vocabulary twice");
    QHOLDS(errorIn("the 7\n<s> 1 #fairseq:overwrite\n"), "v:2: '<s>' has fairseq's mark");
    QHOLDS(errorIn("the -7\n"), "v:1: the count of \"the\" is -7; expected at least 0");
    QHOLDS(errorIn("#version: 0.2\nt h\n"), "v:1: these are BPE codes, not a vocabulary");
    QHOLDS(errorIn("t h\nth e</w>\n"), "is this a file of BPE codes?");
    TemporaryFolder folder;
    put(folder / "empty", "");
    QHOLDS(errorOf([&] { Vocabulary::read(folder / "empty"); }), "empty: is empty");
  }

  void aByteOrderMarkBelongsToNoWord() {
    TemporaryFolder folder;
    put(folder / "marked", "\xEF\xBB\xBFthe 7\n\xEF\xBB\xBF 1\n</s> 1\n");
    const Warnings warnings;
    const Vocabulary vocabulary = Vocabulary::read(folder / "marked");
    QHOLDS(warnings.text(), "marked: dropped the byte order mark");
    QHOLDS(warnings.text(), "marked: \"</s>\" is read as an ordinary word");
    QCOMPARE(vocabulary.idOf("the"), 4);
    QCOMPARE(vocabulary.idOf("\xEF\xBB\xBF"), 5);  // elsewhere it is a character
    put(folder / "wide", std::string("\xFF\xFEt\0", 4));
    QHOLDS(errorOf([&] { Vocabulary::read(folder / "wide"); }), "wide: looks like UTF-16");
  }
};

STRATA_GUILESS_TEST(TestVocabulary)
#include "test_vocabulary.moc"
