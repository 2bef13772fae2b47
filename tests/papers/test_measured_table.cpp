#include <QtTest>
#include <cmath>

#include "core/base/error.h"
#include "core/papers/figure_data.h"
#include "core/papers/measured_table.h"
#include "core/report/csv.h"
#include "tests/fixture.h"
#include "tests/program.h"

using namespace strata;

class TestMeasuredTable : public QObject {
  Q_OBJECT

  static PaperTable table() {
    return parsePaperTables(
        "p/t:\n"
        "  title: T\n"
        "  task: De-En\n"
        "  dataset: data\n"
        "  vocabulary: [100, 90]\n"
        "  scorer: {metric: multi-bleu}\n"
        "  columns: [{key: a, title: A, set: one, size: 2 ± 1}]\n"
        "  baseline: Base\n"
        "  rows:\n"
        "    - {name: Base, preset: p/base, parameters: 1.50, printed: {a: 30}}\n"
        "    - {name: Better, preset: p/better, printed: {a: 31.40}, facts: {Voc: 80K, n_e: 2}}\n"
        "    - {name: Worse, preset: p/worse, printed: {a: 29.5}}\n"
        "    - {name: Old, quoted: \"S_1, 2015\", printed: {a: 28}}\n",
        "f")[0];
  }
  static MeasuredCell cell(const std::vector<double>& scores) {
    MeasuredCell cell;
    cell.dataset = "toy";
    cell.set = "one";
    for (std::size_t i = 0; i < scores.size(); ++i)
      cell.runs.push_back({.name = "r",
                           .seed = i + 1,
                           .status = RunStatus::kFinished,
                           .scored = true,
                           .value = scores[i]});
    return cell;
  }
  static RunsComparison gain(double difference, double p) {
    return {.difference = difference,
            .low = difference - 1,
            .high = difference + 1,
            .pValue = p,
            .baselineRuns = 3,
            .systemRuns = 3};
  }
  static MeasuredTable measured() {
    MeasuredTable result{.table = table(), .vocabulary = {100, 90}};
    result.datasets = {"toy"};
    result.rows.resize(4);
    result.rows[0] = {.preset = "p/base", .parameters = 1500000, .cells = {cell({10, 11, 12})}};
    result.rows[1] = {.preset = "p/better", .parameters = 1600000, .cells = {cell({13, 14, 15})}};
    result.rows[2] = {.preset = "p/worse", .parameters = 1600000, .cells = {cell({8, 9, 10})}};
    result.rows[1].cells[0].gain = gain(3, 0.01);
    result.rows[2].cells[0].gain = gain(-2, 0.01);
    result.rows[3].cells.resize(1);
    result.rows[1].bestByValid = true;
    return result;
  }

 private slots:
  void meansAndDeviations() {
    const MeasuredCell three = cell({10, 12, 14});
    QCOMPARE(*three.mean(), 12.0);
    QCOMPARE(*three.deviation(), 2.0);
    QVERIFY(!cell({10}).deviation() && !cell({}).mean());
  }

  void directionsFollowThePaper() {
    const Json rows = toJson(measured())["rows"];
    QCOMPARE(rows[1]["measured"]["a"]["gain"]["direction"].get<std::string>(),
             std::string("confirmed"));
    // The paper prints a loss, and a loss is found.
    QCOMPARE(rows[2]["measured"]["a"]["gain"]["direction"].get<std::string>(),
             std::string("confirmed"));
    MeasuredTable other = measured();
    other.rows[1].cells[0].gain = gain(-3, 0.01);
    QCOMPARE(toJson(other)["rows"][1]["measured"]["a"]["gain"]["direction"].get<std::string>(),
             std::string("opposite"));
    other.rows[1].cells[0].gain = gain(3, 0.2);
    QCOMPARE(toJson(other)["rows"][1]["measured"]["a"]["gain"]["direction"].get<std::string>(),
             std::string("undecided"));
  }

  void differencesNeedThePapersSetup() {
    MeasuredTable own = measured();
    QVERIFY(!toJson(own)["rows"][0]["measured"]["a"].contains("difference"));
    own.rows[0].cells[0].paperSetup = true;
    QCOMPARE(toJson(own)["rows"][0]["measured"]["a"]["difference"].get<double>(), -19.0);
    QVERIFY(toJson(own)["rows"][3]["measured"].is_null());
    QVERIFY(toJson(own)["rows"][3]["parameters"].is_null());
  }

  void shownBesideThePrintedFigures() {
    const std::string text = textTable(shownTable(measured()));
    for (const char* part : {"measured on toy", "11.00 \u00b1 1.00", "31.40", "+1.40",
                             "confirmed (3:3 seeds)", "Better \u25b2", "Old (S_1, 2015)", "3/3"})
      QVERIFY2(text.find(part) != std::string::npos, part);
    QHOLDS(latexOf(measured()), "S\\_1");
    QHOLDS(csvOf(measured()), "p/t,Better,p/better,a,toy,one,multi-bleu,31.40");
  }

