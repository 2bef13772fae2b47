// Small cases of the Moses filters, each with the output of the reference scripts.
#include <QTest>

#include "core/base/error.h"
#include "core/text/casing.h"
#include "core/text/detokenizer.h"
#include "core/text/nonbreaking_prefixes.h"
#include "core/text/punctuation.h"
#include "core/text/tokenizer.h"
#include "core/text/truecaser.h"
#include "tests/program.h"
#include "text/same.h"

using namespace strata;
using strata::testing::same;

namespace {

std::string tokenized(const std::string& line, const TokenizerOptions& options = {}) {
  std::string out;
  Tokenizer(options).tokenize(line, out);
  return out;
}

std::string in(const std::string& language, const std::string& line) {
  return tokenized(line, {.language = language});
}

std::string detokenized(const std::string& language, const std::string& line) {
  std::string out;
  Detokenizer({.language = language}).detokenize(line, out);
  return out;
}

std::string normalized(const std::string& language, const std::string& line, bool penn = false) {
  std::string out;
  PunctuationNormalizer({.language = language, .penn = penn}).normalize(line, out);
  return out;
}

std::string truecased(const std::string& model, const std::string& line) {
  std::string out;
  Truecaser::parse(model, "model").truecase(line, out);
  return out;
}

std::string detruecased(const std::string& line) {
  std::string out;
  detruecase(line, out);
  return out;
}

}  // namespace

class TestMosesFilters : public QObject {
  Q_OBJECT

 private slots:
  void separatesPunctuation() {
    same(tokenized("Hello, world!"), "Hello , world !");
    same(tokenized("a (b) \"c\" [d] e&f|g"),
         "a ( b ) &quot; c &quot; &#91; d &#93; e &amp; f &#124; g");
    same(tokenized("a <b>", {.escape = false}), "a < b >");
    same(tokenized("well-known 3-4", {.aggressive = true}), "well @-@ known 3 @-@ 4");
    same(tokenized("well-known"), "well-known");
  }

  void keepsNumbersAndRunsOfStops() {
    same(tokenized("10,000 a,b 5,"), "10,000 a , b 5 ,");
    same(tokenized(",5 x"), ",5 x");
    same(tokenized("Wait...no.. why"), "Wait ... no .. why");
    same(tokenized("DOTMULTI."), "..");
  }

  void splitsFullStopsByPrefix() {
    same(tokenized("Mr. Smith left. He ran."), "Mr. Smith left . He ran .");
    same(tokenized("No. 5 No. Five"), "No. 5 No . Five");
    same(tokenized("the U.S. Army vs. me"), "the U.S. Army vs. me");
    same(in("de", "Das ist z.B. gut. so"), "Das ist z.B. gut. so");
    same(in("xx", "Mr. Smith's"), "Mr. Smith &apos; s");
  }

  void splitsApostrophesByLanguage() {
    same(in("en", "it's tails'"), "it &apos;s tails&apos;");
    same(in("en", "the 1990's a'b'c"), "the 1990 &apos;s a &apos;b&apos;c");
    same(in("en", "He ran.'"), "He ran . &apos; ");
    same(in("fr", "l'homme d' 5"), "l&apos; homme d &apos; 5");
    same(in("it", "l'uomo"), "l&apos; uomo");
    same(in("ga", "d'ith"), "d&apos; ith");
    same(in("so", "go'an 'a"), "go&apos;an &apos; a");
    same(in("tdt", "ha'u ha'A"), "ha&apos;u ha &apos; A");
    same(in("de", "geht's"), "geht &apos; s");
  }

  void keepsWordInternalMarks() {
    same(in("fi", "EU:n USA: EU:N"), "EU:n USA : EU : N");
    same(in("sv", "USA:s"), "USA:s");
    same(in("en", "EU:n"), "EU : n");
    same(in("ca", "il·lusio col·"), "il·lusio col·");
    same(in("en", "il·lusio"), "il · lusio");
  }

