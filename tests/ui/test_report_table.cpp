// Tables and plots of a comparison by themselves: order, intervals, words on hover.
#include <qcustomplot.h>

#include <QClipboard>
#include <QHeaderView>
#include <QTemporaryDir>
#include <QToolTip>
#include <QtTest>
#include <cmath>

#include "tests/program.h"
#include "tests/ui/exports.h"
#include "ui/plots/category_plot.h"
#include "ui/plots/interval_plot.h"
#include "ui/plots/xy_plot.h"
#include "ui/style/theme.h"
#include "ui/widgets/report_table.h"

using namespace strata;
using namespace strata::ui;

namespace {

QStringList shown(const ReportTable* table, int column) {
  QStringList cells;
  for (int row = 0; row < table->model()->rowCount(); ++row)
    cells << table->model()->index(row, column).data().toString();
  return cells;
}

void clickTitle(ReportTable* table, int column) {
  const QHeaderView* header = table->horizontalHeader();
  const QPoint at(header->sectionViewportPosition(column) + 10, header->height() / 2);
  QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, at);
}

Table someTable() {
  return {.caption = "some",
          .columns = {{"system"}, {"score", Align::kRight}},
          .rows = {{"run 10", Cell::number(9.5).mark(CellMark::kWorse)},
                   {"run 9", Cell::number(34.5).mark(CellMark::kBetter)},
                   {"x", "\u2013"},
                   {"Run 1", Cell::plusMinus(12, 0.61)}},
          .marked = {1}};
}

}  // namespace

class TestReportTable : public QObject {
  Q_OBJECT

 private slots:
  void largeCountsAreGrouped();
  void sentencesShareTheWidth();
  void pointsThatNothingJoinsHaveBars();
  void cellsAreSortedByTheirValues() {
    QCOMPARE(Cell::plusMinus(34.52, 0.61).sortKey(), std::optional(34.52));
    QCOMPARE(Cell::range(0.41, 1.2).sortKey(), std::optional(0.41));
    QCOMPARE(Cell::number(-1.9).sortKey(), std::optional(-1.9));
    QCOMPARE(Cell::count(1829).add(" of 2,000").sortKey(), std::optional(1829.0));
    QCOMPARE(Cell::placed("10-19", 1).sortKey(), std::optional(1.0));
    QVERIFY(*Cell::placed("< 10", 0).sortKey() < *Cell::placed(">= 40", 3).sortKey());
    QVERIFY(!Cell("word 3").sortKey());
    QVERIFY(Cell("\u2013").isMissing() && Cell("-").isMissing() && Cell(" ").isMissing());
    QVERIFY(!Cell("-1").isMissing() && !Cell::number(-1).isMissing());
  }

  void bucketsStayInTheirOrder() {
    ReportTable table;
    table.setTable(
        {.columns = {{"bucket"}},
         .rows = {
             {Cell::placed("< 10", 0)}, {Cell::placed("10-19", 1)}, {Cell::placed(">= 100", 2)}}});
    const QStringList own = shown(&table, 0);
    table.sortByColumn(0, Qt::AscendingOrder);
    QCOMPARE(shown(&table, 0), own);
    table.sortByColumn(0, Qt::DescendingOrder);
    QCOMPARE(shown(&table, 0), QStringList(own.rbegin(), own.rend()));
  }

  void aTableSortsByNumberAndBack() {
    applyTheme(ThemeChoice::kLight);
    ReportTable table;
    table.resize(500, 300);
    table.setTable(someTable());
    table.show();
    const QStringList own{"run 10", "run 9", "x", "Run 1"};
    QCOMPARE(shown(&table, 0), own);
    clickTitle(&table, 1);
    QCOMPARE(shown(&table, 0), QStringList({"run 10", "Run 1", "run 9", "x"}));
    clickTitle(&table, 1);
    QCOMPARE(shown(&table, 0), QStringList({"run 9", "Run 1", "run 10", "x"}));  // none stays last
    clickTitle(&table, 1);
    QCOMPARE(shown(&table, 0), own);
    const QModelIndex marked = table.model()->index(1, 0);
    QVERIFY(marked.data(Qt::FontRole).value<QFont>().bold());
    QVERIFY(!table.model()->index(0, 0).data(Qt::FontRole).isValid());
    QVERIFY(table.model()->index(0, 1).data(Qt::TextAlignmentRole).toInt() & Qt::AlignRight);
    QVERIFY(table.model()->index(0, 0).data(Qt::TextAlignmentRole).toInt() & Qt::AlignLeft);
  }

  void aSortKeepsTheSelection() {
    ReportTable table;
    table.setTable(someTable());
    table.selectRow(1);
    table.sortByColumn(1, Qt::DescendingOrder);
    const QModelIndexList rows = table.selectionModel()->selectedRows();
    QCOMPARE(rows.size(), 1);
    QCOMPARE(rows.front().data().toString(), QString("run 9"));
    QCOMPARE(rows.front().row(), 0);
  }

  void aTableIsCopied() {
    ReportTable table;
    table.resize(500, 300);
    table.setTable(someTable());
    table.show();
    QVERIFY(QTest::qWaitForWindowActive(&table));
    table.setFocus();
    table.clearSelection();
    QTest::keyClick(&table, Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QGuiApplication::clipboard()->text(),
             QString("system\tscore\nrun 10\t9.50 ▼\nrun 9\t34.50 ▲\nx\t–\nRun 1\t12.00 ± 0.61\n"));
    table.selectRow(3);
    QTest::keyClick(&table, Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QGuiApplication::clipboard()->text(), QString("system\tscore\nRun 1\t12.00 ± 0.61\n"));
  }

