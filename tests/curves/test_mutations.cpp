#include <QTest>
#include <cmath>
#include <random>

#include "core/base/printable.h"
#include "core/curves/curve_set.h"
#include "core/curves/tf_events.h"
#include "curves/curve_fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

// Changes, removes, repeats or inserts bytes at a few random places.
std::string mutated(std::string bytes, std::mt19937& random) {
  const auto below = [&](std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound)(random);
  };
  for (std::size_t change = below(4) + 1; change > 0; --change) {
    const std::size_t at = below(bytes.size());
    const std::size_t length = std::min(bytes.size() - at, below(12));
    switch (below(4)) {
      case 0:
        if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(7)));
        break;
      case 1:
        if (at < bytes.size()) bytes[at] = static_cast<char>(below(255));
        break;
      case 2:
        bytes.erase(at, length);
        break;
      case 3:
        bytes.insert(at, bytes.substr(at, length));
        break;
      default:
        bytes.insert(at, length, static_cast<char>(below(1) * 255));
    }
  }
  return bytes;
}

// Reading throws nothing but Errors, and its result keeps what callers rely on.
void readAnything(const fs::path& file, const std::string& tool) {
  std::vector<ToolRun> runs;
  try {
    ReadOptions options;
    options.limits.recordBytes = 1u << 20;
    runs = readToolRuns(file, tool, options);
  } catch (const Error&) {
    return;
  }
  for (const ToolRun& run : runs) {
    QVERIFY(!run.curves.empty() && !run.metric().empty());
    for (const Curve& curve : run.curves) {
      QVERIFY(!curve.points.empty() && !curve.name.empty());
      QCOMPARE(printable(curve.name), curve.name);
      std::int64_t last = -1;
      for (const ScalarPoint& point : curve.points) {
        QVERIFY(point.step > last && point.wallTime >= 0 && std::isfinite(point.wallTime));
        last = point.step;
      }
    }
  }
}

}  // namespace

// Damaged files, made from good ones by chance with a fixed seed. STRATA_MUTATIONS: how many of
// each kind, for a longer search under sanitizers.
class TestMutations : public QObject {
  Q_OBJECT

 private slots:
  void noInputBreaksTheReaders() {
    const int count = qEnvironmentVariableIntValue("STRATA_MUTATIONS");
    const int wanted = count > 0 ? count : 1000;
    TemporaryFolder folder;
    const std::vector<Curve> curves{{"loss", {{1, 2.5, 0.5}, {2, 3.5, 0.25}}},
                                    {"valid/bleu", {{2, 3.5, 12}}}};
    writeEventFile(folder / "seed.tfevents", curves, 1);
    const std::string events = readFile(folder / "seed.tfevents");
    const fs::path logs = referenceFolders("curves").front();
    const std::string json = readFile(logs / "fairseq-0.10.2-json.log");
    const std::string simple = readFile(logs / "fairseq-0.12.2-simple.log");
    const std::string joey = readFile(logs / "joeynmt-2.3.0/train.log");
    const std::string validations = readFile(logs / "joeynmt-2.3.0/validations.txt");
    std::mt19937 random(7);
    const auto read = [&](const char* name, const std::string& bytes, const std::string& tool) {
      put(folder / name, bytes);
      readAnything(folder / name, tool);
    };
    for (int i = 0; i < wanted; ++i) {
      read("a.tfevents", mutated(events, random), kTensorBoard);
      // With good sums, so that damage reaches the reader of protocol buffers.
      read("b.tfevents", tfRecord(mutated(kLossEvent, random)) + kLossRecord, kTensorBoard);
      read("a.log", mutated(json, random), i % 2 == 0 ? kFairseq : "");
      read("b.log", mutated(simple, random), kFairseq);
      read("train.log", mutated(joey, random), kJoeyNmt);
      read("validations.txt", mutated(validations, random), kJoeyNmt);
    }
  }
};

STRATA_GUILESS_TEST(TestMutations)
#include "test_mutations.moc"