  void cleansWhiteSpace() {
    same(tokenized("  a\t\u00a0b\u2028c  "), "a b c");
    same(tokenized(std::string("a\x1c") + "b\x01 \x02 c"), "ab c");
    same(tokenized(" \u3000 "), " \u3000 ");
    same(tokenized(""), "");
    same(tokenized("e\u0301"), "e \u0301");
  }

  void readsPrefixLists() {
    using Kind = NonbreakingPrefixes::Kind;
    const NonbreakingPrefixes english("en");
    QVERIFY(english.find("Mr") == Kind::kAlways);
    QVERIFY(english.find("No") == Kind::kBeforeNumber);
    QVERIFY(english.find("house") == Kind::kNone);
    QVERIFY(NonbreakingPrefixes("xx").find("Mr") == Kind::kAlways);
  }

  void joinsTokens() {
    same(detokenized("en", "Hello , world ! It &apos;s &quot; fine &quot; ."),
         "Hello, world! It's \"fine\".");
    same(detokenized("en", "the Jones &apos; house ( $ 5 )"), "the Jones' house ($5)");
    same(detokenized("fr", "l&apos; homme : oui ?"), "l'homme : oui ?");
    same(detokenized("it", "l&apos; uomo"), "l'uomo");
    same(detokenized("cs", "3 , 5 je - li to"), "3,5 je-li to");
    same(detokenized("fi", "EU: N jäsen"), "EU:n jäsen");
    same(detokenized("zh", "中 国 a"), "中国 a");
    same(detokenized("ko", "한 국"), "한 국");
    same(detokenized("en", "a @-@ b &amp;lt; &#124;"), "a-b &lt; |");
    same(detokenized("en", "<seg> a , b </seg>"), "<seg> a , b </seg>");
    same(detokenized("en", "  "), "  ");
  }

  void normalizesPunctuation() {
    same(normalized("en", "„Hallo“ , n’avez ( a ) 5 %\r"), "\"Hallo\" , n'avez (a) 5%");
    same(normalized("en", "\"a\", \"b\"."), "\"a,\" \"b.\"");
    same(normalized("de", "\"a,\" b. \"c.\" d"), "\"a\", b. \"c\". d");
    same(normalized("de", "a.\"\n"), "a\".\n");
    same(normalized("de", "a.\""), "a.\"");
    same(normalized("cs", "a.\" \"b,\" c"), "a.\" \"b,\" c");
    same(normalized("de", "1\u00a0000 «\u00a0a\u00a0»"), "1,000 \"a\"");
    same(normalized("en", "1\u00a0000"), "1.000");
    same(normalized("en", "`a''b"), "'a \" b");
    same(normalized("en", "``a''", true), "``a\"");
  }

  void changesCase() {
    same(lowercased("ÀΣΑΣ İ Straße ABC"), "àσασ i\u0307 straße abc");
    same(detruecased("ßa . b ( c : &quot; d"), "SSa . B ( c : &quot; D");
    same(detruecased("  a\u00a0b  "), "A b");
  }

  void truecases() {
    const std::string model = "the (5/6) The (1)\nUK (3/3)\n";
    same(truecased(model, "The uk . THE The xyz"), "the UK . the The xyz");
    same(truecased(model, "The|DT uk|NN|x ||"), "the|DT UK|NN|x ||");
    same(truecased(model, "<b> The </b> uk <i>"), "<b> the</b> UK<i>");
    same(truecased(model, "uk|<b>|x <c>"), "UK|<b>| x<c>");
    same(truecased(model, ""), "");
    QVERIFY_THROWS_EXCEPTION(Error, Truecaser::parse("a (1/1)\nb\xff", "model"));
  }

  void trainsTruecaser() {
    TruecaserTrainer trainer;
    trainer.add("The cat saw the UK . The UK saw 5 cats");
    trainer.add("\" So the Cat");
    same(trainer.model(), "UK (2/2)\ncat (1/2) Cat (1)\ncats (1/1)\nsaw (2/2)\nthe (2/2)\n");
  }
};

STRATA_GUILESS_TEST(TestMosesFilters)
#include "test_moses_filters.moc"
