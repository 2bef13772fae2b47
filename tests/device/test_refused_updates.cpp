// An update that is not finite changes nothing on a GPU either, where the host learns of it only
// when it next reads from there.
#include <QtTest>

#include "device/device_fixture.h"
#include "train/training_fixture.h"

namespace strata {
namespace {

using namespace testing;
using torch::Tensor;

constexpr std::int64_t kPoisoned = 2, kUpdates = 4;  // the second of four

// The parameters before each update, on the host.
class Course : public TrainControl {
 public:
  explicit Course(const TranslationModel& model) : model_(model) {}
  TrainCommand poll() override {
    std::vector<Tensor>& now = parameters.emplace_back();
    for (const Tensor& parameter : model_.parameters())
      now.push_back(parameter.detach().to(torch::kCPU, torch::kFloat64, false, /*copy=*/true));
    return TrainCommand::kNone;
  }
  std::vector<std::vector<Tensor>> parameters;

 private:
  const TranslationModel& model_;
};

double difference(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, largestDifference(a[i], b[i]));
  return most;
}

}  // namespace

class TestRefusedUpdates : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aPoisonedUpdateChangesNothing_data();
  void aPoisonedUpdateChangesNothing();
};

void TestRefusedUpdates::aPoisonedUpdateChangesNothing_data() {
  QTest::addColumn<QString>("optimizer");
  QTest::addColumn<QString>("decay");
  QTest::addColumn<double>("clip");
  for (const char* optimizer : {"adam", "nag"}) {
    for (const char* decay : {"decoupled", "coupled"}) {
      for (const double clip : {0.0, 0.5})
        QTest::addRow("%s %s, clipped to %g", optimizer, decay, clip) << optimizer << decay << clip;
    }
  }
}

// On the device as on the CPU, where the host knows at once: neither parameters nor moments are
// changed by the update.
void TestRefusedUpdates::aPoisonedUpdateChangesNothing() {
  QFETCH(QString, optimizer);
  QFETCH(QString, decay);
  QFETCH(double, clip);
  Bench bench;
  ExperimentSpec spec = quietSpec();
  spec.training.dropout = 0;
  spec.training.logEvery = 100;
  spec.training.maxUpdates = kUpdates;
  spec.training.clipNorm = clip;
  spec.training.onNonfinite = TrainingSpec::Nonfinite::kSkip;
  OptimizerSpec& chosen = spec.training.phases.front().optimizer;
  chosen.kind = optimizer == "adam" ? OptimizerSpec::Kind::kAdam : OptimizerSpec::Kind::kNag;
  chosen.decay =
      decay == "coupled" ? OptimizerSpec::Decay::kCoupled : OptimizerSpec::Decay::kDecoupled;
  chosen.momentum = optimizer == "nag" ? 0.9 : 0;
  chosen.weightDecay = 0.1;
  const auto train = [&](const torch::Device& device) {
    const auto model = tinyModel(1, {.device = device});
    model->poisonAt = kPoisoned - 1;
    Course course(*model);
    const fs::path run = bench.folder / (device.is_cpu() ? "host" : "device");
    auto given = bench.parts(model, run);
    Trainer(spec, TrainerParts{.model = given.model,
                               .train = given.train,
                               .sets = {},
                               .text = given.text,
                               .runFolder = run,
                               .device = device,
                               .sink = bench.sink,
                               .control = course})
        .run();
    course.poll();  // after the last update
    return course.parameters;
  };
  const auto expected = train(torch::kCPU), got = train(countingDevice());
  QCOMPARE(std::ssize(got), kUpdates + 1);
  for (std::int64_t update = 1; update <= kUpdates; ++update) {
    const auto at = static_cast<std::size_t>(update);
    const double change = difference(got[at], got[at - 1]);
    QVERIFY2(update == kPoisoned ? change == 0 : change > 1e-6,
             qPrintable(QString("update %1: %2").arg(update).arg(change)));
    QVERIFY(difference(got[at], expected[at]) < 1e-6);
  }
}

}  // namespace strata

QTEST_GUILESS_MAIN(strata::TestRefusedUpdates)
#include "test_refused_updates.moc"
