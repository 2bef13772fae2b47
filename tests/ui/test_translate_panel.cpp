#include <QAction>
#include <QSignalSpy>
#include <QtTest>

#include "ui/panels/translate_panel.h"

using namespace strata::ui;

class TestTranslatePanel : public QObject {
  Q_OBJECT
 private slots:
  void aRunWithoutExamplesIsAskedOnce();
};

// A run that stopped before its first validation has no sentence to try.
void TestTranslatePanel::aRunWithoutExamplesIsAskedOnce() {
  QAction demo;
  TranslatePanel panel(&demo);
  RunRow run;
  run.id = 7;
  run.name = "stopped early";
  panel.setRuns({run});
  QSignalSpy asked(&panel, &TranslatePanel::examplesRequested);
  panel.showExample();
  QCOMPARE(asked.size(), 1);
  QVERIFY(!panel.isUpToDate());
  panel.setExamples(7, {});
  QCOMPARE(asked.size(), 1);
  QVERIFY(panel.isUpToDate());
}

QTEST_MAIN(TestTranslatePanel)
#include "test_translate_panel.moc"
