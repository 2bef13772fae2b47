#include <QtTest>

#include "core/base/error.h"
#include "core/papers/paper_figure.h"
#include "core/papers/paper_table.h"
#include "tests/fixture.h"

using namespace strata;

class TestPaperTable : public QObject {
  Q_OBJECT

  static std::string table(const std::string& rows, const std::string& more = "") {
    return "p/table1:\n"
           "  title: T\n"
           "  task: De-En\n"
           "  dataset: data\n"
           "  vocabulary: [100, 90]\n"
           "  scorer: {metric: multi-bleu, lowercase: true}\n" +
           more +
           "  columns:\n"
           "    - {key: a, set: one}\n"
           "    - {key: b, set: two, valid: true, suffix: -x}\n"
           "    - {key: mean, average: [a, b]}\n"
           "  rows:\n" +
           rows;
  }
  static std::string messageOf(const std::string& yaml) {
    try {
      parsePaperTables(yaml, "file.yaml");
    } catch (const Error& error) {
      return error.kind() == ErrorKind::kUsage ? error.what() : "";
    }
    return "";
  }

 private slots:
  void readsTheThreeKindsOfRows() {
    const auto tables = parsePaperTables(
        table("    - {name: Base, preset: p/base, parameters: 1.5, printed: {a: 30, b: 20.5}}\n"
              "    - {name: Three, derived: {of: p/base, seeds: 3, decode: {ensemble: linear}},\n"
              "       baseline: Base, printed: {mean: 27}}\n"
              "    - {name: Other, quoted: \"Someone, 2015\", printed: {a: 28, b: 22, mean: "
              "25.1}}\n"),
        "file.yaml");
    QCOMPARE(tables.size(), 1U);
    const PaperTable& read = tables[0];
    QCOMPARE(read.id, std::string("p/table1"));
    QCOMPARE(read.vocabulary.target, std::int64_t{90});
    QCOMPARE(read.columns[0].dataset, std::string("data"));
    QVERIFY(read.columns[1].valid && !read.columns[2].scores());
    QCOMPARE(read.headline, std::string("mean"));
    QCOMPARE(*read.row("Base").parameters, 1.5);
    QCOMPARE(read.row("Three").decode.ensemble, std::string("linear"));
    QCOMPARE(read.row("Three").baseline, std::string("Base"));
    QVERIFY(!read.row("Other").runs());
    QCOMPARE(read.presets(), (std::vector<std::string>{"p/base", "p/base-x"}));
    // The mean of the printed columns beside a printed mean that differs.
    QCOMPARE(*read.recomputed(read.row("Other"), read.column("mean")), 25.0);
    QVERIFY(!read.recomputed(read.row("Three"), read.column("mean")));
  }

  void errorsNameFileRowAndKey() {
    const auto holds = [](const std::string& message, const std::vector<std::string>& parts) {
      for (const std::string& part : parts) {
        if (message.find(part) == std::string::npos) {
          qWarning("no '%s' in '%s'", part.c_str(), message.c_str());
          return false;
        }
      }
      return !message.empty();
    };
    QVERIFY(holds(messageOf(table("    - {name: Base, preset: p/base, printd: {a: 1}}\n")),
                  {"file.yaml:12", "row 'Base'", "'printd'", "'printed'"}));
    QVERIFY(holds(messageOf(table("    - {name: Base, printed: {a: 1}}\n")),
                  {"row 'Base'", "preset", "exactly one"}));
    QVERIFY(holds(messageOf(table("    - {name: Base, preset: p/base, quoted: \"X\"}\n")),
                  {"row 'Base'", "2 are given"}));
    QVERIFY(holds(messageOf(table("    - {name: Base, preset: p/base, printed: {c: 1}}\n")),
                  {"row 'Base'", "printed.c"}));
    QVERIFY(holds(messageOf(table("    - {name: Base, preset: p/base, baseline: Bass}\n")),
                  {"'Base'", "'Bass'"}));
    QVERIFY(holds(messageOf(table("    - {name: Base, derived: {of: p/base}}\n")),
                  {"row 'Base'", "nothing is derived"}));
    QVERIFY(holds(messageOf(table("    - {name: Base, preset: p/base}\n", "  titel: x\n")),
                  {"file.yaml:7", "'titel'", "'title'"}));
    QVERIFY(holds(messageOf(table("    - {name: A, preset: p/a}\n    - {name: A, preset: p/b}\n")),
                  {"'A' twice"}));
  }

  void figuresReadTheirPoints() {
    const std::string yaml =
        "p/figure1:\n"
        "  title: F\n"
        "  kind: points\n"
        "  vocabulary: [100, 90]\n"
        "  x: hops\n"
        "  panels: [{key: t, dataset: data, set: test}]\n"
        "  series:\n"
        "    - name: SA\n"
        "      points:\n"
        "        - {x: 1, preset: p/sa1}\n"
        "        - {x: 2, preset: p/sa1, set: [model.hops=2], printed: {t: 33.5}}\n"
        "    - {name: base, level: true, preset: p/base}\n";
    const auto figures = parsePaperFigures(yaml, "file.yaml");
    QCOMPARE(figures.size(), 1U);
    QCOMPARE(figures[0].series[0].points.size(), 2U);
    QCOMPARE(figures[0].series[0].points[1].source.overrides,
             std::vector<std::string>{"model.hops=2"});
    QCOMPARE(figures[0].series[0].points[1].printed.at("t"), 33.5);
    QVERIFY(figures[0].series[1].level);
    QCOMPARE(figures[0].presets(), (std::vector<std::string>{"p/base", "p/sa1"}));
    const auto refused = [&](const std::string& from, const std::string& to) {
      std::string text = yaml;
      text.replace(text.find(from), from.size(), to);
      try {
        parsePaperFigures(text, "file.yaml");
      } catch (const Error&) {
        return true;
      }
      return false;
    };
    QVERIFY(refused("kind: points", "kind: point"));
    QVERIFY(refused("{t: 33.5}", "{u: 33.5}"));
    QVERIFY(refused("{x: 1, preset: p/sa1}", "{x: 1, quoted: someone}"));
    QVERIFY(refused("{x: 1, preset: p/sa1}", "{preset: p/sa1}"));
  }

  void gradientsSayWhoseLayers() {
    const std::string yaml =
        "p/depth:\n"
        "  title: A figure\n"
        "  kind: gradients\n"
        "  vocabulary: [100, 90]\n"
        "  panels: [{key: d, dataset: data, modules: decoder.layers.}]\n"
        "  series: [{name: base, preset: p/base}]\n";
    QCOMPARE(parsePaperFigures(yaml, "file.yaml")[0].panels[0].modules,
             std::string("decoder.layers."));
    std::string without = yaml;
    const std::string key = ", modules: decoder.layers.";
    without.erase(without.find(key), key.size());
    QHOLDS(usageErrorOf([&] { parsePaperFigures(without, "file.yaml"); }), "lacks `modules`");
  }
};

QTEST_GUILESS_MAIN(TestPaperTable)
#include "test_paper_table.moc"
