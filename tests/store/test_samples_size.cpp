#include <QTemporaryDir>
#include <QTest>

#include "core/store/run_session.h"
#include "core/store/samples_size.h"
#include "store/store_fixture.h"
#include "tests/program.h"

using namespace strata;

// Whether a run has other samples than before.
class TestSamplesSize : public QObject {
  Q_OBJECT

 private slots:
  void itChangesWithTheSamplesOfThatRun() {
    const QTemporaryDir folder;
    Workspace workspace(folder.path().toStdString());
    const RunSummary run = createRun(workspace, {"one", smallConfig(), "mlrf/base"});
    const RunSummary other = createRun(workspace, {"other", smallConfig(), "mlrf/base"});
    RunStart start;
    start.device = "cpu";
    RunSession session(workspace, run.id, start);
    const auto size = [&] { return samplesSize(workspace, run.id); };
    QCOMPARE(size(), SamplesSize());
    const auto add = [&](std::int64_t step, const char* text) {
      session.sample({run.id, "valid", step, 0, "ein Haus", "a house", text});
      session.flush();
    };
    add(100, "a mouse");
    const SamplesSize one = size();
    QCOMPARE(one, (SamplesSize{1, 7}));
    session.scalars({{run.id, "train/nll", 150, 3.5, 1.7e9}});
    session.flush();
    QCOMPARE(size(), one);
    add(100, "a mouse");  // again, by a run that was resumed
    QCOMPARE(size(), one);
    add(200, "a house");
    QCOMPARE(size(), (SamplesSize{2, 14}));
    QCOMPARE(samplesSize(workspace, other.id), SamplesSize());
    session.end({.runId = run.id, .step = 200, .outcome = RunOutcome::kFinished, .message = ""});
  }
};

STRATA_APPLESS_TEST(TestSamplesSize)
#include "test_samples_size.moc"
