// An update that is not finite changes nothing on a GPU either, where the host learns of it only
// when it next reads from there.
#include <QtTest>

#include "device/device_fixture.h"
#include "models/catalogue.h"
#include "models/presets.h"
#include "tests/program.h"
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
  void theNormIsFiniteIfAllGradientsAre();
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

// The norm alone says whether every gradient is finite, and nobody waits for it: whichever
// parameter has one that is not, and however large those are that are.
void TestRefusedUpdates::theNormIsFiniteIfAllGradientsAre() {
  registerModels();
  const Json config = resolveConfig(
      {.preset = "mlrf/both-fnn-sa4", .overrides = {"model.embed_dim=32", "model.ffn_dim=32"}},
      builtInSources());
  const ExperimentSpec spec = parseExperiment(config);
  const auto model =
      createModel(modelConfig(spec.model, kVocabulary, kVocabulary), {.device = countingDevice()});
  Optimizer optimizer(model->parameterBuffer(), spec.training.phases.front().optimizer);
  optimizer.gradients().complete();
  Tensor(optimizer.gradients().values()).fill_(0.5);
  for (const float value :
       {std::numeric_limits<float>::infinity(), std::nanf(""), std::numeric_limits<float>::max()}) {
    std::vector<Tensor> norms;
    takeDeviceTraffic();
    for (const Tensor& part : optimizer.gradients().parts()) {
      Tensor last = part.flatten()[-1];
      last.fill_(value);
      norms.push_back(optimizer.gradientNorm().total);
      last.fill_(0.5);
    }
    QCOMPARE(takeDeviceTraffic().text(), std::string("none"));
    QVERIFY(norms.size() > 50);
    const Tensor finite = torch::isfinite(torch::stack(norms));
    QVERIFY(std::isfinite(value) ? finite.all().item<bool>() : !finite.any().item<bool>());
  }
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestRefusedUpdates)
#include "test_refused_updates.moc"
