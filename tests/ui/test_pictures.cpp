#include <qcustomplot.h>

#include <QAction>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>
#include <array>
#include <cmath>

#include "core/base/error.h"
#include "tests/program.h"
#include "tests/ui/exports.h"
#include "tests/ui/picture_texts.h"
#include "ui/panels/curves_panel.h"
#include "ui/plots/arc_view.h"
#include "ui/plots/category_plot.h"
#include "ui/plots/curve_plot.h"
#include "ui/plots/gradient_map.h"
#include "ui/plots/heat_map.h"
#include "ui/plots/interval_plot.h"
#include "ui/plots/picture_export.h"
#include "ui/plots/plot_legend.h"
#include "ui/plots/plot_style.h"
#include "ui/style/colour_map.h"
#include "ui/style/theme.h"

using namespace strata;
using namespace strata::ui;

// Lines that can be told apart, legends, and pictures in files.
class TestPictures : public QObject {
  Q_OBJECT
 private slots:
  void cleanup() { applyTheme(ThemeChoice::kLight); }
  void eightLinesDifferForEveryEyeAndInGrey();
  void furtherLinesDifferInDashesAndMarkers();
  void listsLegendsAndCurvesShowTheSameLine();
  void manyLinesAreDashedWhileTheyMove();
  void aLegendIsBesideTheCurvesAndCountsWhatDoesNotFit();
  void picturesOfADarkWindowAreLight();
  void everyChartIsExportedLight();
  void aPictureHasAxisTitlesAndItsValues();
  void pgfplotsGetTheDrawnPoints();
  void textsHaveTheSizeOfTheirLayout();
  void aFailedExportHarmsNothing();
  void theDialogSaysWhichFilesItWrites();
};

namespace {

std::shared_ptr<Series> wave(int seed) {
  auto series = std::make_shared<Series>();
  std::vector<ScalarPoint> points;
  for (int i = 0; i < 200; ++i) points.push_back({i, 1000.0 + i, seed + std::sin(i * 0.1)});
  series->append(points);
  return series;
}

QVector<CurvePlot::Curve> waves(int count) {
  QVector<CurvePlot::Curve> curves;
  for (int i = 0; i < count; ++i) curves.push_back({QString("run-%1").arg(i), i, wave(i)});
  return curves;
}

QByteArray contentOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

double linear(double gamma) {
  return gamma <= 0.04045 ? gamma / 12.92 : std::pow((gamma + 0.055) / 1.055, 2.4);
}

using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>;

Vector times(const Matrix& m, const Vector& v) {
  Vector out{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) out[i] += m[i][j] * v[j];
  return out;
}

// OKLab of a colour as an eye sees it that maps linear RGB by `eye`.
Vector seen(const QColor& colour, const Matrix& eye) {
  Vector rgb = times(eye, {linear(colour.redF()), linear(colour.greenF()), linear(colour.blueF())});
  Vector lms = times({{{0.4122214708, 0.5363325363, 0.0514459929},
                       {0.2119034982, 0.6806995451, 0.1073969566},
                       {0.0883024619, 0.2817188376, 0.6299787005}}},
                     {std::max(0.0, rgb[0]), std::max(0.0, rgb[1]), std::max(0.0, rgb[2])});
  for (double& v : lms) v = std::cbrt(v);
  return times({{{0.2104542553, 0.7936177850, -0.0040720468},
                 {1.9779984951, -2.4285922050, 0.4505937099},
                 {0.0259040371, 0.7827717662, -0.8086757660}}},
               lms);
}

// Normal sight, and those of Machado, Oliveira and Fernandes (2009) without one kind of cone.
const Matrix kEyes[] = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                        {{{0.152286, 1.052583, -0.204868},
                          {0.114503, 0.786281, 0.099216},
                          {-0.003882, -0.048116, 1.051998}}},
                        {{{0.367322, 0.860646, -0.227968},
                          {0.280085, 0.672501, 0.047413},
                          {-0.011820, 0.042940, 0.968881}}},
                        {{{1.255528, -0.076749, -0.178779},
                          {-0.078411, 0.930809, 0.147602},
                          {0.004733, 0.691367, 0.303900}}}};

}  // namespace

void TestPictures::eightLinesDifferForEveryEyeAndInGrey() {
  for (const ThemeChoice choice : {ThemeChoice::kLight, ThemeChoice::kDark}) {
    applyTheme(choice);
    for (int i = 0; i < 8; ++i) {
      QCOMPARE(lineStyle(i).dash, Qt::SolidLine);
      for (int j = 0; j < i; ++j) {
        const QColor a = lineStyle(i).colour, b = lineStyle(j).colour;
        QVERIFY2(std::abs(lightnessOf(a) - lightnessOf(b)) > 0.04, qPrintable(a.name() + b.name()));
        for (const Matrix& eye : kEyes) {
          const Vector x = seen(a, eye), y = seen(b, eye);
          QVERIFY2(std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]) > 0.09,
                   qPrintable(a.name() + b.name()));
        }
      }
      // And each from the background.
      QVERIFY(std::abs(lightnessOf(lineStyle(i).colour) - lightnessOf(theme().surface)) > 0.3);
    }
  }
}

