#include <QDir>
#include <QImage>
#include <QProcess>
#include <QtTest>

#include "tests/program.h"
#include "tests/ui/cut_texts.h"
#include "tests/ui/trained_window.h"
#include "ui/style/theme.h"
#include "ui/window/stage.h"

using namespace strata;
using namespace strata::ui;

// The window with what the real program has trained and measured, on screens of other sizes and
// densities, in both themes.
class TestSizesAndRunner : public QObject, private TrainedWindow {
  Q_OBJECT
 private slots:
  void initTestCase();
  void everyPanelIsWholeOnALargeScreen_data();
  void everyPanelIsWholeOnALargeScreen();
  void picturesHaveTheSizeOfTheScreen_data();
  void picturesHaveTheSizeOfTheScreen();
};

void TestSizesAndRunner::initTestCase() {
  open({families()[0], families()[1]});
}

void TestSizesAndRunner::everyPanelIsWholeOnALargeScreen_data() {
  QTest::addColumn<ThemeChoice>("theme");
  QTest::newRow("light") << ThemeChoice::kLight;
  QTest::newRow("dark") << ThemeChoice::kDark;
}

void TestSizesAndRunner::everyPanelIsWholeOnALargeScreen() {
  QFETCH(ThemeChoice, theme);
  const QSize size(1920, 1080);
  applyTheme(theme);
  window_->resize(size);
  for (Panel* panel : window_->panels()->all()) {
    raise(panel->name());
    QVERIFY2(panel->isVisible(), qPrintable(panel->name()));
    QTRY_VERIFY_WITH_TIMEOUT(panel->isUpToDate(), kPatience);
    QTest::qWait(50);
    QCOMPARE(window_->size(), size);
    const QRect place(panel->mapTo(window_.get(), QPoint()), panel->size());
    QVERIFY2(window_->rect().contains(place), qPrintable(panel->name()));
    const QStringList cut = cutTexts(window_.get());
    QVERIFY2(cut.isEmpty(), qPrintable(panel->name() + '\n' + cut.join('\n')));
  }
}

void TestSizesAndRunner::picturesHaveTheSizeOfTheScreen_data() {
  QTest::addColumn<QString>("theme");
  QTest::addColumn<QSize>("size");
  QTest::addColumn<int>("scale");
  for (const char* theme : {"light", "dark"}) {
    QTest::addRow("1920x1080, %s", theme) << QString(theme) << QSize(1920, 1080) << 1;
    QTest::addRow("200 %%, %s", theme) << QString(theme) << QSize(1280, 800) << 2;
  }
}

void TestSizesAndRunner::picturesHaveTheSizeOfTheScreen() {
  QFETCH(QString, theme);
  QFETCH(QSize, size);
  QFETCH(int, scale);
  const QString to = path(QString("%1-%2").arg(theme).arg(scale));
  QProcess program;
  auto variables = QProcessEnvironment::systemEnvironment();
  variables.insert("QT_SCALE_FACTOR", QString::number(scale));
  program.setProcessEnvironment(variables);
  program.start(QFileInfo(runner_).dir().filePath("strata"),
                {"--workspace", folder_.path(), "--theme", theme, "--screenshot", to, "--size",
                 QString("%1x%2").arg(size.width()).arg(size.height())});
  QVERIFY(program.waitForFinished(kPatience));
  QVERIFY2(program.exitCode() == 0, program.readAllStandardError());
  QCOMPARE(QImage(to + "/window.png").size(), size * scale);
  const QSize around(290, 140);  // menu, bars, rail and tabs
  const auto& panels = window_->panels()->all();
  QCOMPARE(QDir(to).entryList({"[0-9]*.png"}).size(), panels.size());
  for (const Panel* panel : panels) {
    const QStringList files = QDir(to).entryList({"*[0-9]-" + panel->name() + ".png"});
    QCOMPARE(files.size(), 1);
    const QImage picture(to + '/' + files[0]);
    const QSize least = (size - around) * scale;
    QVERIFY2(
        picture.width() >= least.width() && picture.height() >= least.height(),
        qPrintable(QString("%1: %2x%3").arg(files[0]).arg(picture.width()).arg(picture.height())));
    QVERIFY2(picture.width() % scale == 0 && picture.height() % scale == 0, qPrintable(files[0]));
    QVERIFY((picture.pixelColor(2, picture.height() - 2).lightnessF() < 0.5) == (theme == "dark"));
  }
}

STRATA_TEST(TestSizesAndRunner)
#include "test_sizes_and_runner.moc"
