#include <QDockWidget>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QListWidget>
#include <QTextBrowser>
#include <QTreeView>
#include <QtTest>

#include "tests/program.h"
#include "tests/ui/window_fixture.h"
#include "ui/panels/config_model.h"
#include "ui/panels/launch_panel.h"
#include "ui/widgets/command_palette.h"
#include "ui/window/help_dock.h"

using namespace strata;
using namespace strata::ui;

// Ctrl+K in the real window: with the keyboard only to a command, a run, a preset, a setting.
class TestCommandPalette : public QObject, private WindowOnWorkspace {
  Q_OBJECT
 private slots:
  void init() { makeWorkspace(); }
  void cleanup() { removeWorkspace(); }
  void runsAreChosen();
  void presetsAndSettingsOpenLaunch();
  void helpIsOpened();
  void aThousandRunsAreFoundAtOnce();

 private:
  void openPalette() {
    child<QAction>("openPalette")->trigger();
    QVERIFY(edit()->isVisible());
  }
  QLineEdit* edit() const { return child<QLineEdit>("commandPaletteEdit"); }
  QListWidget* list() const { return child<QListWidget>("commandPaletteList"); }
  QStringList headings() const {
    QStringList texts;
    for (int row = 0; row < list()->count(); ++row) {
      if (!(list()->item(row)->flags() & Qt::ItemIsEnabled)) texts << list()->item(row)->text();
    }
    return texts;
  }
};

void TestCommandPalette::runsAreChosen() {
  fixture::makeRun(*workspace_, "first-sa4");
  const qint64 wanted = fixture::makeRun(*workspace_, "second-avg").id;
  open();
  QTRY_COMPARE(window_->rows().size(), 2);
  openPalette();
  QVERIFY(headings().contains("Commands") && headings().contains("Runs"));
  QTest::keyClicks(edit(), "second");
  QCOMPARE(headings().first(), QString("Runs"));  // the best match comes first
  QVERIFY(list()->currentItem()->text().startsWith("second-avg"));
  QTest::keyClick(edit(), Qt::Key_Return);
  QVERIFY(!edit()->isVisible());
  QTRY_COMPARE(window_->panels()->selection().run.value_or(0), wanted);
}

// Headings are stepped over, in both directions.
void TestCommandPalette::presetsAndSettingsOpenLaunch() {
  open();
  auto* launch = window_->panel<LaunchPanel>();
  launch->setPresets({.papers = {{"mlrf", "MLRF"}},
                      .presets = {{.name = "mlrf/base", .paper = "mlrf", .description = "Base"},
                                  {.name = "mlrf/avg", .paper = "mlrf", .description = "Mean"}}});
  launch->setSchema({{"keys",
                      {{{"path", "training.clip_norm"}, {"type", "number"}, {"default", 0}},
                       {{"path", "training.dropout"}, {"type", "number"}, {"default", 0.1}}}},
                     {"config", Json::object()}});
  openPalette();
  QTest::keyClicks(edit(), "avg");
  QTest::keyClick(edit(), Qt::Key_Return);
  QTRY_COMPARE(window_->perspective(), QString("train"));
  QCOMPARE(launch->request().preset, QString("mlrf/avg"));
  openPalette();
  QTest::keyClicks(edit(), "train");
  QVERIFY(headings().contains("Settings") && headings().contains("Commands"));
  const int before = list()->currentRow();
  QTest::keyClick(edit(), Qt::Key_Up);  // around the end, over the first heading
  QCOMPARE(list()->currentRow(), list()->count() - 1);
  QTest::keyClick(edit(), Qt::Key_Down);
  QCOMPARE(list()->currentRow(), before);
  edit()->setText("dropout");
  QTest::keyClick(edit(), Qt::Key_Return);
  auto* tree = launch->findChild<QTreeView*>("configTree");
  QTRY_COMPARE(tree->currentIndex().data(ConfigModel::kPathRole).toString(),
               QString("training.dropout"));
}

void TestCommandPalette::helpIsOpened() {
  open();
  QVERIFY(!child<QDockWidget>("helpDock")->isVisible());
  for (const HelpPage& page : helpPages()) {
    openPalette();
    edit()->setText(page.title);
    QVERIFY2(list()->currentItem()->text().startsWith(page.title), qPrintable(page.title));
    QTest::keyClick(edit(), Qt::Key_Return);
    QTRY_COMPARE(child<QTextBrowser>("helpText")->source().fileName(), page.name + ".md");
    QVERIFY(child<QDockWidget>("helpDock")->isVisible());
  }
}

void TestCommandPalette::aThousandRunsAreFoundAtOnce() {
  QWidget window;
  window.resize(1280, 800);
  auto* palette = new CommandPalette(&window);
  window.show();
  QList<PaletteEntry> entries;
  int ran = -1;
  for (int run = 0; run < 1000; ++run)
    entries << PaletteEntry{
        .group = "Runs",
        .text = QString("mlrf-dec-sa4-zhen.dropout-%1.s%2").arg(run / 4).arg(run % 4),
        .run = [&ran, run] { ran = run; }};
  QElapsedTimer clock;
  clock.start();
  palette->open(entries);
  auto* edit = palette->findChild<QLineEdit*>("commandPaletteEdit");
  QTest::keyClicks(edit, "dropout-249.s3");
  const qint64 took = clock.elapsed();
  QVERIFY2(took < 1000, qPrintable(QString::number(took)));  // opening and fourteen keys
  QTest::keyClick(edit, Qt::Key_Return);
  QTRY_COMPARE(ran, 999);
}

STRATA_TEST(TestCommandPalette)
#include "test_command_palette.moc"