void TestPictures::furtherLinesDifferInDashesAndMarkers() {
  for (int i = 0; i < 60; ++i) {
    for (int j = 0; j < i; ++j) {
      const LineStyle a = lineStyle(i), b = lineStyle(j);
      QVERIFY(a.colour != b.colour || a.dash != b.dash || a.marker != b.marker);
      // In grey: lightness, dash or marker.
      const bool grey = std::abs(lightnessOf(a.colour) - lightnessOf(b.colour)) > 0.04;
      QVERIFY(grey || a.dash != b.dash || a.marker != b.marker);
    }
  }
}

void TestPictures::listsLegendsAndCurvesShowTheSameLine() {
  applyTheme(ThemeChoice::kDark);
  const auto picture = [](int line) { return lineIcon(line).pixmap(16, 16).toImage(); };
  QVERIFY(picture(1) != picture(9));
  QVERIFY(picture(9) != picture(17));
  CurvePlot chart;
  chart.resize(800, 300);
  chart.setCurves(waves(12));
  QCPGraph* ninth = nullptr;
  for (int i = 0; i < chart.plot()->graphCount(); ++i) {
    if (chart.plot()->graph(i)->pen().color() == seriesColour(1) &&
        chart.plot()->graph(i)->pen().style() == Qt::DashLine)
      ninth = chart.plot()->graph(i);
  }
  QVERIFY(ninth != nullptr);
  QCOMPARE(chart.legend()->entries()[9].style, 9);
}

void TestPictures::manyLinesAreDashedWhileTheyMove() {
  CurvePlot chart;
  chart.resize(700, 420);
  QVector<CurvePlot::Curve> levels;
  for (int i = 0; i < 20; ++i) {
    auto series = std::make_shared<Series>();
    for (int step = 0; step <= 100; ++step)
      series->append(std::vector<ScalarPoint>{{step, double(step), double(i)}});
    levels.push_back({QString::number(i), i, series});
  }
  chart.setCurves(levels);
  chart.show();
  QTRY_VERIFY(chart.isUpToDate());
  chart.setXRange(10, 90);
  chart.redrawNow();
  const QImage image = chart.plot()->grab().toImage();
  // Without the column that the y axis covers.
  const QRect axes = chart.plot()->axisRect()->rect().adjusted(1, 0, 0, 0);
  const auto drawn = [&](int curve) {
    const int row = int(chart.plot()->yAxis->coordToPixel(curve));
    int count = 0;
    for (int x = axes.left(); x <= axes.right(); ++x)
      count += image.pixelColor(x, row) == seriesColour(curve % 8);
    return double(count) / axes.width();
  };
  QCOMPARE(drawn(3), 1.0);
  QVERIFY(drawn(9) > 0.4 && drawn(9) < 0.9);
}

void TestPictures::aLegendIsBesideTheCurvesAndCountsWhatDoesNotFit() {
  CurvePlot chart;
  chart.resize(700, 220);
  chart.setCurves(waves(40));
  chart.show();
  QTRY_VERIFY(chart.isUpToDate());
  chart.plot()->replot();
  QVERIFY(chart.legend()->isShown());
  QVERIFY(chart.legend()->rect().left() >= chart.plot()->axisRect()->right());
  QVERIFY(chart.legend()->rect().width() <= PlotLegend::kWidth);
  QVERIFY(chart.legend()->left() > 20 && chart.legend()->left() < 40);
  QVERIFY(!chart.plot()->legend->visible());
  chart.resize(300, 220);
  QTRY_VERIFY(!chart.legend()->isShown());  // the curves need the room
  // A picture has all of them.
  QTemporaryDir folder;
  chart.exportTo(folder.filePath("c.svg"));
  const QByteArray drawing = contentOf(folder.filePath("c.svg"));
  for (int i = 0; i < 40; ++i) QVERIFY(drawing.contains(QString(">run-%1<").arg(i).toUtf8()));
}

