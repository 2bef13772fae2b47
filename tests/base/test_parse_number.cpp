#include <QTest>
#include <cmath>
#include <cstdint>

#include "core/base/parse_number.h"
#include "tests/program.h"

using namespace strata;

class TestParseNumber : public QObject {
  Q_OBJECT

 private slots:
  void allOfATextIsANumber() {
    QVERIFY(parseNumber<int>("12") == 12);
    QVERIFY(parseNumber<int>("-12") == -12);
    QVERIFY(parseNumber<double>("-1.5e-3") == -0.0015);
    QVERIFY(std::isinf(parseNumber<double>("inf").value_or(0)));
    QVERIFY(parseNumber<std::int64_t>("9223372036854775807") == 9223372036854775807);
  }

  void anythingElseIsNone() {
    for (const char* text : {"", " 1", "1 ", "+1", "1x", "x1", "0x1", "1,5", "1.5", "1e3", "--1"})
      QVERIFY2(!parseNumber<int>(text), text);
    for (const char* text : {"", " 1.5", "1.5 ", "+1.5", "1,5", "1.5%", "e3", "1e999"})
      QVERIFY2(!parseNumber<double>(text), text);
    QVERIFY(!parseNumber<std::uint32_t>("-1"));
    QVERIFY(!parseNumber<std::int32_t>("2147483648"));
  }
};

STRATA_APPLESS_TEST(TestParseNumber)
#include "test_parse_number.moc"