  // Facts are columns and sizes a row, wherever the table is shown.
  void everythingPrintedIsShown() {
    const Table shown = shownTable(measured());
    QCOMPARE(shown.columns[1].title, std::string("Voc"));
    QCOMPARE(shown.columns[2].title, std::string("n_e"));
    QCOMPARE(shown.rows[1][1].text(), std::string("80K"));
    QCOMPARE(shown.rows[0][2].text(), std::string());
    // As printed: no digit more, none less.
    QCOMPARE(shown.rows[0][3].text(), std::string("1.50"));
    QCOMPARE(shown.rows[0][5].text(), std::string("30"));
    QCOMPARE(shown.rows[2][5].text(), std::string("29.5"));
    QCOMPARE(shown.rows.size(), std::size_t(5));
    QCOMPARE(shown.rows[4][0].text(), std::string("Model size (M)"));
    QCOMPARE(shown.rows[4][5].text(), std::string("2 \u00b1 1 (1.50 to 1.60)"));
    const std::string tex = latexOf(measured());
    QHOLDS(tex, "Voc & n\\_e");
    QHOLDS(tex, "2 $\\pm$ 1 (1.50 to 1.60)");
    QHOLDS(tex, "% Parameters are counted for vocabularies (source/target) of 100/90.\n");
    const std::string csv = csvOf(measured());
    QHOLDS(csv, ",printed_gain,printed_size_M,Voc,n_e\n");
    QHOLDS(csv, ",-0.5,2 \u00b1 1,,\n");
    QHOLDS(csv, ",1.40,2 \u00b1 1,80K,2\n");
    const Json json = toJson(measured());
    QCOMPARE(json["rows"][1]["printed_text"]["a"].get<std::string>(), std::string("31.40"));
    QCOMPARE(json["columns"][0]["size"].get<std::string>(), std::string("2 \u00b1 1"));
  }

  // What parameters are counted for is said once, with the rows and columns for which it differs.
  void vocabulariesAreSaid() {
    const auto lineOf = [](const MeasuredTable& table) { return footnotes(table)[1]; };
    MeasuredTable one = measured();
    QCOMPARE(lineOf(one), std::string("Parameters are counted for vocabularies (source/target) of "
                                      "100/90."));
    one.rows[2].setParameters({.sizes = {30, 20}, .row = 5, .columns = {}}, one.vocabulary);
    QCOMPARE(lineOf(one), std::string("Parameters are counted for vocabularies (source/target) of "
                                      "100/90; of 30/20 in Worse."));
    QCOMPARE(toJson(one)["rows"][2]["vocabulary"], Json({30, 20}));
    QVERIFY(!toJson(one)["rows"][1].contains("vocabulary"));
  }

  void csvQuotes() {
    Table table{.columns = {{"a"}, {"b"}}, .rows = {{"x,y", "say \"hi\"\n"}}};
    QCOMPARE(csvTable(table), std::string("a,b\n\"x,y\",\"say \"\"hi\"\"\n\"\n"));
    table.rows = {{"one"}};
    QVERIFY_EXCEPTION_THROWN(csvTable(table), Error);
  }

  void figuresDrawOnlyWhatIsThere() {
    FigureData figure{.id = "p/f", .title = "F", .kind = "points", .xTitle = "hops", .scorer = ""};
    FigureSeries series{.name = "SA"};
    series.points = {{.x = 1, .y = 20.0, .deviation = 0.5, .runs = 3},
                     {.x = 2, .printed = PrintedNumber{33.5, "33.50"}},
                     {.x = 4, .y = 22.0, .runs = 1}};
    figure.panels = {
        {.key = "t", .title = "Test", .yTitle = "BLEU", .dataset = "toy", .series = {series}}};
    figure.missing = {"run x (absent)"};
    const Json json = toJson(figure);
    QVERIFY(json["panels"][0]["series"][0]["points"][1]["y"].is_null());
    const std::string svg = svgOf(figure);
    QVERIFY(svg.find("SA (paper)") != std::string::npos && svg.find("(toy)") != std::string::npos);
    // Two of ours, one of the paper and one in the legend.
    QCOMPARE(QString::fromStdString(svg).count("<circle"), 4);
    QHOLDS(csvOf(figure), "p/f,t,SA,1,20,0.5,3,,\n");
    QHOLDS(csvOf(figure), "p/f,t,SA,2,,,0,33.50,\n");
    QCOMPARE(chartsOf(figure)[0].series[1].texts, std::vector<std::string>{"33.50"});
    QCOMPARE(json["panels"][0]["series"][0]["points"][1]["printed_text"], Json("33.50"));
    FigureData empty = figure;
    empty.panels.clear();
    QVERIFY_EXCEPTION_THROWN(svgOf(empty), Error);
  }
};

STRATA_GUILESS_TEST(TestMeasuredTable)
#include "test_measured_table.moc"