void TestPictures::picturesOfADarkWindowAreLight() {
  applyTheme(ThemeChoice::kDark);
  CurvePlot chart;
  chart.setTitle("train/nll");
  chart.setCurves(waves(3));
  chart.resize(500, 250);
  chart.show();
  QTRY_VERIFY(chart.isUpToDate());
  chart.plot()->replot();
  const QImage before = chart.grab().toImage();
  struct Changes : QObject {
    int count = 0;
    bool eventFilter(QObject*, QEvent* event) override {
      count += event->type() == QEvent::PaletteChange || event->type() == QEvent::Paint ||
               event->type() == QEvent::StyleChange;
      return false;
    }
  } changes;
  chart.installEventFilter(&changes);
  chart.plot()->installEventFilter(&changes);
  QTemporaryDir folder;
  for (const char* name : {"c.png", "c.svg", "c.pdf"}) chart.exportTo(folder.filePath(name));
  QCOMPARE(changes.count, 0);  // the window has not flickered
  QVERIFY(theme().dark);
  QTRY_VERIFY(chart.isUpToDate());
  chart.plot()->replot();
  QCOMPARE(chart.grab().toImage(), before);
  const QImage picture(folder.filePath("c.png"));
  QVERIFY(picture.width() >= 2 * 500);
  for (const QPoint corner : {QPoint(0, 0), QPoint(picture.width() - 1, picture.height() - 1)})
    QCOMPARE(picture.pixelColor(corner), QColor(Qt::white));
  const QByteArray drawing = contentOf(folder.filePath("c.svg"));
  QVERIFY(!drawing.contains(theme().surface.name().toUtf8()));
  QVERIFY(!drawing.contains(seriesColour(0).name().toUtf8()));
  const LightTheme light;
  QVERIFY(drawing.contains(seriesColour(0).name().toUtf8()));
}

void TestPictures::everyChartIsExportedLight() {
  applyTheme(ThemeChoice::kDark);
  QTemporaryDir folder;
  const auto check = [&](Chart& chart, const char* name) {
    chart.resize(300, 200);
    const QString path = folder.filePath(QString("%1.png").arg(name));
    chart.exportTo(path);
    const QImage picture(path);
    QCOMPARE(picture.pixelColor(0, 0), QColor(Qt::white));
    QCOMPARE(picture.pixelColor(picture.width() - 1, 0), QColor(Qt::white));
    QVERIFY2(picture.width() >= 900, name);  // not the window's size
    QVERIFY(QFileInfo::exists(folder.filePath(QString("%1.csv").arg(name))));
    const QStringList faults = faultsOfExports(chart, folder.path());
    QVERIFY2(faults.isEmpty(), qPrintable(QString(name) + ": " + faults.join('\n')));
    chart.exportTo(folder.filePath(QString("%1.pdf").arg(name)));
    QVERIFY(theme().dark);
  };
  CategoryPlot categories;
  categories.setContent({"1", "2"}, {{"base", {0.5, 0.25}}});
  check(categories, "categories");
  IntervalPlot intervals;
  intervals.setRows({{"base", 30, 29, 31}, {"ours", 32, 31, 33}});
  check(intervals, "intervals");
  HeatMapView heat;
  QStringList columns;
  for (int i = 0; i < 12; ++i) columns << QString("word%1").arg(i);
  heat.setMaps(columns, {{"hop", {"a"}, std::vector<float>(12, 0.5f)}});
  check(heat, "heat");
  GradientMapView map;
  map.setMaps({{"run", {{{1, kGradientPrefix + "encoder.layers.0"}, {{1, 0, 2}}, true}}}});
  check(map, "map");
  ArcView arcs;
  arcs.setSentence({"a", "b", "c", "d", "e", "f", "g", "h", "i"}, {{"layer 1", {}}});
  check(arcs, "arcs");
}

void TestPictures::aPictureHasAxisTitlesAndItsValues() {
  CurvePlot chart;
  chart.setTitle("train/nll");
  chart.setYTitle(axisTitleOf("train/nll"));
  chart.setCurves(waves(1));
  QTemporaryDir folder;
  const ExportedFiles files;
  chart.exportTo(folder.filePath("c.svg"));  // a hidden chart, never drawn
  const QByteArray drawing = contentOf(folder.filePath("c.svg"));
  for (const char* text : {">step<", "nats per word", ">train/nll<"})
    QVERIFY2(drawing.contains(text), text);
  QCOMPARE(recordsOf(folder.filePath("c.csv")).size(), 200);
  QCOMPARE(files.paths(), QStringList({folder.filePath("c.svg"), folder.filePath("c.csv")}));
  QVERIFY(files.message().contains(folder.filePath("c.svg")));
}

void TestPictures::pgfplotsGetTheDrawnPoints() {
  CurvePlot chart;
  chart.setTitle("train/token_error");
  chart.setCurves(waves(2));
  chart.resize(640, 400);
  chart.show();
  QTRY_VERIFY(chart.isUpToDate());
  QTemporaryDir folder;
  chart.exportTo(folder.filePath("c.tex"));
  const QByteArray text = contentOf(folder.filePath("c.tex"));
  QCOMPARE(text.count("\\addplot["), 2);
  QVERIFY(text.contains("title={train/token\\_error}") && text.contains("xlabel={step}"));
  QVERIFY(text.contains("\n0 0\n") && text.contains("\\addlegendentry{run-1}"));
  QVERIFY(QFileInfo::exists(folder.filePath("c.csv")));
  HeatMapView heat;
  heat.setMaps({"a"}, {{"hop", {"a"}, {0.5f}}});
  QVERIFY_EXCEPTION_THROWN(heat.exportTo(folder.filePath("h.tex")), strata::Error);
}

