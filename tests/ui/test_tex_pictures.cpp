// Pictures for pgfplots: the files have what the pictures have, and LaTeX takes them.
#include <qcustomplot.h>

#include <QAction>
#include <QFileDialog>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <limits>

#include "tests/program.h"
#include "tests/ui/exports.h"
#include "tests/ui/tex_pictures.h"
#include "ui/panels/launch_panel.h"
#include "ui/plots/curve_plot.h"
#include "ui/plots/near_lines.h"
#include "ui/style/theme.h"

using namespace strata;
using namespace strata::ui;

class TestTexPictures : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() { applyTheme(ThemeChoice::kLight); }
  void init();
  void namesOfUsersAreEscaped();
  void theFaultsOfAFileAreFound();
  void aSmoothedCurveHasItsRawOneUnderIt();
  void aBandIsAnAreaForEachStretch();
  void whatIsNotFiniteIsMarked();
  void aRunThatBrokeIsInTheLegend();
  void whatFallsIsNotJoined();
  void farPointsAreCutOff();
  void linesAreCutWhereTheyLeave();
  void timesAreLabelledAsInThePicture();
  void logarithmicAxesStayLogarithmic();
  void theRightAxisHasItsOwnPoints();
  void aHiddenChartIsWrittenAsItWouldBeShown();
  void theDialogOffersItForTheRateOnly();

 private:
  QString written();  // after a check for faults

  QTemporaryDir folder_;
  std::unique_ptr<CurvePlot> chart_;
};

namespace {

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();
const QString kHostileName = QStringLiteral("a_b 50% & {c} #1 ~x^2 \\d");
const QString kEscapedName = QStringLiteral(
    "a\\_b 50\\% \\& \\{c\\} \\#1 \\textasciitilde{}x\\textasciicircum{}2 \\textbackslash{}d");

std::shared_ptr<Series> seriesWith(const std::vector<double>& values, double smoothing = 0) {
  auto series = std::make_shared<Series>();
  series->setSmoothing(smoothing);
  std::vector<ScalarPoint> points;
  for (std::size_t i = 0; i < values.size(); ++i)
    points.push_back({qint64(i), 1764547200.25 + 60 * double(i), values[i]});
  series->append(points);
  return series;
}

// Those with an option, without their gaps.
QVector<QPointF> pointsWith(const QString& tex, const QString& option) {
  QVector<QPointF> points;
  for (const TexPlot& plot : texPlots(tex)) {
    if (!plot.options.contains(option)) continue;
    for (const QPointF& point : plot.points)
      if (!std::isnan(point.y())) points << point;
  }
  return points;
}

}  // namespace

void TestTexPictures::init() {
  chart_ = std::make_unique<CurvePlot>();
  chart_->resize(640, 400);
  chart_->setTitle("train/nll");
}

QString TestTexPictures::written() {
  const QStringList faults = faultsOfTex(*chart_, folder_.path());
  if (!faults.isEmpty()) QTest::qFail(qPrintable(faults.join('\n')), __FILE__, __LINE__);
  return textOf(folder_.filePath("picture.tex"));
}

void TestTexPictures::namesOfUsersAreEscaped() {
  chart_->setTitle(kHostileName);
  chart_->setYTitle(kHostileName);
  chart_->setOtherTitle(kHostileName);
  chart_->setXAxis(CurvePlot::XAxis::kOther);
  const auto alongOther = [](const std::vector<double>& values) {
    return Series::along(*seriesWith(values), *seriesWith({0, 1, 2}));
  };
  chart_->setCurves(
      {{kHostileName, 0, alongOther({1, 2, 3})}, {"[x], y=z", 9, alongOther({3, 1})}});
  chart_->setSecond("lr", kHostileName, {{kHostileName, 0, alongOther({4, 5})}});
  const QString tex = written();
  for (const char* before : {"title={", "xlabel={", "ylabel={", "\\addlegendentry{"})
    QVERIFY2(tex.contains(before + kEscapedName + '}'), before);
  QVERIFY(tex.contains("ylabel={" + kEscapedName + " (dotted)}"));
  QVERIFY(tex.contains("\\addlegendentry{[x], y=z}"));
  QCOMPARE(tex.count(kEscapedName), 5);
}

