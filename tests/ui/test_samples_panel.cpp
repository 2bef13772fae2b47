#include <QCheckBox>
#include <QComboBox>
#include <QListWidget>
#include <QTextBrowser>
#include <QtTest>

#include "tests/program.h"
#include "tests/ui/window_fixture.h"
#include "ui/data/workspace_service.h"
#include "ui/panels/samples_panel.h"
#include "ui/style/theme.h"

using namespace strata;
using namespace strata::ui;

// Sample translations over training, in the real window.
class TestSamplesPanel : public QObject, private WindowOnWorkspace {
  Q_OBJECT
 private slots:
  void init() { makeWorkspace(); }
  void cleanup() { removeWorkspace(); }
  void theNewestTranslationComesFirst();
  void wordsThatTheReferenceLacksAreMarked();
  void newValidationsArrive();
  void theSentenceIsKept();
  void hostileTextIsText();
  void samplesAreReadForSomebodyWhoLooks();

 private:
  void sample(RunSession& session, std::int64_t step, std::int64_t sentence,
              const std::string& text) {
    session.sample({session.run(), "valid", step, sentence,
                    sentence == 0 ? "ein Haus am See" : "zwei Hunde",
                    sentence == 0 ? "a house by the lake" : "two dogs", text});
    session.flush();
  }
  void look() {
    open();
    window_->bringUp("samples");
  }
  QStringList lines() const {
    return window_->panel<SamplesPanel>()->text().split('\n', Qt::SkipEmptyParts);
  }
};

void TestSamplesPanel::theNewestTranslationComesFirst() {
  const RunSummary run = fixture::makeRun(*workspace_, "learns");
  RunSession session(*workspace_, run.id, fixture::start());
  fixture::train(session, 10, 300);
  sample(session, 100, 0, "the the");
  sample(session, 200, 0, "a mouse by the lake");
  sample(session, 300, 0, "a mouse by the lake");
  look();
  QTRY_VERIFY(window_->panel<SamplesPanel>()->isUpToDate());
  QTRY_COMPARE(lines(), (QStringList{"source", "ein Haus am See", "reference",
                                     "a house by the lake", "step 300", "a mouse by the lake",
                                     "step 200", "a mouse by the lake", "step 100", "the the"}));
  child<QCheckBox>("samplesChanges")->click();
  QCOMPARE(lines().filter("step"), (QStringList{"step 200", "step 100"}));
}

void TestSamplesPanel::wordsThatTheReferenceLacksAreMarked() {
  const RunSummary run = fixture::makeRun(*workspace_, "learns");
  RunSession session(*workspace_, run.id, fixture::start());
  fixture::train(session, 10, 100);
  sample(session, 100, 0, "a mouse by the big lake");
  look();
  QTRY_COMPARE(lines().size(), 6);
  const QTextDocument* document = child<QTextBrowser>("samplesHistory")->document();
  const auto isMarked = [&](const QString& word) {
    const QTextCursor found = document->find(word);
    return !found.isNull() && found.charFormat().fontUnderline();
  };
  QVERIFY(isMarked("mouse") && isMarked("big"));
  QVERIFY(!isMarked("house"));  // of the reference
  QVERIFY(!isMarked("lake"));
  child<QAction>("theme:dark")->trigger();
  const QTextCursor again = document->find("mouse");
  QCOMPARE(again.charFormat().foreground().color(), theme().bad);
}

void TestSamplesPanel::newValidationsArrive() {
  const RunSummary run = fixture::makeRun(*workspace_, "learns");
  RunSession session(*workspace_, run.id, fixture::start());
  fixture::train(session, 10, 100);
  look();
  QTRY_VERIFY(window_->panel<SamplesPanel>()->text().contains("no samples"));
  sample(session, 100, 0, "the");
  QTRY_COMPARE(lines().filter("step"), QStringList{"step 100"});
  sample(session, 200, 0, "a house");
  QTRY_COMPARE(lines().filter("step"), (QStringList{"step 200", "step 100"}));
}

void TestSamplesPanel::theSentenceIsKept() {
  for (const char* name : {"first", "second"}) {
    const RunSummary run = fixture::makeRun(*workspace_, name);
    RunSession session(*workspace_, run.id, fixture::start());
    fixture::train(session, 10, 100);
    sample(session, 100, 0, "a house");
    sample(session, 100, 1, std::string(name) + " dogs");
    session.end({run.id, 100, RunOutcome::kFinished, ""});
  }
  look();
  auto* sentences = child<QListWidget>("samplesSentences");
  QTRY_COMPARE(sentences->count(), 2);
  sentences->setCurrentRow(1);
  QCOMPARE(window_->panels()->selection().sentence, std::optional<QString>("zwei Hunde"));
  QVERIFY(window_->panel<SamplesPanel>()->text().contains("second dogs"));
  window_->panels()->select({.run = 1});  // the same sentence of another run
  QTRY_VERIFY(window_->panel<SamplesPanel>()->text().contains("first dogs"));
  reopen();
  window_->bringUp("samples");
  QTRY_VERIFY(window_->panel<SamplesPanel>()->text().contains("first dogs"));
  QCOMPARE(child<QComboBox>("samplesRun")->currentText(), QString("first"));
}

void TestSamplesPanel::hostileTextIsText() {
  const RunSummary run = fixture::makeRun(*workspace_, "learns");
  RunSession session(*workspace_, run.id, fixture::start());
  fixture::train(session, 10, 100);
  const std::string hostile = "<img src='file:///etc/passwd'> &amp; </table> \xf0\x9f\x90\x95";
  sample(session, 100, 0, hostile);
  look();
  QTRY_COMPARE(lines().size(), 6);
  QCOMPARE(lines().last(), QString::fromStdString(hostile));
}

void TestSamplesPanel::samplesAreReadForSomebodyWhoLooks() {
  const RunSummary run = fixture::makeRun(*workspace_, "learns");
  RunSession session(*workspace_, run.id, fixture::start());
  fixture::train(session, 10, 100);
  open();
  QSignalSpy runs(window_->findChild<WorkspaceService*>(), &WorkspaceService::runsChanged);
  window_->bringUp("curves");
  sample(session, 100, 0, "the");
  runs.clear();
  QTRY_VERIFY(runs.size() > 0);
  QTest::qWait(100);
  QCOMPARE(lines(), QStringList());
  window_->bringUp("samples");
  QTRY_COMPARE(lines().filter("step"), QStringList{"step 100"});
  window_->bringUp("curves");
  runs.clear();
  sample(session, 200, 0, "a house");
  QTRY_VERIFY(runs.size() > 0);
  QTest::qWait(100);
  QCOMPARE(lines().filter("step"), QStringList{"step 100"});
  window_->bringUp("samples");
  QTRY_COMPARE(lines().filter("step"), (QStringList{"step 200", "step 100"}));
}

STRATA_TEST(TestSamplesPanel)
#include "test_samples_panel.moc"
