#include <qcustomplot.h>

#include <QTemporaryDir>
#include <QtTest>
#include <cmath>

#include "core/base/error.h"
#include "ui/plots/curve_plot.h"
#include "ui/style/theme.h"

using namespace strata;
using namespace strata::ui;

class TestCurvePlot : public QObject {
  Q_OBJECT
 private slots:
  void init();
  void cleanup() { delete chart_; }
  void aThousandUpdatesAreOneRepaint();
  void aHiddenChartDrawsNothingUntilItIsShown();
  void aZoomStaysWhileDataStreamIn();
  void aViewAtTheTailFollowsIt();
  void aWheelZoomsXAndADoubleClickFits();
  void infiniteValuesAreMarkedOnTheAxis();
  void aLogarithmicAxisCountsWhatItCannotShow();
  void timeAxesStartAtZeroOrAtTheClock();
  void exportsAllPointsAndPictures();
  void fiftyCurvesOfAHundredThousandPointsStayQuick();

 private:
  void show();
  std::vector<ScalarPoint> line(int from, int to) const;

  CurvePlot* chart_ = nullptr;
  std::shared_ptr<Series> series_;
};

void TestCurvePlot::init() {
  applyTheme(ThemeChoice::kLight);
  chart_ = new CurvePlot;
  chart_->resize(640, 360);
  series_ = std::make_shared<Series>();
  chart_->setTitle("train/nll");
  chart_->setCurves({{"run a", seriesColour(0), series_}});
}

std::vector<ScalarPoint> TestCurvePlot::line(int from, int to) const {
  std::vector<ScalarPoint> points;
  for (int i = from; i < to; ++i) points.push_back({i, 1000.0 + i, double(i)});
  return points;
}

void TestCurvePlot::show() {
  chart_->show();
  QTRY_VERIFY(chart_->isUpToDate());
}

void TestCurvePlot::aThousandUpdatesAreOneRepaint() {
  show();
  const int before = chart_->replots();
  for (int i = 0; i < 1000; ++i) {
    series_->append(line(i, i + 1));
    chart_->dataChanged();
  }
  QTRY_VERIFY(chart_->isUpToDate());
  QCOMPARE(chart_->replots(), before + 1);
  QCOMPARE(series_->size(), std::size_t(1000));
  QVERIFY(chart_->xRange().upper >= 999);
}

void TestCurvePlot::aHiddenChartDrawsNothingUntilItIsShown() {
  series_->append(line(0, 10));
  chart_->dataChanged();
  QTest::qWait(120);
  QCOMPARE(chart_->replots(), 0);
  show();
  QCOMPARE(chart_->replots(), 1);
}

void TestCurvePlot::aZoomStaysWhileDataStreamIn() {
  series_->append(line(0, 1000));
  show();
  chart_->setXRange(100, 200);
  QTRY_VERIFY(chart_->isUpToDate());
  QVERIFY(std::abs(chart_->yRange().center() - 150) < 5);  // y fits what is visible
  series_->append(line(1000, 2000));
  chart_->dataChanged();
  QTRY_VERIFY(chart_->isUpToDate());
  QCOMPARE(chart_->xRange().lower, 100.0);
  QCOMPARE(chart_->xRange().upper, 200.0);
}

void TestCurvePlot::aViewAtTheTailFollowsIt() {
  series_->append(line(0, 1000));
  show();
  chart_->setXRange(900, 1010);
  QTRY_VERIFY(chart_->isUpToDate());
  series_->append(line(1000, 1500));
  chart_->dataChanged();
  QTRY_VERIFY(chart_->isUpToDate());
  QCOMPARE(chart_->xRange().upper, 1510.0);
  QCOMPARE(chart_->xRange().size(), 110.0);
}

void TestCurvePlot::aWheelZoomsXAndADoubleClickFits() {
  series_->append(line(0, 1000));
  show();
  const double before = chart_->xRange().size();
  QSignalSpy moved(chart_, &CurvePlot::xRangeChanged);
  const QPointF centre = chart_->plot()->axisRect()->center();
  QWheelEvent wheel(centre, chart_->plot()->mapToGlobal(centre), {}, {0, 240}, Qt::NoButton,
                    Qt::NoModifier, Qt::NoScrollPhase, false);
  QCoreApplication::sendEvent(chart_->plot(), &wheel);
  QVERIFY(chart_->xRange().size() < before);
  QCOMPARE(moved.count(), 1);
  QVERIFY(!chart_->isFitted());
  QTest::mouseDClick(chart_->plot(), Qt::LeftButton, {}, centre.toPoint());
  QVERIFY(chart_->isFitted());
  QTRY_VERIFY(chart_->isUpToDate());
  QVERIFY(chart_->xRange().size() >= 999);
}