// What the checks of this file are worth.
void TestTexPictures::theFaultsOfAFileAreFound() {
  QCOMPARE(printedByTex(kEscapedName), kHostileName);
  for (const char* raw : {"a_b", "50%", "a & b", "{c}", "#1", "~x", "x^2", "\\d"})
    QVERIFY2(!printedByTex(raw), raw);
  QVERIFY(faultsOfTexSyntax("% a comment\n\\begin{axis}[title={\\{}]\n\\end{axis}\n").isEmpty());
  for (const char* wrong : {"\\begin{axis}", "\\end{axis}", "{", "}", "\\begin{a}\\end{b}", "a_b"})
    QVERIFY2(!faultsOfTexSyntax(wrong).isEmpty(), wrong);
  const auto plots = texPlots("\\addplot[a, forget plot] table {\n1 2\n3 nan\n} -- cycle;\n");
  QCOMPARE(plots.size(), 1);
  QVERIFY(plots[0].isPart());
  QCOMPARE(plots[0].points[0], QPointF(1, 2));
  QVERIFY(std::isnan(plots[0].points[1].y()));
  QCOMPARE(missingFrom(plots[0], {{1, 2}, {1, 2.1}}, 1), 1);
}

void TestTexPictures::aSmoothedCurveHasItsRawOneUnderIt() {
  const auto series = seriesWith({1, 5, 2, 8}, 0.5);
  chart_->setCurves({{"run a", 8, series}});  // dashed, with markers
  const QString tex = written();
  QCOMPARE(pointsWith(tex, ", opacity="), QVector<QPointF>({{0, 1}, {1, 5}, {2, 2}, {3, 8}}));
  const auto line = pointsWith(tex, "legend image post style={mark=o");
  QCOMPARE(line.size(), 4);
  for (int i = 0; i < 4; ++i)
    QVERIFY(isSameNumber(line[i].y(), series->smoothed()[std::size_t(i)]));
  QVERIFY(tex.indexOf(", opacity=") < tex.indexOf(", dashed, mark=none"));
  QVERIFY(!pointsWith(tex, ", mark=o, mark options={solid, fill=white}, only marks").isEmpty());
}

void TestTexPictures::aBandIsAnAreaForEachStretch() {
  CurvePlot::Curve curve{"2 seeds", 0, seriesWith({2, 3, kGap, 4, 5})};
  curve.low = seriesWith({1, 2, kGap, 3, 4});
  curve.high = seriesWith({3, 4, kGap, 5, 6});
  chart_->setCurves({curve});
  const QString tex = written();
  QVector<QVector<QPointF>> areas;
  for (const TexPlot& plot : texPlots(tex))
    if (plot.options.contains("fill opacity")) areas << plot.points;
  QCOMPARE(areas.size(), 2);
  QCOMPARE(areas[0], QVector<QPointF>({{0, 3}, {1, 4}, {1, 2}, {0, 1}}));
  QCOMPARE(areas[1], QVector<QPointF>({{3, 5}, {4, 6}, {4, 4}, {3, 3}}));
  QCOMPARE(tex.count("} -- cycle;"), 2);
}

void TestTexPictures::whatIsNotFiniteIsMarked() {
  chart_->setCurves({{"run a", 0, seriesWith({1, kGap, 3, INFINITY, 5, 6})}});
  const QString tex = written();
  QVERIFY(tex.contains("unbounded coords=jump"));
  const auto marks = pointsWith(tex, "mark=triangle");
  QCOMPARE(marks.size(), 2);
  QCOMPARE(QPointF(marks[0].x(), marks[1].x()), QPointF(1, 3));
  QVERIFY(marks[0].y() > chart_->yRange().lower && marks[0].y() < 1);
  QCOMPARE(pointsWith(tex, "mark size=1.2pt"), QVector<QPointF>({{0, 1}, {2, 3}}));
}

void TestTexPictures::aRunThatBrokeIsInTheLegend() {
  CurvePlot::Curve broke{kHostileName, 1, seriesWith({})};
  broke.brokeAt = 7;
  chart_->setCurves({{"run a", 0, seriesWith({1, 2, 3})}, broke});
  const QString tex = written();
  QCOMPARE(tex.count("\\addlegendimage{"), 1);
  QVERIFY(tex.contains("{" + kEscapedName + " broke at step 7 before its first point};"));
  QVERIFY(tex.contains("\\node[anchor=south east"));  // right of the middle: the text ends there
  // Nothing but such a run.
  chart_->setCurves({broke});
  QCOMPARE(pointsWith(written(), "mark=triangle").value(0).x(), 7.0);
}

