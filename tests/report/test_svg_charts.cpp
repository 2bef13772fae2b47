#include <QXmlStreamReader>
#include <QtTest>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/report/svg_charts.h"
#include "core/report/svg_parts.h"
#include "tests/program.h"

using namespace strata;

class TestSvgCharts : public QObject {
  Q_OBJECT

  static int count(const std::string& text, const std::string& part) {
    int found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  }

  static bool isWellFormed(const std::string& svg) {
    QXmlStreamReader reader(QByteArray::fromStdString(svg));
    while (!reader.atEnd()) reader.readNext();
    return !reader.hasError();
  }

 private slots:
  void linesHaveALegendAndGaps() {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const LineChart chart{
        .title = "a < b",
        .xTitle = "step",
        .yTitle = "nll",
        .series = {{"one", {{0, 1}, {1, 2}, {2, nan}, {3, 4}}}, {"two", {{0, 0}, {3, 1}}}}};
    const std::string svg = drawn(chart).text();
    QVERIFY(svg.starts_with("<svg") && isWellFormed(svg));
    QVERIFY(svg.find("a &lt; b") != std::string::npos);
    QVERIFY(svg.find(">one<") != std::string::npos && svg.find(">two<") != std::string::npos);
    // The value that is no number splits the first curve in two: it starts a second time.
    const auto end = svg.find("\" fill=\"none\"");
    const auto curve = svg.substr(svg.rfind("d=\"", end), end - svg.rfind("d=\"", end));
    QCOMPARE(count(curve, "M"), 2);
    QCOMPARE(count(svg, "<circle"), 1);  // (3, 4) stands alone: no line goes to it
    QVERIFY_EXCEPTION_THROWN(
        drawn(LineChart{.title = "empty", .xTitle = "", .yTitle = "", .series = {}}), Error);
  }

  // The bounds of a perfect score differ by rounding: the ticks between them never ended.
  void valuesThatDifferByRoundingHaveTicks() {
    for (const double low : {0.0, 100.0, -1e300}) {
      const double high = std::nextafter(std::nextafter(low, 1e308), 1e308);
      QVERIFY((SvgAxis{low, high, 0, 1}.ticks().size()) <= 10);
    }
    const LineChart chart{.title = "t",
                          .xTitle = "x",
                          .yTitle = "y",
                          .series = {{"perfect", {{0, 100}, {1, 100.00000000000001}}}}};
    QVERIFY(isWellFormed(drawn(chart).text()));
  }

  void bandsLevelsAndMarks() {
    LineChart chart{.title = "t", .xTitle = "x", .yTitle = "y", .series = {}};
    ChartSeries ours{.name = "ours", .points = {{1, 10}, {2, 20}}};
    ours.band = {{8, 12}, {17, 25}};
    ours.markers = true;
    ChartSeries level{.name = "level", .points = {{0, 15}}};
    level.level = level.dashed = true;
    chart.series = {ours, level};
    chart.marks = {{1.5, "annealing", 0}, {9, "outside", 0}};
    const auto svg = drawn(chart).text();
    QCOMPARE(count(svg, "<circle"), 2);
    QCOMPARE(count(svg, "fill-opacity"), 1);
    QVERIFY(svg.find(">annealing<") != std::string::npos);
    QVERIFY(svg.find(">outside<") == std::string::npos);
    // The axis reaches the end of the band, and a level's x does not move it.
    QVERIFY(svg.find(">24<") != std::string::npos);
    QVERIFY(svg.find(">0<") == std::string::npos);
  }

  void arcsGoBack() {
    const SvgPicture picture = drawn(ArcChart{
        .title = "t",
        .words = {"a", "b", "c"},
        .arcs = {{.from = 2, .to = 0, .dashed = true, .red = true}, {.from = 1, .to = 0}}});
    const std::string svg = picture.text();
    QCOMPARE(count(svg, "<path"), 2);
    QCOMPARE(count(svg, "stroke-dasharray"), 1);
    QVERIFY_EXCEPTION_THROWN(drawn(ArcChart{.title = "t", .words = {}, .arcs = {}}), Error);
    const std::string both = stacked({picture, picture}).text();
    QVERIFY(isWellFormed(svg) && isWellFormed(both));
    QCOMPARE(count(both, "<svg"), 1);
    QCOMPARE(count(both, "<g transform"), 2);
    QCOMPARE(count(both, "<path"), 4);
  }

  void heatMapWritesEveryValue() {
    const std::string svg = drawn(HeatMapChart{.title = "t",
                                               .xTitle = "x",
                                               .yTitle = "y",
                                               .columns = {"0", "1"},
                                               .rows = {"hop 1"},
                                               .values = {0.25, 0.75}})
                                .text();
    QCOMPARE(count(svg, "<rect"), 2);
    QVERIFY(svg.find(">0.25<") != std::string::npos && svg.find(">0.75<") != std::string::npos);
    const double none = std::numeric_limits<double>::quiet_NaN();
    const std::string blank = drawn(HeatMapChart{.title = "t",
                                                 .xTitle = "",
                                                 .yTitle = "",
                                                 .columns = {"0", "1"},
                                                 .rows = {"a"},
                                                 .values = {none, 0.5}})
                                  .text();
    QCOMPARE(count(blank, "<rect"), 1);
    QVERIFY(blank.find("nan") == std::string::npos);
    QVERIFY_EXCEPTION_THROWN(drawn(HeatMapChart{.title = "t",
                                                .xTitle = "",
                                                .yTitle = "",
                                                .columns = {"0"},
                                                .rows = {"a"},
                                                .values = {}}),
                             Error);
  }
};

STRATA_GUILESS_TEST(TestSvgCharts)
#include "test_svg_charts.moc"
