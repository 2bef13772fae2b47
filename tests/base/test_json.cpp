#include <QtTest>
#include <cmath>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/strict_map.h"
#include "core/base/text_limits.h"
#include "tests/program.h"

using namespace strata;

class TestJson : public QObject {
  Q_OBJECT

  static std::string failure(std::string_view yaml) {
    try {
      parseYaml(yaml, "f.yaml");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

 private slots:
  void scalars() {
    const auto value =
        parseYaml("a: 1\nb: 5e-4\nc: '1'\nd: true\ne: ~\nf: yes\ng: -.inf\nh: 1e-9x\ni: 0x10\n",
                  "f")
            .value;
    QCOMPARE(value["a"], Json(1));
    QCOMPARE(value["b"], Json(5e-4));
    QCOMPARE(value["c"], Json("1"));
    QCOMPARE(value["d"], Json(true));
    QVERIFY(value["e"].is_null());
    QCOMPARE(value["f"], Json("yes"));  // YAML 1.2: only true and false are booleans
    QVERIFY(std::isinf(value["g"].get<double>()));
    QCOMPARE(value["h"], Json("1e-9x"));
    QCOMPARE(value["i"], Json("0x10"));
  }

  void linesOfPaths() {
    const auto document = parseYaml("a:\n  b: [1,\n    2]\nc:\n  - {d: 1}\n", "f.yaml");
    QCOMPARE(document.where("a.b"), std::string("f.yaml:2"));
    QCOMPARE(document.where("a.b.1"), std::string("f.yaml:3"));
    QCOMPARE(document.where("c.0.d"), std::string("f.yaml:5"));
    QCOMPARE(document.where("a.missing"), std::string("f.yaml:1"));
  }

  // The value of a number does not say how it was written.
  void numbersKeepTheirDigits() {
    const auto document =
        parseYaml("a: {x: 39.40, y: 39.4, z: 1.0e-4, q: \"2.50\"}\nb: [7, 8.0, 9.00]\n", "f.yaml");
    const std::map<std::string, std::string> wanted{
        {"a.x", "39.40"}, {"a.z", "1.0e-4"}, {"b.2", "9.00"}};
    QVERIFY(document.numerals == wanted);
    QCOMPARE(document.value["a"]["x"], Json(39.4));
    StrictMap map(document, "", document.value, "file");
    const auto inner = map.map("a");
    QCOMPARE(inner->numeral("x", document.value["a"]["x"]), std::string("39.40"));
    QCOMPARE(inner->numeral("y", document.value["a"]["y"]), std::string("39.4"));
  }

  void refusals() {
    QVERIFY(failure("a: 1\na: 2\n").starts_with("f.yaml:2: the key 'a' is given twice"));
    QVERIFY(failure("a: !!python/object x\n").find("tags") != std::string::npos);
    QVERIFY(failure("a: 1\n---\nb: 2\n").starts_with("f.yaml:2: a second YAML document"));
    QVERIFY(failure("a: [1\n").starts_with("f.yaml:"));
    QVERIFY(failure(std::string(200, '[') + std::string(200, ']')).find("nested") !=
            std::string::npos);
  }

  void writtenYamlReadsBack() {
    const Json value = {
        {"a", {1, 2.5, "x: y", "true", "", "- b"}},
        {"b", {{"c", Json::array()}, {"d", Json::object()}, {"e", nullptr}, {"f", 1e-9}}},
        {"g",
         {{{"h", 1}, {"i", Json::array({1})}},
          {{"h", "#"}},
          Json::array({Json::array({1}), Json::array({2})})}},
        {"j", "ä\n\"b\""},
        {"k k", "1"},
        {"l", -0.5}};
    QCOMPARE(parseYaml(toYaml(value), "f").value, value);
  }

  // Each of these took all memory, or minutes, before the reader refused it.
  void hostileYamlIsRefusedAtOnce_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("reason");
    QTest::newRow("a comma: documents without end") << QByteArray(",") << "second YAML document";
    QByteArray aliases = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 10; ++i) {
      const QByteArray before = "*a" + QByteArray::number(i - 1);
      const QByteArray name = "a" + QByteArray::number(i);
      aliases += name + ": &" + name + " [" + before;
      for (int j = 1; j < 10; ++j) aliases += ", " + before;
      aliases += "]\n";
    }
    QTest::newRow("aliases of aliases") << aliases << "aliases are not accepted";
    QTest::newRow("an alias of itself") << QByteArray("a: &a [*a]\n") << "aliases";
    QTest::newRow("bytes of another encoding") << QByteArray("a: Stra\xDF") << "not UTF-8";
    QTest::newRow("a key of another encoding") << QByteArray("Stra\xDF: 1") << "not UTF-8";
    QTest::newRow("a merged map") << QByteArray("a: &a {b: 1}\nc: {<<: *a}\n") << "aliases";
    QTest::newRow("lists in lists")
        << QByteArray(1 << 20, '[') + QByteArray(1 << 20, ']') << "nested too deeply";
    QTest::newRow("open lists") << QByteArray(1 << 20, '[') << "";
    QTest::newRow("open maps") << QByteArray(1 << 20, '{') << "";
    QTest::newRow("lists in a line") << QByteArray("- ").repeated(1 << 19) << "nested too deeply";
    QTest::newRow("keys in a line") << QByteArray("? ").repeated(1 << 19) << "a key must be a word";
    QTest::newRow("many values") << QByteArray("- \n").repeated(2'000'000) << "contains more than";
    QTest::newRow("a long key") << QByteArray(129, 'k') + ": 1"
                                << "a key has 129 bytes";
    const QByteArray key(128, 'k');
    QTest::newRow("long keys above many values")
        << ("{" + key + ": ").repeated(90) + "[" + QByteArray("1, ").repeated(100'000) + "]" +
               QByteArray(90, '}')
        << "keys that are too long";
    QTest::newRow("many bytes") << QByteArray("# comment\n").repeated(1'000'000) << "bytes";
  }
  void hostileYamlIsRefusedAtOnce() {
    QFETCH(QByteArray, text);
    QFETCH(QString, reason);
    QElapsedTimer timer;
    timer.start();
    const QString message =
        QString::fromStdString(failure({text.data(), std::size_t(text.size())}));
    QVERIFY2(message.startsWith("f.yaml:") && message.contains(reason), qPrintable(message));
    QVERIFY2(timer.elapsed() < 10'000, qPrintable(QString::number(timer.elapsed())));
  }

  void hostileJsonIsRefusedAtOnce_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("reason");
    QTest::newRow("deep lists") << QByteArray(10'000'000, '[') << "nested too deeply";
    QTest::newRow("deep objects") << QByteArray("{\"a\":").repeated(1'000'000)
                                  << "nested too deeply";
    QTest::newRow("many values") << "[" + QByteArray("0,").repeated(11'000'000)
                                 << "contains more than";
    QTest::newRow("many bytes") << QByteArray(70 << 20, ' ') << "bytes";
    QTest::newRow("a number too large") << QByteArray("[1e999]") << "not valid JSON";
    QTest::newRow("a long word") << QByteArray(1 << 20, 'x') << "not valid JSON";
  }
  void hostileJsonIsRefusedAtOnce() {
    QFETCH(QByteArray, text);
    QFETCH(QString, reason);
    const std::string_view view(text.data(), std::size_t(text.size()));
    QString message;
    try {
      parseJson(view, "f.json");
    } catch (const Error& error) {
      message = error.what();
    }
    QVERIFY2(message.startsWith("f.json: ") && message.contains(reason), qPrintable(message));
    QVERIFY(message.size() < 1000);
    QVERIFY(!tryParseJson(view));
  }

  // An object's keys are searched one by one: without an index this takes minutes.
  void manyKeysAreReadInTime() {
    std::string text = "{";
    for (int i = 0; i < 200'000; ++i) text += fmt::format("\"key {}\": {}, ", i, i);
    text += "\"key 7\": \"again\"}";
    QElapsedTimer timer;
    timer.start();
    const Json value = parseJson(text, "f.json");
    QVERIFY2(timer.elapsed() < 5'000, qPrintable(QString::number(timer.elapsed())));
    QCOMPARE(value.size(), std::size_t{200'000});
    QCOMPARE(value.at("key 7"), Json("again"));  // of a key given twice the last value counts
    QCOMPARE(value.at("key 199999"), Json(199'999));
  }

  void jsonReadsAsItsLibraryDoes() {
    for (const char* text :
         {"0", "-7", "18446744073709551615", "1.5e3", "\"\\u00e4 \\\" \\n\"", "[]", "{}", "null",
          R"({"a": [1, [2, {"b": null}], true], "c": {"d": {"e": "f"}}, "a": 2, "g": [{}, {}]})"}) {
      QCOMPARE(parseJson(text, "f"), Json::parse(text));
      QCOMPARE(parseJson(text, "f").dump(), Json::parse(text).dump());
    }
    for (const char* text : {"", "[1,]", "{\"a\"}", "1 2", "[1", "nul", "\"\xff\""})
      QVERIFY(!tryParseJson(text));
  }

  void filesAreReadWithinTheirLimits() {
    const TemporaryFolder folder;
    writeFileAtomic(folder / "a.json", "{\"a\": 1}");
    QCOMPARE(readJson(folder / "a.json"), Json({{"a", 1}}));
    writeFileAtomic(folder / "a.yaml", "a: 1\n");
    QCOMPARE(readYaml(folder / "a.yaml").value, Json({{"a", 1}}));
    QCOMPARE(readBounded(folder / "a.yaml", 5), std::string("a: 1\n"));
    QVERIFY_EXCEPTION_THROWN(readBounded(folder / "a.yaml", 4), LimitError);
    QVERIFY_EXCEPTION_THROWN(readYaml("/dev/zero"), Error);  // a file without end
    QVERIFY_EXCEPTION_THROWN(readJson(folder.path()), Error);
    QVERIFY_EXCEPTION_THROWN(readJson(folder / "absent.json"), Error);
  }

  void jsonErrorsNameTheirSource() { QVERIFY_EXCEPTION_THROWN(parseJson("{", "somewhere"), Error); }
};

STRATA_GUILESS_TEST(TestJson)
#include "test_json.moc"
