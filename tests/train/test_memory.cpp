#include "train/training_fixture.h"

#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "core/train/device.h"
#include "core/train/estimate.h"
#include "core/train/memory.h"
#include "core/train/tensor_memory.h"
#include "models/catalogue.h"
#include "tests/program.h"

namespace strata {

using testing::Bench;
using testing::quietSpec;

namespace {

std::shared_ptr<TranslationModel> model(std::int64_t width) {
  auto made = createModel(testing::fusedTransformer(width));
  made->initialise("default", 1);
  return made;
}

// The result of `work` in a child process: the peak of this process would hide everything.
std::int64_t inAnotherProcess(const std::function<std::int64_t()>& work) {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  const pid_t child = fork();
  if (child == 0) {
    const std::int64_t value = work();
    _exit(write(ends[1], &value, sizeof(value)) == sizeof(value) ? 0 : 1);
  }
  ::close(ends[1]);
  std::int64_t value = -1;
  if (read(ends[0], &value, sizeof(value)) != sizeof(value)) value = -1;
  ::close(ends[0]);
  waitpid(child, nullptr, 0);
  return value;
}

// Counts events without storing them.
class CountingSink : public EventSink {
 public:
  void scalars(const std::vector<ScalarEvent>& events) override { all += std::ssize(events); }
  void sample(const SampleEvent&) override { ++samples; }
  void checkpoint(const CheckpointEvent&) override { ++checkpoints; }
  void recording(const RecordingEvent&) override { ++recordings; }
  void ended(const RunEndEvent&) override {}
  std::int64_t all = 0, samples = 0, checkpoints = 0, recordings = 0;
};

// Notes the physical memory after each step.
class Watcher : public TrainControl {
 public:
  Watcher() { residents.reserve(4096); }
  TrainCommand poll() override {
    residents.push_back(memoryUse().resident);
    return TrainCommand::kNone;
  }
  std::vector<std::int64_t> residents;
};

}  // namespace

class TestMemory : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    keepFreedMemory();
    setThreads(1);  // and no thread of libtorch is there to be lost by a fork
    registerModels();
  }
  // What runs in another process comes first: a child starts with this one's memory.
  void estimateIsTheRunsPeak_data();
  void estimateIsTheRunsPeak();
  void memoryStaysFrom200To2000Steps();
  void estimatesDoNotDependOnWhatWasBefore();
  void traceFollowsTensorsOfItsThread();
};

void TestMemory::estimateIsTheRunsPeak_data() {
  QTest::addColumn<int>("sentences");
  QTest::addColumn<int>("accumulate");
  QTest::newRow("small batches") << 50 << 1;
  QTest::newRow("large batches") << 500 << 1;
  QTest::newRow("accumulated batches") << 250 << 2;
}

void TestMemory::estimateIsTheRunsPeak() {
  QFETCH(int, sentences);
  QFETCH(int, accumulate);
  Bench bench;
  bench.train = testing::reversedCorpus(bench.folder / "large.corpus", 1000, 3);
  auto spec = quietSpec();
  spec.training.phases.front().batch.size = sentences;
  spec.training.accumulate = accumulate;
  spec.training.maxEpochs = 1;
  const std::int64_t estimated =
      inAnotherProcess([&] { return estimateTraining(spec, *model(256), *bench.train).bytes; });
  const std::int64_t measured = inAnotherProcess([&] {
    Trainer(spec, bench.parts(model(256), bench.folder / "run")).run();
    return memoryUse().peak;
  });
  const double ratio = static_cast<double>(estimated) / static_cast<double>(measured);
  const auto text = fmt::format("{} MiB estimated, {} measured", estimated >> 20, measured >> 20);
  qInfo("%s", text.c_str());
  QVERIFY2(ratio > 0.8 && ratio < 1.2, text.c_str());
}

void TestMemory::estimatesDoNotDependOnWhatWasBefore() {
#ifdef __SANITIZE_ADDRESS__
  return;  // the sanitizer keeps what is freed
#endif
  Bench bench;
  auto spec = quietSpec();
  const auto estimate = [&] {
    return static_cast<double>(estimateTraining(spec, *model(64), *bench.train).bytes);
  };
  const double first = estimate();
  {
    const auto large = torch::ones({64 << 20});  // 256 MiB, of which the heap keeps the pages
    const double beside = estimate();
    QVERIFY2(std::abs(beside - first) < 0.03 * first, qPrintable(QString::number(beside / first)));
  }
  const double after = estimate();
  QVERIFY2(std::abs(after - first) < 0.03 * first, qPrintable(QString::number(after / first)));
}

void TestMemory::traceFollowsTensorsOfItsThread() {
  const std::int64_t before = tensorBytes();
  const TensorTrace trace;
  const auto kept = torch::ones({1 << 20});  // 4 MiB
  QCOMPARE(reinterpret_cast<std::uintptr_t>(kept.data_ptr()) % 64, std::uintptr_t{0});
  torch::ones({1 << 20});
  QCOMPARE(trace.level(), 4 << 20);
  QCOMPARE(trace.peak(), 8 << 20);
  QCOMPARE(tensorBytes() - before, 4 << 20);
}

void TestMemory::memoryStaysFrom200To2000Steps() {
#ifdef __SANITIZE_ADDRESS__
  return;  // the sanitizer keeps what is freed
#endif
  Bench bench;
  auto spec = quietSpec();
  spec.training.maxUpdates = 2000;
  spec.validation.everyUpdates = 100;
  spec.validation.samples = 4;
  spec.validation.beam = 2;
  spec.checkpoint.everyUpdates = 100;
  spec.checkpoint.keepLast = 2;
  spec.recording.sentences = 2;
  // Growth of memory in millionths of that at step 200; -1 if the run did less than expected.
  const std::int64_t growth = inAnotherProcess([&]() -> std::int64_t {
    auto parts = bench.parts(model(16), bench.folder / "run");
    CountingSink sink;
    Watcher watcher;
    Trainer trainer(spec, TrainerParts{.model = parts.model,
                                       .train = parts.train,
                                       .sets = parts.sets,
                                       .text = parts.text,
                                       .runFolder = parts.runFolder,
                                       .device = torch::kCPU,
                                       .sink = sink,
                                       .control = watcher});
    trainer.run();
    const auto& residents = watcher.residents;
    if (residents.size() != 2000 || sink.samples != 20 * 4 || sink.recordings != 20 ||
        sink.checkpoints < 20 || sink.all < 2000 * 10) {
      return -1;
    }
    const std::int64_t most = *std::max_element(residents.begin() + 200, residents.end());
    return (most - residents[200]) * 1'000'000 / residents[200];
  });
  qInfo("%lld millionths", static_cast<long long>(growth));
  QVERIFY(growth >= 0);
  QVERIFY2(growth < 10'000, qPrintable(QString::number(growth)));
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestMemory)
#include "test_memory.moc"
