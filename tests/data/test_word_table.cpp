// What the tables of the generated language may hold, and what is said of a line that is wrong.
#include <QtTest>

#include "core/data/generator/lexicon.h"
#include "core/data/generator/word_table.h"
#include "tests/fixture.h"
#include "tests/program.h"

using namespace strata;
using namespace strata::generator;

namespace {

std::vector<WordRow> read(std::string_view text) {
  return readWordTable("words.tsv", text, {"word", "use"});
}

std::string refusal(std::string_view text) {
  return errorOf([&] { read(text); });
}

}  // namespace

class TestWordTable : public QObject {
  Q_OBJECT
 private slots:
  void rowsKeepTheirOrder() {
    const auto rows = read("# words\nword\tuse\n\u00fcber mir\tx\n# between\nab\t-");
    QCOMPARE(rows.size(), std::size_t{2});
    QCOMPARE(rows[0].text("word"), std::string("\u00fcber mir"));
    QCOMPARE(rows[0].letter("use", "yx"), 'x');
    QCOMPARE(rows[1].letters("word", "abc"), std::string("ab"));
    QCOMPARE(rows[1].textOrNothing("use"), std::string());
    QCOMPARE(rows[1].oneOf("word", {"a", "ab"}), std::string("ab"));
  }

  void aWrongLineIsNamed() {
    QCOMPARE(refusal("# words\nword\tuse\na\tx\nb\n"),
             std::string(
                 "words.tsv:4: expected 2 columns with a tab between them (word, use), found 1"));
    QCOMPARE(refusal("word\tuse\na\tx\ty\n"),
             std::string(
                 "words.tsv:2: expected 2 columns with a tab between them (word, use), found 3"));
    QCOMPARE(refusal("word\tuse\n\na\tx\n"),
             std::string(
                 "words.tsv:2: expected 2 columns with a tab between them (word, use), found 1"));
    QCOMPARE(refusal("word\tuse\na\t\n"),
             std::string("words.tsv:2: use is empty; write - for no value"));
    QCOMPARE(refusal("word\tuse\na \tx\n"),
             std::string("words.tsv:2: word is 'a ': remove the spaces around it"));
    QCOMPARE(refusal("word\tuse\n a\tx\n"),
             std::string("words.tsv:2: word is ' a': remove the spaces around it"));
    QVERIFY(refusal("word\tuse\na\tx\r\n").starts_with("words.tsv:2: use is 'x\r'"));
    QCOMPARE(refusal("use\tword\nx\ta\n"),
             std::string("words.tsv:1: expected the column names (word, use), found 'use\tword'"));
    QCOMPARE(refusal("# words\nword\tuse\n"),
             std::string("words.tsv: expected rows of words, found none"));
    QCOMPARE(refusal(""), std::string("words.tsv: expected rows of words, found none"));
  }

  void aWrongFieldIsNamed() {
    const auto rows = read("word\tuse\nab\tx\n");
    const WordRow& row = rows.front();
    QCOMPARE(errorOf([&] { row.letter("use", "yz"); }),
             std::string("words.tsv:2: use is 'x', expected one of the letters yz"));
    QCOMPARE(errorOf([&] { row.letter("word", "abc"); }),
             std::string("words.tsv:2: word is 'ab', expected one of the letters abc"));
    QCOMPARE(errorOf([&] { row.letters("word", "ac"); }),
             std::string("words.tsv:2: word is 'ab', expected only the letters ac"));
    QCOMPARE(errorOf([&] {
               row.oneOf("word", {"a", "b"});
             }),
             std::string("words.tsv:2: word is 'ab', expected one of a, b"));
  }

  // How many words are built in, and some at the ends of the tables.
  void theTablesAreWhole() {
    const auto& lexicon = generator::Lexicon::get();
    QCOMPARE(lexicon.nouns.size(), std::size_t{320});
    QCOMPARE(lexicon.nouns.front().englishPlural, std::string("men"));
    QCOMPARE(lexicon.nouns.back().singular, std::string("Sch\u00fcrze"));
    QCOMPARE(lexicon.nouns.back().englishPlural, std::string("aprons"));
    QCOMPARE(lexicon.verbs.size(), std::size_t{144});
    QCOMPARE(lexicon.verbs.front().third, std::string("sieht"));
    QCOMPARE(lexicon.verbs.back().plural, std::string("gehen"));
    QCOMPARE(lexicon.adjectives.size(), std::size_t{112});
    QCOMPARE(lexicon.adverbs.size(), std::size_t{40});
    QCOMPARE(lexicon.prepositions.size(), std::size_t{16});
    QCOMPARE(lexicon.prepositions[14].english, std::string("because of"));
    QCOMPARE(lexicon.modifiers.size(), std::size_t{50});
    QCOMPARE(lexicon.names.size(), std::size_t{80});
    QCOMPARE(lexicon.towns.size(), std::size_t{320});
    QCOMPARE(lexicon.towns.front(), std::string("Neustadt"));
    QCOMPARE(lexicon.towns.back(), std::string("Br\u00fcckenau"));
  }
};

STRATA_APPLESS_TEST(TestWordTable)
#include "test_word_table.moc"
