#include <qcustomplot.h>

#include <QPainter>
#include <QTemporaryDir>
#include <QtTest>
#include <atomic>
#include <cmath>
#include <vector>

#include "tests/program.h"
#include "ui/data/in_parallel.h"
#include "ui/plots/curve_plot.h"
#include "ui/plots/line_canvas.h"
#include "ui/plots/plot_style.h"
#include "ui/style/theme.h"

using namespace strata;
using namespace strata::ui;

// Many curves are drawn as one picture, in which nothing is missing.
class TestCurveCanvas : public QObject {
  Q_OBJECT
 private slots:
  void aLineHasNoHoles();
  void aLineEndsAtAGap();
  void partsMakeTheWhole();
  void translucentLinesAreComposedAsQtDoes();
  void aPeakShowsInTheGapsOfDashes();
  void eachOfManyCurvesIsWhereItsPointsAre();
  void smoothedCurvesLieOverFaintOnes();
  void aPictureInAFileHasALineForEach();
  void workIsDoneOnceForEachPart();
};

static constexpr QSize kSize(200, 100);

static QImage drawn(const QVector<QPointF>& points, const QPen& pen,
                    const QVector<int>& borders = {0, kSize.width()}) {
  LineCanvas canvas(kSize);
  QImage image(kSize, QImage::Format_ARGB32_Premultiplied);
  for (int i = 0; i + 1 < borders.size(); ++i) {
    const LineCanvas::Columns columns{borders[i], borders[i + 1]};
    canvas.draw(points, pen, columns);
    canvas.copyTo(image, columns);
  }
  return image;
}

// The first and the last row of a column that are not empty; {-1, -1}: all are.
static std::pair<int, int> rowsOf(const QImage& image, int column) {
  int first = -1, last = -1;
  for (int y = 0; y < image.height(); ++y) {
    if (image.pixel(column, y) == 0) continue;
    if (first < 0) first = y;
    last = y;
  }
  return {first, last};
}

void TestCurveCanvas::aLineHasNoHoles() {
  // Steep, then back, then flat; it enters at the left and leaves at the right.
  const QImage image = drawn({{-10, 50}, {20, 5}, {21, 95}, {60, 10}, {300, 10}}, QPen(Qt::red, 1));
  std::pair<int, int> before = rowsOf(image, 0);
  for (int x = 0; x < kSize.width(); ++x) {
    const auto rows = rowsOf(image, x);
    QVERIFY2(rows.first >= 0, qPrintable(QString::number(x)));
    for (int y = rows.first; y <= rows.second; ++y) QCOMPARE(image.pixelColor(x, y), Qt::red);
    QVERIFY(rows.first <= before.second + 1 && before.first <= rows.second + 1);
    before = rows;
  }
  QCOMPARE(rowsOf(image, 0).first, 33);  // a third of the way from 50 to 5, less a column's slope
  QCOMPARE(rowsOf(image, 20), std::pair(5, 95));  // the peak and the rise after it
  QCOMPARE(rowsOf(image, 150), std::pair(10, 10));
}

void TestCurveCanvas::aLineEndsAtAGap() {
  const QImage image = drawn({{0, 10}, {50, 10}, {60, NAN}, {70, 20}, {199, 20}}, QPen(Qt::red, 1));
  QCOMPARE(rowsOf(image, 50), std::pair(10, 10));
  for (int x = 51; x < 70; ++x) QCOMPARE(rowsOf(image, x).first, -1);
  QCOMPARE(rowsOf(image, 70), std::pair(20, 20));
}

void TestCurveCanvas::partsMakeTheWhole() {
  QVector<QPointF> points;
  for (int i = 0; i < 1000; ++i) points << QPointF(0.2 * i, 50 + 40 * std::sin(0.7 * i));
  QColor faint(Qt::blue);
  faint.setAlpha(70);
  for (const QPen& pen : {QPen(Qt::blue, 1), QPen(faint, 1), QPen(Qt::blue, 1, Qt::DashDotLine)})
    QCOMPARE(drawn(points, pen, {0, 1, 64, 150, 200}), drawn(points, pen));
}

void TestCurveCanvas::translucentLinesAreComposedAsQtDoes() {
  const QColor colours[] = {QColor(200, 10, 60, 255), QColor(20, 200, 250, 70),
                            QColor(0, 90, 30, 180)};
  LineCanvas canvas(kSize);
  QImage image(kSize, QImage::Format_ARGB32_Premultiplied), expected = image;
  expected.fill(Qt::transparent);
  QPainter painter(&expected);
  const QVector<QPointF> level{{0, 50}, {199, 50}};
  for (const QColor& colour : colours) {
    canvas.draw(level, QPen(colour, 1), {0, kSize.width()});
    painter.fillRect(0, 50, kSize.width(), 1, colour);
  }
  painter.end();
  canvas.copyTo(image, {0, kSize.width()});
  const QRgb got = image.pixel(7, 50), wanted = expected.pixel(7, 50);
  QVERIFY(std::abs(qRed(got) - qRed(wanted)) <= 1 && std::abs(qGreen(got) - qGreen(wanted)) <= 1);
  QVERIFY(std::abs(qBlue(got) - qBlue(wanted)) <= 1 && qAlpha(got) == qAlpha(wanted));
}

