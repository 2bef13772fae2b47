#include <QAction>
#include <QComboBox>
#include <QListWidget>
#include <QProcess>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTreeView>
#include <QtTest>

#include "core/store/looks.h"
#include "tests/program.h"
#include "tests/ui/patience.h"
#include "ui/data/job_list.h"
#include "ui/panels/compare_panel.h"
#include "ui/widgets/messages.h"
#include "ui/widgets/system_list.h"
#include "ui/widgets/translate_set_dialog.h"
#include "ui/window/main_window.h"

using namespace strata;
using namespace strata::ui;

// With the real programs: runs translate a set of their dataset from the Compare panel.
class TestSetTranslations : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase();
  void runsTranslateOneAfterTheOther();
  void translationsAreJobsThatCanBeCancelled();
  void aFailureIsToldWithItsReason();

 private:
  int strata(const QStringList& arguments);
  void translate(const QString& set);

  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
};

int TestSetTranslations::strata(const QStringList& arguments) {
  QProcess process;
  process.start(qEnvironmentVariable("STRATA_RUN"),
                QStringList{"--workspace", folder_.path()} + arguments);
  return process.waitForFinished(kPatience) ? process.exitCode() : -1;
}

void TestSetTranslations::initTestCase() {
  if (!qEnvironmentVariableIsSet("STRATA_RUN")) {
    const QFileInfo runner(QStringLiteral(STRATA_BIN_DIR "/strata-run"));
    qputenv("STRATA_RUN", runner.absoluteFilePath().toUtf8());
  }
  QVERIFY2(strata({"train", "--help"}) == 0, "bin/strata-run is not built");
  QCOMPARE(strata({"data", "generate", "--name", "tiny", "--size", "300"}), 0);
  for (const char* name : {"first", "second"}) {
    QCOMPARE(
        strata({"train", "--preset", "demo/mlrf", "--data", "tiny", "--name", name, "--threads",
                "1", "--set", "training.max_updates=4", "--set", "model.embed_dim=32", "--set",
                "model.ffn_dim=32", "--set", "validation.every_epochs=0"}),
        0);
  }
  MainWindow::Options options;
  options.workspace = folder_.path();
  window_ = std::make_unique<MainWindow>(options);
  window_->show();
  QTRY_VERIFY(window_->isOpened());
  window_->showPerspective(QStringLiteral("compare"));
  QTRY_VERIFY(window_->panel<ComparePanel>()->isUpToDate());
}

// Through the dialog, with every run.
void TestSetTranslations::translate(const QString& set) {
  auto* action = window_->panel<ComparePanel>()->findChild<QAction*>("translateSet");
  QTRY_VERIFY(action->isEnabled());
  action->trigger();
  auto* dialog = window_->panel<ComparePanel>()->findChild<TranslateSetDialog*>();
  QVERIFY(dialog);
  auto* sets = dialog->findChild<QComboBox*>("translateSet");
  sets->setCurrentIndex(sets->findText(set));
  auto* runs = dialog->findChild<QListWidget*>("translateRuns");
  auto* go = dialog->findChild<QPushButton*>("translateButton");
  QCOMPARE(runs->count(), 2);
  QVERIFY(!go->isEnabled());
  for (int row = 0; row < runs->count(); ++row) runs->item(row)->setCheckState(Qt::Checked);
  QTest::mouseClick(go, Qt::LeftButton);
}

void TestSetTranslations::runsTranslateOneAfterTheOther() {
  QVERIFY(window_->panel<ComparePanel>()->isEmpty());
  translate("tiny/test");
  const auto* panel = window_->panel<ComparePanel>();
  QTRY_VERIFY_WITH_TIMEOUT(panel->comparison(), kPatience);  // a lone system is scored, too
  QTRY_VERIFY_WITH_TIMEOUT(panel->comparison()->systems.size() == 2, kPatience);
  const Comparison& compared = *panel->comparison();
  QCOMPARE(compared.testSet, std::string("tiny/test"));
  Workspace workspace(folder_.path().toStdString());
  QCOMPARE(listTestLooks(workspace).size(), std::size_t(2));
}

void TestSetTranslations::translationsAreJobsThatCanBeCancelled() {
  JobList* jobs = window_->jobs();
  QTRY_VERIFY_WITH_TIMEOUT(jobs->rows().isEmpty(), kPatience);  // those before have ended
  translate("tiny/valid");
  QCOMPARE(jobs->rows().size(), 2);
  QVERIFY(jobs->rows()[0].kind == JobKind::kTranslation);
  QVERIFY(jobs->rows()[0].state == JobProgress::kRunning);
  QVERIFY(jobs->rows()[1].state == JobProgress::kQueued);
  jobs->cancel(jobs->rows()[1].id);
  QCOMPARE(jobs->rows().size(), 1);
  jobs->cancel(jobs->rows()[0].id);
  QVERIFY(jobs->rows()[0].state == JobProgress::kCancelling);
  QTRY_VERIFY_WITH_TIMEOUT(jobs->rows().isEmpty(), kPatience);
  QCOMPARE(window_->messages()->text(), QString("It was cancelled."));
}

void TestSetTranslations::aFailureIsToldWithItsReason() {
  // A text of the dataset was deleted, which the panel does not know yet.
  const auto sets = std::filesystem::path(folder_.path().toStdString()) / "datasets" / "tiny";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(sets)) {
    if (entry.path().filename() == "raw.source" &&
        entry.path().string().find("valid") != std::string::npos) {
      std::filesystem::remove(entry.path());
      break;
    }
  }
  translate("tiny/valid");
  QTRY_VERIFY_WITH_TIMEOUT(window_->messages()->text().contains("did not translate valid"),
                           kPatience);
  QVERIFY2(window_->messages()->text().contains("Dataset 'tiny'"),
           qPrintable(window_->messages()->text()));
}

STRATA_TEST(TestSetTranslations)
#include "test_set_translations.moc"
