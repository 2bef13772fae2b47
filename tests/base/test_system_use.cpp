#include <QTest>
#include <cmath>

#include "core/base/progress_line.h"
#include "core/base/system_use.h"
#include "tests/program.h"

using namespace strata;

// How busy the computer is, and how far a process is, from texts of other programs.
class TestSystemUse : public QObject {
  Q_OBJECT
 private slots:
  void readsProcessorTime() {
    const CpuTicks before = cpuTicksFrom("cpu  100 0 50 800 50 0 0 0 7 0\ncpu0 1 2 3 4\n");
    QCOMPARE(before.total, 1000);
    QCOMPARE(before.busy, 150);
    const CpuTicks now = cpuTicksFrom("cpu  160 0 65 820 55 0 0 0 9 0\n");
    QCOMPARE(busyShare(before, now), 0.75);
    QVERIFY(std::isnan(busyShare(now, now)));
    QCOMPARE(cpuTicksFrom("intr 5 6 7").total, 0);
    QCOMPARE(cpuTicksFrom("").total, 0);
  }

  void readsThisComputer() {
    SystemUseReader reader;
    const SystemUse first = reader.read(".");
    QVERIFY(std::isnan(first.cpuShare));  // nothing to compare with
    QVERIFY(first.cores >= 1);
    QVERIFY(first.memoryBytes > first.memoryUsedBytes && first.memoryUsedBytes > 0);
    QVERIFY(first.diskBytes > first.diskFreeBytes && first.diskFreeBytes > 0);
    QTest::qWait(50);
    const SystemUse second = reader.read("/nowhere/at/all");
    QVERIFY(second.cpuShare >= 0 && second.cpuShare <= 1);
    QCOMPARE(second.diskBytes, std::uintmax_t(0));
  }

  void readsGpus() {
    const auto gpus = gpuUseFrom(
        "NVIDIA H200, 37, 1520, 143771\n"
        "NVIDIA A100 MIG 1g.5gb, [N/A], 12, 4864\n"
        "Failed to initialize NVML: Driver/library version mismatch\n");
    QCOMPARE(gpus.size(), std::size_t(2));
    QCOMPARE(gpus[0], (GpuUse{"NVIDIA H200", 0.37, 1520, 143771}));
    QVERIFY(std::isnan(gpus[1].share));
    QCOMPARE(gpus[1].usedMib, 12.0);
    QVERIFY(gpuUseFrom("").empty());
  }

  void progressLinesComeBack() {
    const ProgressLine line{"Translating \"x\"\n", "sentences", 12, 1000};
    const std::string text = toText(line);
    QVERIFY(text.find('\n') == std::string::npos);
    QCOMPARE(progressLineFrom(text), std::optional(line));
    for (const char* other :
         {"", "step=3", "{\"progress\": 3, \"done\": 1, \"total\": 2, \"unit\": \"x\"}",
          "{\"progress\":\"x\",\"done\":1}", "{\"progress\":\"x\",\"done\":1.5,\"total\":2}",
          "{\"progress\":\"x\",\"done\":1,\"total\":2,\"unit\":\"y\"", "{\"progress\":[[[["}) {
      QVERIFY2(!progressLineFrom(other), other);
    }
  }
};

STRATA_GUILESS_TEST(TestSystemUse)
#include "test_system_use.moc"
