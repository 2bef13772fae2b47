#include <QtTest>

#include "core/base/error.h"
#include "core/papers/paper_figure.h"
#include "core/papers/paper_table.h"
#include "tests/fixture.h"
#include "tests/program.h"

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
    QCOMPARE(read.row("Base").parameters->value, 1.5);
    QCOMPARE(read.row("Three").decode.ensemble, std::string("linear"));
    QCOMPARE(read.row("Three").baseline, std::string("Base"));
    QVERIFY(!read.row("Other").runs());
    QCOMPARE(read.presets(), (std::vector<std::string>{"p/base", "p/base-x"}));
    // The mean of the printed columns beside a printed mean that differs.
    QCOMPARE(*read.recomputed(read.row("Other"), read.column("mean")), 25.0);
    QVERIFY(!read.recomputed(read.row("Three"), read.column("mean")));
  }

  // The nearest that is declared: of the row, of the column, of the table.
  void vocabulariesOfRowsAndColumns() {
    std::string text = table(
        "    - {name: Base, preset: p/base}\n"
        "    - {name: Words, preset: p/base, dataset: words, vocabulary: [900, 800]}\n");
    const std::string column = "{key: a, set: one}";
    text.replace(text.find(column), column.size(), "{key: a, set: one, vocabulary: [50, 40]}");
    const PaperTable read = parsePaperTables(text, "file.yaml")[0];
    const auto sizes = [&](const char* row, const char* key) {
      return read.vocabularyOf(&read.row(row), read.column(key)).text();
    };
    QCOMPARE(sizes("Base", "a"), std::string("50/40"));
    QCOMPARE(sizes("Base", "b"), std::string("100/90"));
    QCOMPARE(sizes("Words", "a"), std::string("900/800"));
    QCOMPARE(sizes("Words", "b"), std::string("900/800"));
    QCOMPARE(read.vocabularyOf(nullptr, read.column("a")).text(), std::string("50/40"));
    QHOLDS(messageOf(table("    - {name: Q, quoted: \"X\", vocabulary: [9, 8]}\n")),
           "'vocabulary'");
  }

  // 36.3 is not 36.30, and 16.50 not 16.5.
  void digitsAreThePapers() {
    const PaperTable read = parsePaperTables(
        table(
            "    - {name: Base, preset: p/base, parameters: 16.50, printed: {a: 36.3, b: 39.40},\n"
            "       facts: {n: 9, \"Ratio(%)\": 100.0, Voc: 80K}}\n"
            "    - {name: Next, preset: p/base, baseline: Base, printed: {a: 37.7, b: 39.55},\n"
            "       facts: {F-F: \"yes\"}}\n"),
        "file.yaml")[0];
    const PaperRow& row = read.row("Base");
    QCOMPARE(row.parameters->text, std::string("16.50"));
    QCOMPARE(row.printed.at("a").text, std::string("36.3"));
    QCOMPARE(row.printed.at("b").text, std::string("39.40"));
    QCOMPARE(row.fact("Ratio(%)"), std::string("100.0"));
    QCOMPARE(row.fact("n"), std::string("9"));
    QCOMPARE(row.fact("F-F"), std::string());
    QCOMPARE(read.factNames(), (std::vector<std::string>{"n", "Ratio(%)", "Voc", "F-F"}));
    const PaperRow& next = read.row("Next");
    QCOMPARE(gainOver(row.printed.at("a"), next.printed.at("a")).text, std::string("1.4"));
    QCOMPARE(gainOver(next.printed.at("b"), row.printed.at("a")).text, std::string("-3.25"));
  }

  // Another reading of a system stands next to what the paper prints for it, told once.
  void readingsHaveThePrintedValues() {
    const std::string first =
        "    - {name: Base, preset: p/base}\n"
        "    - {name: Wide, preset: p/wide, baseline: Base, dataset: own, printed: {a: 30}}\n";
    const auto tables = parsePaperTables(
        table(first + "    - {name: \"Wide, as printed\", preset: p/literal, reading_of: Wide}\n"),
        "file.yaml");
    const PaperRow &row = tables[0].row("Wide, as printed"), &wide = tables[0].row("Wide");
    QCOMPARE(row.preset, std::string("p/literal"));
    QCOMPARE(row.readingOf, std::string("Wide"));
    QVERIFY(row.printed == wide.printed && row.printed.at("a").text == "30");
    QCOMPARE(row.baseline, std::string("Base"));
    QCOMPARE(row.dataset, std::string("own"));
    for (const char* wrong :
         {"    - {name: X, preset: p/x, reading_of: Wide, printed: {a: 31}}\n",
          "    - {name: X, preset: p/x, reading_of: Later}\n    - {name: Later, preset: p/y}\n",
          "    - {name: X, quoted: \"Y, 2015\", reading_of: Wide}\n"}) {
      const std::string message = messageOf(table(first + wrong));
      QVERIFY2(message.find("row 'X'") != std::string::npos, message.c_str());
    }
  }

  void aRowThatIsComparedWithNoneHasOneRun() {
    const auto tables = parsePaperTables(table("    - {name: Base, preset: p/base}\n"
                                               "    - {name: Alone, preset: p/x, one_run: true}\n"),
                                         "file.yaml");
    QVERIFY(!tables[0].row("Base").oneRun);
    QVERIFY(tables[0].row("Alone").oneRun);
    for (const char* wrong :
         {"    - {name: X, quoted: \"Y, 2015\", one_run: true}\n",
          "    - {name: X, derived: {of: p/x, decode: {posunk: true}}, one_run: true}\n"}) {
      const std::string message = messageOf(table(wrong));
      QVERIFY2(message.find("'one_run'") != std::string::npos, message.c_str());
    }
  }

  // The set that a printed score belongs to: the one measured, unless the file names another.
  void columnsNameThePapersSet() {
    std::string yaml = table("    - {name: Base, preset: p/base}\n");
    QCOMPARE(parsePaperTables(yaml, "file.yaml")[0].column("a").paperSet, std::string("one"));
    const std::string column = "{key: a, set: one";
    yaml.insert(yaml.find(column) + column.size(), ", paper_set: first");
    QCOMPARE(parsePaperTables(yaml, "file.yaml")[0].column("a").paperSet, std::string("first"));
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
    QCOMPARE(figures[0].series[0].points[1].printed.at("t").value, 33.5);
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

  // Structures and properties are of models: they have no panels, and properties say what to count.
  void descriptionsNeedNoData() {
    const std::string yaml =
        "p/table1:\n"
        "  title: T\n"
        "  kind: properties\n"
        "  vocabulary: [100, 90]\n"
        "  counted: [{title: levels, into: decoder.fusion, from: decoder.}]\n"
        "  series: [{name: base, preset: p/base, facts: {Parametric: \"No\"}}]\n";
    const PaperFigure read = parsePaperFigures(yaml, "file.yaml")[0];
    QVERIFY(read.describesModels() && read.panels.empty());
    QCOMPARE(read.series[0].points[0].source.fact("Parametric"), std::string("No"));
    const auto refusal = [&](const std::string& from, const std::string& to) {
      std::string text = yaml;
      text.replace(text.find(from), from.size(), to);
      return usageErrorOf([&] { parsePaperFigures(text, "file.yaml"); });
    };
    QHOLDS(refusal("  series", "  panels: [{key: a, dataset: d}]\n  series"), "'panels'");
    QHOLDS(refusal("kind: properties", "kind: structure"), "'counted'");
    QHOLDS(refusal("into: decoder.fusion, from: decoder.", "from: decoder."), "exactly one");
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

STRATA_GUILESS_TEST(TestPaperTable)
#include "test_paper_table.moc"
