#include <QTest>

#include "core/text/casing.h"
#include "core/text/language.h"
#include "core/text/truecaser.h"
#include "tests/fixture.h"
#include "tests/program.h"
#include "text/same.h"

using namespace strata;
using strata::testing::same;

namespace {

std::string lower(const std::string& casing, const std::string& text) {
  std::string out = "left over";
  lowercaseIn(casing, text, out);
  return out;
}

std::string first(const std::string& casing, const std::string& word) {
  std::string out;
  appendUppercasedFirstIn(casing, word, out);
  return out;
}

}  // namespace

// The language-specific mappings of Unicode's SpecialCasing.txt.
class TestCasing : public QObject {
  Q_OBJECT
 private slots:
  void turkishHasTwoLettersI() {
    for (const char* code : {"tr", "az"}) {
      same(lower(code, "IĞDIR İstanbul ISPARTA"), "ığdır istanbul ısparta");
      same(lower(code, "I\u0307x"), "ix");  // İ in two characters
      same(lower(code, "ÇÖŞÜĞ Straße"), "çöşüğ straße");
      same(first(code, "iyi"), "İyi");
      same(first(code, "ışık"), "Işık");
    }
    same(lower("", "IĞDIR İstanbul"), "iğdir i\u0307stanbul");
  }

  void otherLanguagesHaveRulesToo() {
    same(lower("el", "ΟΔΟΣ ΣΑΣ"), "οδος σας");
    same(lower("", "ΟΔΟΣ ΣΑΣ"), "οδοσ σασ");
    same(lower("lt", "\u00CC I\u0301"), "i\u0307\u0300 i\u0307\u0301");
    same(lower("nl", "IJS"), "ijs");
    same(first("nl", "ijs"), "IJs");
    same(first("", "ijs"), "Ijs");
    same(first("el", "άνθρωπος"), "Άνθρωπος");
  }

  void onlyLanguagesWithRulesAreNamed() {
    for (const char* code : {"tr", "tur", "tr-TR", "tr_CY"})
      QCOMPARE(casingOf(code), std::string("tr"));
    QCOMPARE(casingOf("aze"), std::string("az"));
    QCOMPARE(casingOf("gre"), std::string("el"));
    for (const char* code : {"en", "de", "zh", "", "t", "turk", "../tr"})
      QCOMPARE(casingOf(code), std::string());
  }

  // The start of a sentence is known by its word elsewhere, and gets its own capital back.
  void truecasesTurkish() {
    TruecaserTrainer trainer("tr");
    for (int i = 0; i < 3; ++i) trainer.add("bu ışık iyi , İstanbul .");
    const std::string model = trainer.model();
    const Truecaser truecaser = Truecaser::parse(model, "model", "tr");
    std::string out;
    truecaser.truecase("Işık iyi", out);
    same(out, "ışık iyi");
    truecaser.truecase("İyi ışık", out);
    same(out, "iyi ışık");
    truecaser.truecase("İSTANBUL iyi", out);
    same(out, "İstanbul iyi");
    detruecaseIn("tr", "iyi . ışık", out);
    same(out, "İyi . Işık");
    // Moses's rules find none of them.
    Truecaser::parse(model, "model").truecase("Işık iyi", out);
    same(out, "Işık iyi");
    detruecase("iyi . ışık", out);
    same(out, "Iyi . Işık");
  }
};

STRATA_GUILESS_TEST(TestCasing)
#include "test_casing.moc"