void TestTexPictures::whatFallsIsNotJoined() {
  const auto along = Series::along(*seriesWith({9, 8, 7}), *seriesWith({0.5, 0.3, 0.4}));
  chart_->setOtherTitle("train/nll");
  chart_->setXAxis(CurvePlot::XAxis::kOther);
  chart_->setCurves({{"run a", 0, along}});
  const auto plots = texPlots(written());
  QCOMPARE(plots.size(), 1);
  QVERIFY(plots[0].options.contains("only marks"));
  QCOMPARE(plots[0].points, QVector<QPointF>({{0.3, 8}, {0.4, 7}, {0.5, 9}}));
}

// TeX stops at a length of more than 5.7 metres.
void TestTexPictures::farPointsAreCutOff() {
  std::vector<double> values(300, 1.0);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += 0.001 * double(i % 7);
  values[150] = 1e9;
  values[151] = -1e9;
  CurvePlot::Curve curve{"run a", 0, seriesWith(values)};
  curve.low = seriesWith(std::vector<double>(300, 0.9));
  values[150] = 1e300;
  curve.high = seriesWith(values);
  chart_->setCurves({curve});
  chart_->setWithoutOutliers(true);
  const QString tex = written();
  const QCPRange y = chart_->yRange();
  QVERIFY(y.size() < 10);
  for (const TexPlot& plot : texPlots(tex)) {
    for (const QPointF& point : plot.points)
      QVERIFY(std::isnan(point.y()) || std::abs(point.y() - y.center()) < 11 * y.size());
  }
  // The neighbours of what is shown are far away.
  chart_->setCurves({{"run a", 0, seriesWith({1, 2, 3})}});
  chart_->setXRange(0.999, 1.001);
  const auto points = pointsWith(written(), "mark=none");
  QCOMPARE(points.size(), 3);
  QVERIFY(points[0].x() > 0.97 && points[2].x() < 1.03);
  QCOMPARE(points[1], QPointF(1, 2));
}

void TestTexPictures::linesAreCutWhereTheyLeave() {
  const PlotFrame frame{{0, 1}, {0, 1}};
  const auto text = [](const QVector<PlotPoint>& points) {
    QStringList parts;
    for (const PlotPoint& point : points)
      parts << QStringLiteral("%1 %2").arg(point.x).arg(point.y);
    return parts.join(", ");
  };
  QCOMPARE(text(nearLine({{0, 0}, {1, 1}}, frame)), QString("0 0, 1 1"));
  // Up and out at 11, and in again.
  QCOMPARE(text(nearLine({{0, 1}, {0, 21}, {1, 1}}, frame)),
           QString("0 1, 0 11, 0 nan, 0.5 11, 1 1"));
  // Through the plot from outside to outside, and past its corner.
  QCOMPARE(text(nearLine({{-30, 0.5}, {31, 0.5}}, frame)), QString("-10 0.5, 11 0.5"));
  QVERIFY(nearLine({{-30, 0}, {0, -40}}, frame).isEmpty());
  QCOMPARE(text(nearLine({{0, 0}, {0, kGap}, {1, 1}}, frame)), QString("0 0, 0 nan, 1 1"));
  QCOMPARE(text(nearArea({{0, 0}, {1, 0}, {1, 22}, {0, 22}}, frame)),
           QString("0 0, 1 0, 1 11, 0 11"));
  QCOMPARE(text(nearPoints({{0, 0}, {0, 12}, {1, kGap}}, frame)), QString("0 0"));
  // Ten decades below 1 to 10, and what has no logarithm.
  const PlotFrame decades{{1, 10}, {1, 10}, true, true};
  QCOMPARE(text(nearPoints({{1, 1e-9}, {1, 1e-11}, {1, 0}}, decades)), QString("1 1e-09"));
}