// Texts are drawn in the size that the layout has room for, whatever the form of the file.
void TestPictures::textsHaveTheSizeOfTheirLayout() {
  QTemporaryDir folder;
  const QFont font = qApp->font();
  const QRect expected = QFontMetrics(font).tightBoundingRect("Hop weights");
  const auto paint = [&](QPainter& painter, const QSizeF&) {
    painter.setFont(font);
    painter.setPen(Qt::black);
    painter.drawText(QPointF(20, 60), "Hop weights");
  };
  exportPicture(folder.filePath("t.png"), {400, 100}, paint);
  const QImage image(folder.filePath("t.png"));
  QCOMPARE(image.size(), QSize(1200, 300));
  QRect ink;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x)
      if (qGray(image.pixel(x, y)) < 128) ink |= QRect(x, y, 1, 1);
  QVERIFY2(std::abs(ink.width() / 3.0 - expected.width()) < 4,
           qPrintable(QString::number(ink.width())));
  QVERIFY2(std::abs(ink.height() / 3.0 - expected.height()) < 3,
           qPrintable(QString::number(ink.height())));
  // A drawing names a family that exists, and what to take elsewhere.
  exportPicture(folder.filePath("t.svg"), {400, 100}, paint);
  const QByteArray drawing = contentOf(folder.filePath("t.svg"));
  const QByteArray family = QFontInfo(font).family().toUtf8();
  QVERIFY2(drawing.contains("font-family=\"'" + family + "', sans-serif\""), drawing.constData());
}

// A picture that cannot be drawn leaves the one that was there.
void TestPictures::aFailedExportHarmsNothing() {
  QTemporaryDir folder;
  const QString path = folder.filePath("t.png");
  exportPicture(path, {40, 10}, [](QPainter&, const QSizeF&) {});
  const QByteArray before = contentOf(path);
  QVERIFY_EXCEPTION_THROWN(
      exportPicture(path, {40, 10},
                    [](QPainter&, const QSizeF&) { throw strata::Error("no picture"); }),
      strata::Error);
  QCOMPARE(contentOf(path), before);
  QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden), QStringList{"t.png"});
}

// Several charts get names of their own, one keeps the chosen one; a message says where they are.
void TestPictures::theDialogSaysWhichFilesItWrites() {
  QTemporaryDir folder;
  QAction demo;
  CurvesPanel panel(&demo);
  RunRow run;
  run.id = 1;
  run.name = "run a";
  run.status = RunStatus::kFinished;
  panel.setRuns({run});
  panel.setDrawn({{1, "run a", 0}});
  panel.setSeriesNames(1, {"train/nll", "lr"});
  panel.addPoints(
      {{{1, "train/nll"}, {{1, 1, 2}, {2, 2, 3}}, true}, {{1, "lr"}, {{1, 1, 2}}, true}});
  panel.resize(900, 500);
  panel.show();
  QSignalSpy notices(&panel, &CurvesPanel::notice);
  const auto save = [&](const QString& expected) {
    panel.findChild<QAction*>("curveExport")->trigger();
    auto* dialog = panel.findChild<QFileDialog*>();
    auto* name = dialog->findChild<QLineEdit*>("fileNameEdit");
    QCOMPARE(name->text(), QString("curve"));
    if (notices.isEmpty()) dialog->setDirectory(folder.path());  // then it is remembered
    QCOMPARE(dialog->directory().path(), folder.path());
    name->setText("c.pdf");
    QCOMPARE(dialog->findChild<QLabel*>("exportNames")->text(), expected);
    dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Save)->click();
    delete dialog;
  };
  save("Writes c-train-nll.pdf, c-train-nll.csv, c-lr.pdf, c-lr.csv.");
  QTRY_COMPARE(notices.size(), 1);
  QVERIFY(notices[0][0].toString().contains(folder.filePath("c-train-nll.pdf")));
  QVERIFY(QFileInfo(folder.filePath("c-lr.pdf")).size() > 1000);
  QVERIFY(!QFileInfo::exists(folder.filePath("c.pdf")));
  panel.showSeries({"lr"});
  save("Writes c.pdf, c.csv.");
  QVERIFY(QFileInfo(folder.filePath("c.pdf")).size() > 1000);
  QVERIFY(contentOf(folder.filePath("c.csv")).contains("run a,lr,1,"));
}

STRATA_TEST(TestPictures)
#include "test_pictures.moc"