void TestCurveCanvas::aPeakShowsInTheGapsOfDashes() {
  QVector<QPointF> points;
  for (int x = 0; x < kSize.width(); ++x) points << QPointF(x + 0.5, 50);
  const QPen pen(Qt::red, 1, Qt::DotLine);
  const QImage flat = drawn(points, pen);
  int gaps = 0;
  for (int x = 0; x < kSize.width(); ++x) {
    if (rowsOf(flat, x).first >= 0) continue;
    ++gaps;
    QVector<QPointF> peak = points;
    peak[x].setY(5);
    QVERIFY(rowsOf(drawn(peak, pen), x).first == 5);
  }
  QVERIFY(gaps > kSize.width() / 2 && gaps < kSize.width());
}

static QVector<CurvePlot::Curve> levels(int count, double spike, double smoothing = 0) {
  QVector<CurvePlot::Curve> curves;
  for (int c = 0; c < count; ++c) {
    auto series = std::make_shared<Series>();
    series->setSmoothing(smoothing);
    std::vector<ScalarPoint> points;
    for (int i = 0; i < 20000; ++i)
      points.push_back({i, double(i), 10.0 * c + (i == 400 * c + 77 ? spike : 0)});
    series->append(points);
    curves.push_back({QString::number(c), c, series});
  }
  return curves;
}

static QImage grabbed(CurvePlot& chart) {
  QCoreApplication::processEvents();  // it gets its size
  chart.redrawNow();
  return chart.plot()->grab().toImage();
}

// Where a point is, as a pixel of grabbed().
static QPoint pixelOf(const CurvePlot& chart, double x, double y) {
  return {int(chart.plot()->xAxis->coordToPixel(x)), int(chart.plot()->yAxis->coordToPixel(y))};
}

void TestCurveCanvas::eachOfManyCurvesIsWhereItsPointsAre() {
  applyTheme(ThemeChoice::kLight);
  for (const bool logarithmic : {false, true}) {
    CurvePlot chart;
    chart.resize(900, 700);
    chart.setCurves(levels(50, 5));
    chart.setLogarithmicX(logarithmic);
    chart.show();
    chart.setXRange(logarithmic ? 100 : 0, 20000);
    const QImage image = grabbed(chart);
    for (int c = 1; c < 50; ++c) {
      const QColor colour = lineStyle(c).colour;
      QCOMPARE(image.pixelColor(pixelOf(chart, 400 * c + 77, 10 * c + 5)),
               colour);  // its one highest value
      QCOMPARE(image.pixelColor(pixelOf(chart, 400 * c + 77, 10 * c + 3)),
               colour);  // and the line to it
    }
  }
}

// A spike is faint, and the smoothed line over the faint one has its whole colour.
void TestCurveCanvas::smoothedCurvesLieOverFaintOnes() {
  applyTheme(ThemeChoice::kLight);
  QImage images[2];
  QPoint spike, level;
  for (int i = 0; i < 2; ++i) {
    CurvePlot chart;
    chart.resize(900, 700);
    chart.setFixedY(-5, 130);
    chart.setCurves(levels(13, i == 0 ? 5 : 0, 0.9));
    chart.show();
    images[i] = grabbed(chart);
    spike = pixelOf(chart, 1277, 34);
    level = pixelOf(chart, 9000, 30);
  }
  const QColor colour = lineStyle(3).colour;
  QCOMPARE(images[0].pixelColor(level), colour);
  QVERIFY(images[0].pixelColor(spike) != colour);
  QVERIFY(images[0].pixelColor(spike) != images[1].pixelColor(spike));
}

void TestCurveCanvas::aPictureInAFileHasALineForEach() {
  applyTheme(ThemeChoice::kLight);
  QTemporaryDir folder;
  CurvePlot chart;
  chart.resize(900, 700);
  chart.setCurves(levels(20, 5));
  chart.show();
  grabbed(chart);
  chart.exportTo(folder.filePath("c.svg"));
  QFile svg(folder.filePath("c.svg"));
  QVERIFY(svg.open(QIODevice::ReadOnly));
  const QByteArray drawing = svg.readAll();
  QVERIFY(!drawing.contains("<image"));
  QVERIFY(drawing.count("<polyline") + drawing.count("<path") >= 20);
  // The screen shows the curves again.
  const QImage shown = grabbed(chart);
  QCOMPARE(shown.pixelColor(pixelOf(chart, 9000, 30)), lineStyle(3).colour);
}

void TestCurveCanvas::workIsDoneOnceForEachPart() {
  for (const int parts : {0, 1, 2, 100}) {
    const auto count = std::size_t(parts);
    std::vector<std::atomic<int>> done(count);
    inParallel(parts, [&](int part) { ++done[std::size_t(part)]; });
    for (const auto& times : done) QCOMPARE(times.load(), 1);
  }
}

STRATA_TEST(TestCurveCanvas)
#include "test_curve_canvas.moc"