void TestTexPictures::timesAreLabelledAsInThePicture() {
  chart_->setCurves({{"run a", 0, seriesWith({1, 2, 3, 4})}});
  QVERIFY(!written().contains("xtick"));
  chart_->setXAxis(CurvePlot::XAxis::kRelativeTime);
  const QString since = written();
  QCOMPARE(pointsWith(since, "mark=none").last(), QPointF(180, 4));
  const QStringList ticks = texArguments(since, "xtick={").value(0).split(',');
  const QStringList labels = texArguments(since, "xticklabels={").value(0).split(',');
  QCOMPARE(ticks.size(), labels.size());
  QVERIFY(ticks.size() > 1);
  for (qsizetype i = 0; i < ticks.size(); ++i) {
    const QStringList time = labels[i].mid(1).chopped(1).split(':');
    QCOMPARE(time.size(), 3);
    QCOMPARE(3600 * time[0].toInt() + 60 * time[1].toInt() + time[2].toInt(), ticks[i].toInt());
  }
  chart_->setXAxis(CurvePlot::XAxis::kWallTime);
  const QString clock = written();
  QVERIFY(clock.contains("% x: seconds after 20"));
  const auto points = pointsWith(clock, "mark=none");
  QCOMPARE(points.size(), 4);
  QCOMPARE(points[3].x() - points[0].x(), 180.0);  // not a digit is lost
  QVERIFY(points[0].x() >= 0 && points[0].x() < 10);
  QVERIFY(texArguments(clock, "xticklabels={").value(0).contains("\\\\"));  // date over time
}

void TestTexPictures::logarithmicAxesStayLogarithmic() {
  chart_->setCurves({{"run a", 0, seriesWith({5, 10, 0, 1000, -3, 1e5})}});
  chart_->setLogarithmicX(true);
  chart_->setLogarithmicY(true);
  const QString tex = written();
  QVERIFY(tex.contains("xmode=log") && tex.contains("ymode=log"));
  const auto points = pointsWith(tex, "mark=none");
  QCOMPARE(points.mid(points.size() - 3), QVector<QPointF>({{1, 10}, {3, 1000}, {5, 1e5}}));
}

void TestTexPictures::theRightAxisHasItsOwnPoints() {
  chart_->setCurves({{"run a", 0, seriesWith({1, 2, 3})}});
  chart_->setSecond("lr", "learning rate", {{"run a", 0, seriesWith({0.1, kGap, 0.3}, 0.5)}});
  const QString tex = written();
  QCOMPARE(tex.count("\\addlegendentry"), 1);
  const QString right = tex.mid(tex.lastIndexOf("\\begin{axis}"));
  QVERIFY(right.contains("axis y line*=right") && right.contains("dotted"));
  QCOMPARE(pointsWith(right, ", opacity="), QVector<QPointF>({{0, 0.1}, {2, 0.3}}));
  QVERIFY(tex.contains("legend style={at={(0.5,-0.2)}, anchor=north"));  // below both axes
}

void TestTexPictures::aHiddenChartIsWrittenAsItWouldBeShown() {
  chart_->setCurves({{"run a", 0, seriesWith({100, 200, 300})}});
  const QString hidden = written();
  QVERIFY(hidden.contains("\n0 100\n1 200\n2 300\n"));
  QVERIFY(hidden.contains("ymin=90, ymax=310"));
  // Of another size, in another theme and next to others it is the same.
  applyTheme(ThemeChoice::kDark);
  chart_->resize(200, 160);
  chart_->show();
  QTRY_VERIFY(chart_->isUpToDate());
  QCOMPARE(written(), hidden);
  QVERIFY(theme().dark);
  applyTheme(ThemeChoice::kLight);
}

void TestTexPictures::theDialogOffersItForTheRateOnly() {
  QAction demo;
  LaunchPanel panel(&demo);
  auto* rate = panel.findChild<CurvePlot*>("launchRate");
  rate->setCurves({{"learning rate", 0, seriesWith({0, 1e-4, 2e-4})}});
  QTabWidget* tabs = nullptr;
  for (QWidget* parent = rate; parent != nullptr && tabs == nullptr;
       parent = parent->parentWidget())
    tabs = qobject_cast<QTabWidget*>(parent);
  QVERIFY(tabs != nullptr);
  int offered = 0;
  for (int tab = 0; tab < tabs->count(); ++tab) {
    tabs->setCurrentIndex(tab);
    panel.findChild<QAction*>("launchExport")->trigger();
    auto* dialog = panel.findChild<QFileDialog*>();
    QVERIFY(dialog != nullptr);
    const bool offers = dialog->nameFilters().join(' ').contains("(*.tex)");
    QCOMPARE(offers, tabs->currentWidget() == rate);
    offered += offers;
    delete dialog;
  }
  QCOMPARE(offered, 1);
  const QStringList faults = faultsOfTex(*rate, folder_.path());
  QVERIFY2(faults.isEmpty(), qPrintable(faults.join('\n')));
}

STRATA_TEST(TestTexPictures)
#include "test_tex_pictures.moc"