void TestCurvePlot::infiniteValuesAreMarkedOnTheAxis() {
  auto points = line(0, 100);
  points[40].value = NAN;
  points[41].value = INFINITY;
  series_->append(points);
  show();
  QCOMPARE(chart_->markedValues(), 2);
  QVERIFY(chart_->findChild<QLabel*>("curveStatus")->text().contains("2"));
  QVERIFY(std::isfinite(chart_->yRange().upper));
}

void TestCurvePlot::aLogarithmicAxisCountsWhatItCannotShow() {
  series_->append(line(0, 100));  // the first value is 0
  show();
  chart_->setLogarithmicY(true);
  QTRY_VERIFY(chart_->isUpToDate());
  QCOMPARE(chart_->hiddenValues(), 1);
  QVERIFY(chart_->yRange().lower > 0);
  QVERIFY(chart_->yRange().upper > 99);
}

void TestCurvePlot::timeAxesStartAtZeroOrAtTheClock() {
  series_->append(line(0, 100));
  show();
  chart_->setXAxis(CurvePlot::XAxis::kRelativeTime);
  QTRY_VERIFY(chart_->isUpToDate());
  QVERIFY(chart_->xRange().contains(0) && chart_->xRange().upper < 200);
  chart_->setXAxis(CurvePlot::XAxis::kWallTime);
  QTRY_VERIFY(chart_->isUpToDate());
  QVERIFY(chart_->xRange().contains(1050));
}

void TestCurvePlot::exportsAllPointsAndPictures() {
  QTemporaryDir folder;
  auto points = line(0, 20000);
  points[3].value = NAN;
  series_->append(points);
  show();
  chart_->setXRange(5, 10);
  for (const char* name : {"c.csv", "c.png", "c.svg", "c.pdf"})
    chart_->exportTo(folder.filePath(name));
  QFile csv(folder.filePath("c.csv"));
  QVERIFY(csv.open(QIODevice::ReadOnly));
  const QList<QByteArray> lines = csv.readAll().trimmed().split('\n');
  QCOMPARE(lines.size(), 20001);  // not only what is visible
  QCOMPARE(lines[0], QByteArray("run,series,step,wall_time,value"));
  QCOMPARE(lines[2], QByteArray("run a,train/nll,1,1001,1"));
  QVERIFY(lines[4].endsWith(",NaN"));
  QFile svg(folder.filePath("c.svg"));
  QVERIFY(svg.open(QIODevice::ReadOnly));
  const QByteArray drawing = svg.readAll();
  QVERIFY(drawing.contains("<polyline") || drawing.contains("<path"));
  QVERIFY(drawing.contains("train/nll") && drawing.contains("run a"));
  QCOMPARE(QImage(folder.filePath("c.png")).width(), 2 * chart_->plot()->width());
  QVERIFY_EXCEPTION_THROWN(chart_->exportTo(folder.filePath("c.doc")), strata::Error);
}

void TestCurvePlot::fiftyCurvesOfAHundredThousandPointsStayQuick() {
  QVector<CurvePlot::Curve> curves;
  for (int c = 0; c < 50; ++c) {
    auto series = std::make_shared<Series>();
    std::vector<ScalarPoint> points;
    for (int i = 0; i < 100000; ++i) points.push_back({i, double(i), std::sin(i * 0.37 + c) + c});
    series->append(points);
    curves.push_back({QString::number(c), seriesColour(c), series});
  }
  chart_->setCurves(curves);
  show();
  qint64 slowest = 0;
  for (int i = 0; i < 5; ++i) {
    QElapsedTimer clock;
    clock.start();
    chart_->setXRange(1000 * i, 60000 + 5000 * i);
    chart_->redrawNow();
    chart_->plot()->grab();
    slowest = std::max(slowest, clock.elapsed());
  }
  qInfo("slowest frame: %lld ms", slowest);
  QVERIFY2(slowest < 1000, "ten times what the workbench allows, for loaded computers");
}

QTEST_MAIN(TestCurvePlot)
#include "test_curve_plot.moc"
