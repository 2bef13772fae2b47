#include <QAction>
#include <QPushButton>
#include <QtTest>

#include "core/base/files.h"
#include "tests/program.h"
#include "tests/ui/window_fixture.h"
#include "ui/panels/runs_panel.h"
#include "ui/widgets/messages.h"

using namespace strata;
using namespace strata::ui;

// In the window, a run whose configuration was edited by hand does not go on without a word.
class TestEditedConfiguration : public QObject, private WindowOnWorkspace {
  Q_OBJECT
 private slots:
  void init() { makeWorkspace(); }
  void cleanup() { removeWorkspace(); }
  void aMessageShowsTheDifferenceAndAccepts();
};

void TestEditedConfiguration::aMessageShowsTheDifferenceAndAccepts() {
  const RunSummary run = fixture::makeRun(*workspace_, "first");
  {
    RunSession session(*workspace_, run.id, fixture::start());
    fixture::train(session, 10, 100);
    session.end({run.id, 100, RunOutcome::kStopped, ""});
  }
  const fs::path file = run.folder / "config.effective.yaml";
  std::string text = readFile(file);
  const auto seed = text.find("seed: 1");
  QVERIFY(seed != std::string::npos);
  writeFileAtomic(file, text.replace(seed, 7, "seed: 2"));
  open();
  window_->bringUp(QStringLiteral("runs"));
  window_->panel<RunsPanel>()->selectRun(run.id);
  auto* resume = child<QAction>("resumeRun");
  QTRY_VERIFY(resume->isEnabled());
  resume->trigger();
  const auto card = [&]() -> MessageCard* {
    for (MessageCard* each : window_->messages()->cards()) {
      if (each->message().text.contains(QLatin1String("seed: 1 -> 2"))) return each;
    }
    return nullptr;
  };
  QTRY_VERIFY(card() != nullptr);
  QVERIFY(card()->message().text.contains(QLatin1String("config.effective.yaml")));
  QCOMPARE(runById(*workspace_, run.id).status, RunStatus::kStopped);
  auto* button = card()->findChild<QPushButton*>("messageAction");
  QVERIFY(button != nullptr);
  QCOMPARE(button->text(), QStringLiteral("Resume it as edited"));
  button->click();
  QTRY_COMPARE(runById(*workspace_, run.id).status, RunStatus::kQueued);
}

STRATA_TEST(TestEditedConfiguration)
#include "test_edited_configuration.moc"