  void pointsHaveIntervalsAndTheAxisStartsOffZero() {
    applyTheme(ThemeChoice::kLight);
    CategoryPlot plot;
    plot.setTitle("Scores");
    plot.setUnitScale(false);
    const QVector<CategorySeries> series{
        {"near", {30, 34}, CategorySeries::Kind::kPoints, {28, NAN}, {32, NAN}}};
    plot.setContent({"short", "long"}, series);
    QTemporaryDir folder;
    plot.resize(400, 300);
    plot.show();
    QCOMPARE(plot.plot()->yAxis->range().lower, 0.0);
    plot.setFromZero(false);
    plot.setContent({"short", "long"}, series);
    const QCPRange range = plot.plot()->yAxis->range();
    QVERIFY(range.lower > 27 && range.lower < 28 && range.upper > 34 && range.upper < 35);
    plot.exportTo(folder.filePath("p.csv"));
    QCOMPARE(textOf(folder.filePath("p.csv")),
             QString(",near,\"near, low\",\"near, high\"\nshort,30,28,32\nlong,34,,\n"));
    plot.exportTo(folder.filePath("p.svg"));
    const QString svg = textOf(folder.filePath("p.svg"));
    QVERIFY(svg.contains("near") && svg.contains("short") && svg.contains(">28<"));
    QVERIFY(!svg.contains(">0<"));
  }

  void aRowIsToldInWords() {
    IntervalPlot plot;
    applyTheme(ThemeChoice::kLight);
    plot.resize(500, 260);
    plot.setAxisTitle("BLEU");
    using Verdict = IntervalRow::Verdict;
    plot.setRows(
        {{.name = "base", .value = 30, .low = 29, .high = 31, .verdict = Verdict::kBaseline},
         {.name = "new",
          .value = 33.456,
          .low = 32,
          .high = 35,
          .difference = 3.456,
          .differenceLow = 1,
          .differenceHigh = 5,
          .p = 0.01,
          .pHolm = 0.02,
          .verdict = Verdict::kBetter}});
    plot.show();
    QTest::mouseMove(plot.plot(), plot.pointOf(1));
    QTRY_COMPARE(plot.chosen(), 1);
    const QString text =
        "new\nBLEU: 33.46\n95 % interval: 32.00 to 35.00\ndifference from the baseline: +3.46\n"
        "its 95 % interval: +1.00 to +5.00\np = 0.0100\np after Holm's correction = 0.0200\n"
        "better, p < 0.05";
    QCOMPARE(QToolTip::text(), text);
    QTest::keyClick(&plot, Qt::Key_Up);
    QCOMPARE(QToolTip::text(),
             QString("base\nBLEU: 30.00\n95 % interval: 29.00 to 31.00\nbaseline"));
    QCOMPARE(plot.accessibleDescription(), QToolTip::text());
    QTest::keyClick(&plot, Qt::Key_Up);
    QCOMPARE(plot.chosen(), 0);
  }

  void thirtySystemsHaveTheirRows() {
    IntervalPlot plot;
    QVector<IntervalRow> rows;
    for (int i = 0; i < 30; ++i)
      rows << IntervalRow{.name = QString("system %1").arg(i), .value = 30.0 + i};
    plot.setRows(rows);
    plot.resize(500, plot.minimumHeight());
    plot.show();
    plot.grab();
    for (int i = 1; i < 30; ++i) QVERIFY(plot.pointOf(i).y() - plot.pointOf(i - 1).y() >= 18);
  }
};

void TestReportTable::sentencesShareTheWidth() {
  const std::string words(300, 'w');
  ReportTable table;
  table.setSentences();
  table.setTable({.columns = {{"source"}, {"line", Align::kRight}, {"target"}},
                  .rows = {{"short", Cell::count(7), words}}});
  table.show();
  for (const int width : {500, 900}) {
    table.resize(width, 200);
    QTRY_COMPARE(table.horizontalHeader()->length(), table.viewport()->width());
    QVERIFY(std::abs(table.columnWidth(0) - table.columnWidth(2)) <= 1);
    QVERIFY(table.columnWidth(1) >= table.horizontalHeader()->sectionSizeHint(1));
  }
}

void TestReportTable::pointsThatNothingJoinsHaveBars() {
  XySeries means{.label = "mean", .points = {{1, 5}, {2, 7}}, .band = {{4, 6}, {7, 7}}};
  XyPlot chart;
  chart.setSeries({means});
  QCOMPARE(chart.plot()->graphCount(), 2);  // the ends of what is filled
  means.joined = false;
  chart.setSeries({means});
  QCOMPARE(chart.plot()->graphCount(), 0);
  const auto* bars = qobject_cast<QCPCurve*>(chart.plot()->plottable(0));
  QVERIFY(bars && bars->dataCount() == 6);
  QCOMPARE(bars->dataMainKey(0), 1.0);
  QCOMPARE(bars->dataMainValue(0), 4.0);
  QCOMPARE(bars->dataMainValue(1), 6.0);
  QVERIFY(std::isnan(bars->dataMainValue(2)));
}

void TestReportTable::largeCountsAreGrouped() {
  Table table;
  table.beginRow("run", "base");
  table.addNumber("parameters", Cell::count(6968978));
  table.addNumber("layers", Cell::count(1024));
  table.addText("dataset", "20141");  // a text, not a count
  ReportTable view;
  view.setTable(table);
  const auto shown = [&](int column) { return view.model()->index(0, column).data().toString(); };
  QCOMPARE(shown(1), QString("6,968,978"));
  QCOMPARE(shown(2), QString("1024"));
  QCOMPARE(shown(3), QString("20141"));
}

STRATA_TEST(TestReportTable)
#include "test_report_table.moc"
