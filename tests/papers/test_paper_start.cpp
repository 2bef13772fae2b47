#include <QtTest>
#include <set>

#include "core/papers/catalogue.h"
#include "core/papers/paper_start.h"
#include "tests/program.h"

using namespace strata;

class TestPaperStart : public QObject {
  Q_OBJECT
 private slots:
  void rowsAreStarts() {
    const auto tables = parsePaperTables(
        "p/table1:\n"
        "  title: T\n"
        "  task: De-En\n"
        "  dataset: data\n"
        "  vocabulary: [100, 90]\n"
        "  scorer: {metric: multi-bleu, lowercase: true}\n"
        "  columns:\n"
        "    - {key: a, title: A, set: one}\n"
        "    - {key: b, title: B, set: two, valid: true, suffix: -x}\n"
        "  rows:\n"
        "    - {name: Base, preset: p/base, printed: {a: 30, b: 20.5}}\n"
        "    - {name: Less, preset: p/base, set: [training.dropout=0], dataset: other}\n"
        "    - {name: Three, derived: {of: p/base, seeds: 3, decode: {ensemble: linear}}}\n"
        "    - {name: Other, quoted: \"Someone, 2015\", printed: {a: 28}}\n",
        "file.yaml");
    const auto starts = paperStarts(tables.at(0));
    QCOMPARE(starts.size(), 4U);
    QCOMPARE(starts[0].name, std::string("p/table1 Base (A)"));
    QCOMPARE(starts[0].preset, std::string("p/base"));
    QCOMPARE(starts[0].dataset, std::string("data"));
    QCOMPARE(starts[0].printed, std::string("A 30"));
    QCOMPARE(starts[1].preset, std::string("p/base-x"));
    QCOMPARE(starts[1].printed, std::string("B 20.5"));
    QCOMPARE(starts[2].overrides, std::vector<std::string>{"training.dropout=0"});
    QCOMPARE(starts[2].dataset, std::string("other"));
    QCOMPARE(starts[2].printed, std::string());
  }

  void everyPaperHasSomeWithNamesOfTheirOwn() {
    std::set<std::string> names, papers;
    for (const PaperTable& table : paperTables()) {
      for (const PaperStart& start : paperStarts(table)) {
        QVERIFY2(names.insert(start.name).second, start.name.c_str());
        papers.insert(table.id.substr(0, table.id.find('/')));
      }
    }
    QVERIFY(papers.size() >= 4);
    QVERIFY(names.contains("mlrf/table2 Enc-AVG"));
    QVERIFY(names.contains("densenmt/table1 BASE-4L (De-En 64)"));
    QVERIFY(!names.contains("mlrf/table2 RNN-BSO"));
  }

  void runsHaveTheNamesOfTheirPaper() {
    QCOMPARE(paperRunName({.preset = "p/base", .dataset = "toy"}), std::string("p-base.toy"));
    QCOMPARE(paperRunName({.preset = "p/base", .dataset = "toy", .version = 2, .label = "mine"}),
             std::string("mine.p-base.toy.v2"));
    // The order of the settings does not matter.
    QCOMPARE(paperRunName({.preset = "p/base", .dataset = "toy", .settings = {"a=1", "b=2"}}),
             paperRunName({.preset = "p/base", .dataset = "toy", .settings = {"b=2", "a=1"}}));
  }
};

STRATA_TEST(TestPaperStart)
#include "test_paper_start.moc"
