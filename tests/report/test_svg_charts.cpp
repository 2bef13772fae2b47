#include <QtTest>
#include <limits>

#include "core/base/error.h"
#include "core/report/svg_charts.h"

using namespace strata;

class TestSvgCharts : public QObject {
  Q_OBJECT

  static int count(const std::string& text, const std::string& part) {
    int found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  }

 private slots:
  void linesHaveALegendAndGaps() {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto svg = lineChartSvg(
        {.title = "a < b",
         .xTitle = "step",
         .yTitle = "nll",
         .series = {{"one", {{0, 1}, {1, 2}, {2, nan}, {3, 4}}}, {"two", {{0, 0}, {3, 1}}}}});
    QVERIFY(svg.starts_with("<svg"));
    QVERIFY(svg.find("a &lt; b") != std::string::npos);
    QVERIFY(svg.find(">one<") != std::string::npos && svg.find(">two<") != std::string::npos);
    // The value that is no number splits the first curve in two: it starts a second time.
    const auto end = svg.find("\" fill=\"none\"");
    const auto curve = svg.substr(svg.rfind("d=\"", end), end - svg.rfind("d=\"", end));
    QCOMPARE(count(curve, "M"), 2);
    QVERIFY_EXCEPTION_THROWN(
        lineChartSvg({.title = "empty", .xTitle = "", .yTitle = "", .series = {}}), Error);
  }

  void heatMapWritesEveryValue() {
    const auto svg = heatMapSvg({.title = "t",
                                 .xTitle = "x",
                                 .yTitle = "y",
                                 .columns = {"0", "1"},
                                 .rows = {"hop 1"},
                                 .values = {0.25, 0.75}});
    QCOMPARE(count(svg, "<rect"), 2);
    QVERIFY(svg.find(">0.25<") != std::string::npos && svg.find(">0.75<") != std::string::npos);
    QVERIFY_EXCEPTION_THROWN(heatMapSvg({.title = "t",
                                         .xTitle = "",
                                         .yTitle = "",
                                         .columns = {"0"},
                                         .rows = {"a"},
                                         .values = {}}),
                             Error);
  }
};

QTEST_GUILESS_MAIN(TestSvgCharts)
#include "test_svg_charts.moc"
