#include <qcustomplot.h>

#include <QTemporaryDir>
#include <QtTest>
#include <cmath>

#include "core/base/error.h"
#include "tests/program.h"
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
  void outliersAreLeftOutAndCounted();
  void aSeriesIsDrawnAlongAnother();
  void whatFallsIsDrawnAsPoints();
  void pointsBetweenGapsAreDrawn();
  void theKeyboardReadsOutPoints();
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
  chart_->setCurves({{"run a", 0, series_}});
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

void TestCurvePlot::outliersAreLeftOutAndCounted() {
  auto points = line(0, 1000);
  points[500].value = 1e6;
  points[501].value = -1e6;
  series_->append(points);
  show();
  QVERIFY(chart_->yRange().upper > 1e6);
  QCOMPARE(chart_->outliers(), 0);
  chart_->setWithoutOutliers(true);
  QTRY_VERIFY(chart_->isUpToDate());
  QVERIFY(chart_->yRange().upper < 3000 && chart_->yRange().upper > 989);
  QCOMPARE(chart_->outliers(), 2);
  QVERIFY(chart_->findChild<QLabel*>("curveStatus")->text().contains("2 outlier"));
  // A value that is large, but not alone, stays.
  chart_->setXRange(0, 100);
  QTRY_VERIFY(chart_->isUpToDate());
  QCOMPARE(chart_->outliers(), 0);
}

void TestCurvePlot::aSeriesIsDrawnAlongAnother() {
  Series epochs;
  epochs.append(std::vector<ScalarPoint>{{0, 0, 0}, {10, 0, 1}, {20, 0, 3}});
  Series losses;
  losses.append(std::vector<ScalarPoint>{{5, 7, 50}, {10, 8, 40}, {15, 9, NAN}, {40, 10, 10}});
  const auto along = Series::along(losses, epochs);
  const auto others = along->others();
  QCOMPARE(std::vector<double>(others.begin(), others.end()), std::vector<double>({0.5, 1, 2, 3}));
  QVERIFY(!along->isScattered());
  QCOMPARE(along->nonFinite().size(), std::size_t(1));
  chart_->setCurves({{"run a", 0, along}});
  chart_->setOtherTitle("epoch");
  chart_->setXAxis(CurvePlot::XAxis::kOther);
  show();
  QVERIFY(chart_->xRange().contains(3) && chart_->xRange().upper < 4);
  QCOMPARE(chart_->plot()->xAxis->label(), QString("epoch"));
  QVERIFY(chart_->readout({0, 1}).contains("epoch: 1"));
  QVERIFY(Series::along(losses, Series())->size() == 0);
}

void TestCurvePlot::whatFallsIsDrawnAsPoints() {
  Series train, test;
  train.append(std::vector<ScalarPoint>{{1, 0, 0.5}, {2, 0, 0.3}, {3, 0, 0.4}});
  test.append(std::vector<ScalarPoint>{{1, 0, 0.9}, {2, 0, 0.8}, {3, 0, 0.7}});
  const auto along = Series::along(test, train);
  QVERIFY(along->isScattered());
  const auto x = along->others(), y = along->values();
  QCOMPARE(std::vector<double>(x.begin(), x.end()), std::vector<double>({0.3, 0.4, 0.5}));
  QCOMPARE(std::vector<double>(y.begin(), y.end()), std::vector<double>({0.8, 0.7, 0.9}));
}

// No line goes to a value that is alone between others that are not finite.
void TestCurvePlot::pointsBetweenGapsAreDrawn() {
  auto points = line(0, 9);
  for (const int at : {0, 2, 4, 6}) points[std::size_t(at)].value = NAN;  // 1, 3 and 5 are alone
  series_->append(points);
  show();
  const auto pixelsNear = [&](double x, double y) {
    const QImage image = chart_->plot()->grab().toImage();
    const QColor ground = image.pixelColor(image.width() / 2, 2);
    const QPoint at(int(chart_->plot()->xAxis->coordToPixel(x)),
                    int(chart_->plot()->yAxis->coordToPixel(y)));
    int coloured = 0;
    for (int dx = -1; dx <= 1; ++dx) {
      for (int dy = -1; dy <= 1; ++dy)
        coloured += image.pixelColor(at + QPoint(dx, dy)).saturation() > 60 ? 1 : 0;
    }
    return ground.saturation() > 60 ? -1 : coloured;
  };
  for (const int at : {1, 3, 5}) QVERIFY2(pixelsNear(at, at) >= 4, qPrintable(QString::number(at)));
  QTemporaryDir folder;
  chart_->exportTo(folder.filePath("c.tex"));
  QFile tex(folder.filePath("c.tex"));
  QVERIFY(tex.open(QIODevice::ReadOnly));
  const QByteArray text = tex.readAll();
  QCOMPARE(text.count("only marks"), 2);  // these, and the marks of what is not finite
  QVERIFY(text.contains(
      "mark=*, mark size=1.2pt, only marks, forget plot] table {\n1 1\n3 3\n5 5\n};"));
}

void TestCurvePlot::theKeyboardReadsOutPoints() {
  series_->append(line(0, 10));
  auto other = std::make_shared<Series>();
  other->append(line(0, 10));
  chart_->setCurves({{"run a", 0, series_}, {"run b", 1, other}});
  show();
  chart_->setFocus();
  QSignalSpy chosen(chart_, &CurvePlot::pointChosen);
  const auto at = [this] { return std::pair(chart_->cursor()->curve, chart_->cursor()->index); };
  QTest::keyClick(chart_, Qt::Key_Right);
  QCOMPARE(at(), std::pair(0, std::size_t(0)));
  QTest::keyClick(chart_, Qt::Key_Right);
  QCOMPARE(at(), std::pair(0, std::size_t(1)));
  QTest::keyClick(chart_, Qt::Key_End);
  QCOMPARE(at(), std::pair(0, std::size_t(9)));
  QTest::keyClick(chart_, Qt::Key_Right);
  QCOMPARE(at(), std::pair(0, std::size_t(9)));
  QTest::keyClick(chart_, Qt::Key_Down);
  QCOMPARE(at(), std::pair(1, std::size_t(9)));
  QTest::keyClick(chart_, Qt::Key_Left);
  QTest::keyClick(chart_, Qt::Key_Return);
  QCOMPARE(chosen.takeFirst(), QVariantList({1, qint64(8)}));
  QTest::keyClick(chart_, Qt::Key_Home);
  QCOMPARE(at(), std::pair(1, std::size_t(0)));
  // What screen readers are told.
  QCOMPARE(chart_->accessibleDescription(), QString("run b\nstep 0: 0"));
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
  QVERIFY(QImage(folder.filePath("c.png")).width() >= 2 * 560);
  QVERIFY_EXCEPTION_THROWN(chart_->exportTo(folder.filePath("c.doc")), strata::Error);
}

void TestCurvePlot::fiftyCurvesOfAHundredThousandPointsStayQuick() {
  QVector<CurvePlot::Curve> curves;
  for (int c = 0; c < 50; ++c) {
    auto series = std::make_shared<Series>();
    std::vector<ScalarPoint> points;
    for (int i = 0; i < 100000; ++i) points.push_back({i, double(i), std::sin(i * 0.37 + c) + c});
    series->append(points);
    curves.push_back({QString::number(c), c, series});
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

STRATA_TEST(TestCurvePlot)
#include "test_curve_plot.moc"
