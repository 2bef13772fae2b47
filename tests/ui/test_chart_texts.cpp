#include <qcustomplot.h>

#include <QHelpEvent>
#include <QTemporaryDir>
#include <QToolTip>
#include <QtTest>

#include "core/base/files.h"
#include "tests/program.h"
#include "tests/ui/cut_texts.h"
#include "ui/data/text.h"
#include "ui/plots/axis_texts.h"
#include "ui/plots/category_plot.h"
#include "ui/plots/curve_plot.h"
#include "ui/plots/interval_plot.h"
#include "ui/style/theme.h"

using namespace strata;
using namespace strata::ui;

// Texts in charts of any size: shortened or moved, never cut, and whole under the mouse.
class TestChartTexts : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() { applyTheme(ThemeChoice::kLight); }
  void aTitleTakesTwoLinesBeforeItIsShortened();
  void nothingIsCutInAnyChart_data();
  void nothingIsCutInAnyChart();
  void aShortenedTitleIsWholeUnderTheMouse();
  void longNamesOfALegendAreShortened();
  void aLongHeadingIsShortened();
};

static const QString kTitle = "multi-bleu (BLEU points)";

static std::shared_ptr<Series> hourOf(double first, double last) {
  auto series = std::make_shared<Series>();
  std::vector<ScalarPoint> points;
  for (int i = 0; i <= 360; ++i)
    points.push_back({i * 10'000, 1.7e9 + i * 10, first + (last - first) * i / 360});
  series->append(points);
  return series;
}

// Asks for a tool tip and returns it.
static QString tipAt(QWidget* widget, const QPoint& at) {
  QToolTip::hideText();
  QHelpEvent event(QEvent::ToolTip, at, widget->mapToGlobal(at));
  QCoreApplication::sendEvent(widget, &event);
  return QToolTip::text();
}

void TestChartTexts::aTitleTakesTwoLinesBeforeItIsShortened() {
  const QFont font;
  const QFontMetrics metrics(font);
  const auto width = [&](const char* text) { return metrics.horizontalAdvance(text); };
  const int whole = width("multi-bleu (BLEU points)"), half = width("(BLEU points)");
  QCOMPARE(fittedTitle(kTitle, font, whole + 2, true), kTitle);
  QCOMPARE(fittedTitle(kTitle, font, whole - 2, true), QString("multi-bleu\n(BLEU points)"));
  QVERIFY(fittedTitle(kTitle, font, whole - 2, false).endsWith("…"));
  QVERIFY(fittedTitle(kTitle, font, half - 4, true).endsWith("…"));
  QCOMPARE(fittedTitle("share of running words", font, width("share of running words") - 2, true),
           QString("share of\nrunning words"));
}

void TestChartTexts::nothingIsCutInAnyChart_data() {
  QTest::addColumn<QSize>("size");
  for (const QSize& size : {QSize(190, 150), QSize(240, 180), QSize(390, 240), QSize(700, 420)})
    QTest::addRow("%dx%d", size.width(), size.height()) << size;
}

void TestChartTexts::nothingIsCutInAnyChart() {
  QFETCH(QSize, size);
  CurvePlot curves;
  curves.setTitle("valid/multi-bleu");
  curves.setYTitle(kTitle);
  curves.setCurves({{"a", 0, hourOf(0, 31'234'567)}});
  IntervalPlot intervals;
  intervals.setAxisTitle("BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0");
  intervals.setRows({{"a system", 23.456, 22.1, 24.9}, {"another", 1234.5, 1200, 1300}});
  CategoryPlot categories;
  categories.setAxisTitles("count in the training text", "words of the reference");
  categories.setContent(
      {"never\n12,345 words", "1 to 10\n12,345 words", "adverbs of place", "conjunctions"},
      {{"a", {1, 2, 3, 100'000}, CategorySeries::Kind::kBars}});
  for (PlotChart* chart : {static_cast<PlotChart*>(&curves), static_cast<PlotChart*>(&intervals),
                           static_cast<PlotChart*>(&categories)}) {
    QWidget window;
    QStringList cut;
    chart->setParent(&window);
    window.resize(size);
    chart->resize(size);
    window.show();
    for (const auto axis :
         {CurvePlot::XAxis::kStep, CurvePlot::XAxis::kRelativeTime, CurvePlot::XAxis::kWallTime}) {
      if (chart == &curves) curves.setXAxis(axis);
      curves.redrawNow();
      chart->plot()->replot();
      cut << cutTexts(&window);
    }
    chart->setParent(nullptr);
    QVERIFY2(cut.isEmpty(), qPrintable(cut.join('\n')));
  }
}

void TestChartTexts::aShortenedTitleIsWholeUnderTheMouse() {
  CurvePlot chart;
  chart.setYTitle("perplexity of the validation set by word of the reference");
  chart.setCurves({{"a", 0, hourOf(1, 2)}});
  chart.resize(300, 170);
  chart.show();
  chart.redrawNow();
  chart.plot()->replot();
  QCPAxis* axis = chart.plot()->yAxis;
  QVERIFY2(axis->label().endsWith("…"), qPrintable(axis->label()));
  QPoint at(0, axis->axisRect()->rect().center().y());
  while (at.x() < 60 && axis->getPartAt(at) != QCPAxis::spAxisLabel) at.rx() += 2;
  QCOMPARE(tipAt(chart.plot(), at),
           QString("perplexity of the validation set by word of the reference"));
  chart.resize(300, 900);  // room again
  chart.redrawNow();
  chart.plot()->replot();
  QCOMPARE(axis->label(), QString("perplexity of the validation set by word of the reference"));
}

void TestChartTexts::longNamesOfALegendAreShortened() {
  CategoryPlot chart;
  const QString name = "mlrf-dec-sa4-zhen.iwslt14-deen-bpe10000.s1@best.beam4-lp0.6";
  chart.setContent({"1", "2"}, {{name, {1, 2}, CategorySeries::Kind::kPoints}});
  chart.resize(240, 200);
  chart.show();
  chart.plot()->replot();
  auto* entry = qobject_cast<QCPPlottableLegendItem*>(chart.plot()->legend->item(0));
  QVERIFY(entry);
  QVERIFY2(entry->plottable()->name().contains("…"), qPrintable(entry->plottable()->name()));
  QVERIFY(entry->outerRect().right() <= chart.plot()->width());
  QCOMPARE(tipAt(chart.plot(), entry->outerRect().center()), name);
  const QTemporaryDir folder;
  const std::string values = toStd(folder.filePath("values.csv"));
  chart.exportTo(qs(values));
  QVERIFY(qs(readFile(values)).contains(name));
}

void TestChartTexts::aLongHeadingIsShortened() {
  CurvePlot chart;
  chart.setTitle("grad_norm/decoder.layers.11.self_attention.output_projection.weight");
  chart.resize(220, 160);
  chart.show();
  QCOMPARE(chart.width(), 220);
  for (auto* label : chart.findChildren<ElidedLabel*>()) {
    if (label->text() != chart.title()) continue;
    QVERIFY(label->isElided());
    QVERIFY(label->geometry().right() < chart.width());
    QCOMPARE(tipAt(label, QPoint(5, 5)), chart.title());
  }
}

STRATA_TEST(TestChartTexts)
#include "test_chart_texts.moc"
