#include <QtTest>
#include <cmath>

#include "core/base/error.h"
#include "core/base/json.h"

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

  void refusals() {
    QVERIFY(failure("a: 1\na: 2\n").starts_with("f.yaml:2: the key 'a' is given twice"));
    QVERIFY(failure("a: !!python/object x\n").find("tags") != std::string::npos);
    QVERIFY(failure("a: 1\n---\nb: 2\n").find("2 YAML documents") != std::string::npos);
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

  void jsonErrorsNameTheirSource() { QVERIFY_EXCEPTION_THROWN(parseJson("{", "somewhere"), Error); }
};

QTEST_GUILESS_MAIN(TestJson)
#include "test_json.moc"
