// Every model case of the references on the counting device: forward pass, losses, gradients, maps,
// beam search and step-by-step decoding, in libtorch's operators, which are a GPU's.
#include <QtTest>

#include "app/engine/verify_report.h"
#include "core/base/safetensors.h"
#include "core/data/batch.h"
#include "core/nn/cross_entropy.h"
#include "core/nn/fused.h"
#include "core/nn/upload.h"
#include "device/device_fixture.h"
#include "models/catalogue.h"
#include "tests/program.h"

namespace strata {
namespace {

using namespace testing;
using torch::Tensor;

constexpr const char* kFamilies[] = {"deepatt", "densenmt", "dhea", "mlrf", "transformer"};

// "dhea/gate-3-2" and its folder: of the checkout's references, and of the larger set next to the
// checkout where it is there.
std::map<std::string, fs::path> modelCases() {
  std::map<std::string, fs::path> cases;
  for (const fs::path& root : referenceFolders("models")) {
    for (const char* family : kFamilies) {
      if (!fs::is_directory(root / family)) continue;
      for (const auto& entry : fs::directory_iterator(root / family))
        cases.emplace(family + ("/" + entry.path().filename().string()), entry.path());
    }
  }
  return cases;
}

std::shared_ptr<TranslationModel> modelIn(const fs::path& folder, torch::ScalarType type) {
  return loadModel(folder, {.device = countingDevice(), .type = type});
}

// The loss of a case's batch with this many more columns of padding, then its gradients.
std::vector<Tensor> resultsOf(TranslationModel& model, const fs::path& folder,
                              std::int64_t columns) {
  const SafetensorsFile batch(folder / "batch.safetensors");
  const auto ids = [&](const char* name) {
    return torch::constant_pad_nd(expectedTensor(batch, name), {0, columns}, kPadId);
  };
  const auto source = makeSourceBatch(ids("src"), expectedTensor(batch, "src_lengths"));
  const auto memory = model.encode(uploaded(source, countingDevice()), nullptr);
  const Tensor features_BTD =
      model.decode(*memory, uploaded(ids("tgt_in"), countingDevice()), nullptr);
  const Tensor loss = crossEntropy(model, features_BTD, uploaded(ids("tgt_out"), countingDevice()),
                                   {.labelSmoothing = 0.1})
                          .loss;
  std::vector<Tensor> results = torch::autograd::grad({loss}, model.parameters(), {},
                                                      /*retain_graph=*/{}, /*create_graph=*/false,
                                                      /*allow_unused=*/true);
  results.insert(results.begin(), loss.detach());
  return results;
}

void addCases() {
  QTest::addColumn<QString>("folder");
  for (const auto& [name, folder] : modelCases())
    QTest::newRow(name.c_str()) << QString::fromStdString(folder.string());
}

}  // namespace

class TestModelsOnDevice : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { registerModels(); }
  void everyFamilyHasCases();
  void casesHoldInFloat64_data() { addCases(); }
  void casesHoldInFloat64();
  void casesHoldInFloat32_data() { addCases(); }
  void casesHoldInFloat32();
  void stepsEqualTeacherForcing_data() { addCases(); }
  void stepsEqualTeacherForcing();
  void morePaddingChangesNothing_data() { addCases(); }
  void morePaddingChangesNothing();

 private:
  void verify(torch::ScalarType type);
};

void TestModelsOnDevice::everyFamilyHasCases() {
  const auto cases = modelCases();
  for (const char* family : kFamilies) {
    const auto of = std::count_if(cases.begin(), cases.end(), [&](const auto& entry) {
      return entry.first.starts_with(std::string(family) + "/");
    });
    QVERIFY2(of >= 3, family);
  }
}

void TestModelsOnDevice::verify(torch::ScalarType type) {
  QFETCH(QString, folder);
  const fs::path path = folder.toStdString();
  const auto model = modelIn(path, type);
  QVERIFY(!usesKernels(model->parameters().front()));
  const VerifiedCase verified = verifyModelCase(path, *model);
  QVERIFY(verified.comparisons.size() > 20);
  for (const Comparison& c : verified.comparisons) {
    QVERIFY2(c.passed, fmt::format("{}: error {:.3g}, tolerance {:.3g} {}", c.name, c.error,
                                   c.tolerance, c.note)
                           .c_str());
  }
  for (const auto& parameter : model->parameters())
    QVERIFY(!parameter.grad().defined() || parameter.grad().device() == countingDevice());
}

void TestModelsOnDevice::casesHoldInFloat64() {
  verify(torch::kFloat64);
}

void TestModelsOnDevice::casesHoldInFloat32() {
  verify(torch::kFloat32);
}

// Word by word the log-probabilities are the expected ones of teacher forcing, also when rows have
// moved, repeated and gone.
void TestModelsOnDevice::stepsEqualTeacherForcing() {
  QFETCH(QString, folder);
  const fs::path path = folder.toStdString();
  const auto model = modelIn(path, torch::kFloat64);
  model->eval();
  const torch::NoGradGuard frozen;
  const SafetensorsFile batch(path / "batch.safetensors"), file(path / "expected.safetensors");
  const Tensor words = expectedTensor(batch, "tgt_in");
  const Tensor expected = torch::log_softmax(expectedTensor(file, "logits"), -1);
  const Tensor real = (expectedTensor(batch, "tgt_out") != 1).unsqueeze(2);
  const auto memory = model->encode(
      uploaded(makeSourceBatch(expectedTensor(batch, "src"), expectedTensor(batch, "src_lengths")),
               countingDevice()),
      nullptr);
  const auto state = model->begin(*memory);
  const std::int64_t sentences = words.size(0);
  Tensor rows = torch::arange(sentences);
  for (std::int64_t t = 0; t < words.size(1); ++t) {
    const Tensor fed = words.select(1, t).index_select(0, rows);
    const Tensor got = model->step(*state, uploaded(fed, countingDevice()), nullptr);
    const Tensor of = real.select(1, t).index_select(0, rows);
    QVERIFY(largestDifference(got.cpu() * of, expected.select(1, t).index_select(0, rows) * of) <
            1e-5);
    // The last row comes first, the others follow, the first one twice; then two are left.
    const Tensor moved =
        t < 2 ? torch::cat({torch::full({1}, rows.size(0) - 1, torch::kInt64),
                            torch::arange(rows.size(0) - 1), torch::zeros({1}, torch::kInt64)})
              : torch::arange(std::min<std::int64_t>(2, rows.size(0)));
    state->reorder(moved);
    rows = rows.index_select(0, moved);
    QCOMPARE(state->rows(), rows.size(0));
  }
}

// Columns that pad every sentence of a batch.
void TestModelsOnDevice::morePaddingChangesNothing() {
  QFETCH(QString, folder);
  const fs::path path = folder.toStdString();
  const auto model = modelIn(path, torch::kFloat64);
  model->eval();
  const auto expected = resultsOf(*model, path, 0), got = resultsOf(*model, path, 5);
  QVERIFY(expected.front().cpu().item<double>() > 0);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    QCOMPARE(got[i].defined(), expected[i].defined());
    if (!got[i].defined()) continue;
    const double scale = expected[i].cpu().abs().max().item<double>();
    QVERIFY2(largestDifference(got[i], expected[i]) <= 1e-9 * (1 + scale),
             std::to_string(i).c_str());
  }
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestModelsOnDevice)
#include "test_models_on_device.moc"
