// Parameters of every preset's own model in one buffer, and what is used together adjacent there.
#include <QtTest>
#ifndef Q_MOC_RUN
#include <ATen/record_function.h>
#include <torch/types.h>
#endif

#include <algorithm>
#include <memory>
#include <string_view>

#include "core/base/error.h"
#include "core/nn/cross_entropy.h"
#include "core/nn/gradient_place.h"
#include "core/train/optimizer.h"
#include "models/catalogue.h"
#include "models/presets.h"
#include "tests/program.h"

namespace strata {

class TestParameterBuffer : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { registerModels(); }
  void everyPreset_data();
  void everyPreset();
  void updatesMoveNothing_data();
  void updatesMoveNothing();
  void gradientsAreThoseWithoutBuffer_data() { updatesMoveNothing_data(); }
  void gradientsAreThoseWithoutBuffer();
  void aPlaceIsGivenOnce();
  void onlyTablesOfWordsAreCopied();
};

namespace {

std::shared_ptr<TranslationModel> modelOf(const QString& preset, const ParameterPlace& place) {
  const Json config = resolveConfig({.file = "", .preset = preset.toStdString(), .overrides = {}},
                                    builtInSources());
  return createModel(modelConfig(config.at("model"), 20, 20), place);
}

struct Pair {
  torch::Tensor ids = torch::tensor({{5, 6, 7, 2}, {8, 9, 2, 1}}, torch::kInt64);
  SourceBatch source = makeSourceBatch(ids, torch::tensor({4, 3}, torch::kInt64));
};

void backPropagate(TranslationModel& model, const Pair& words) {
  const auto memory = model.encode(words.source, nullptr);
  crossEntropy(model, model.decode(*memory, words.ids, nullptr), words.ids, {}).loss.backward();
}

// How often libtorch copies tensors of at least `values` values in this thread while it exists.
class CountedCopies {
 public:
  explicit CountedCopies(std::int64_t values)
      : handle_(at::addThreadLocalCallback(
            at::RecordFunctionCallback(countCopy).needsInputs(true).scopes(
                {at::RecordScope::FUNCTION}))) {
    smallest = values;
    count = 0;
  }
  ~CountedCopies() { at::removeCallback(handle_); }
  static inline std::int64_t smallest, count;

 private:
  static std::unique_ptr<at::ObserverContext> countCopy(const at::RecordFunction& called) {
    if (std::string_view(called.name()) == "aten::copy_" &&
        called.inputs()[0].toTensor().numel() >= smallest)
      ++count;
    return nullptr;
  }
  at::CallbackHandle handle_;
};

}  // namespace

void TestParameterBuffer::everyPreset_data() {
  QTest::addColumn<QString>("preset");
  for (const Preset& preset : presets())
    QTest::newRow(preset.name.c_str()) << QString::fromStdString(preset.name);
}

// On the meta device, where large models cost nothing.
void TestParameterBuffer::everyPreset() {
  QFETCH(QString, preset);
  const auto model = modelOf(preset, {.device = torch::kMeta});
  const ParameterBuffer& buffer = *model->parameterBuffer();
  QCOMPARE(buffer.named().size(), model->parameters().size());
  for (std::size_t i = 0; i < buffer.named().size(); ++i) {
    const torch::Tensor& value = buffer.named()[i].second;
    QVERIFY(value.is_alias_of(buffer.values()) && value.is_contiguous());
    QCOMPARE(value.storage_offset(), buffer.beginOf(i));
  }
  for (const auto& module : model->modules()) {
    const auto* declares = dynamic_cast<const AdjacentParameters*>(module.get());
    if (declares == nullptr) continue;
    for (const auto& group : declares->adjacentParameters()) {
      for (std::size_t i = 1; i < group.size(); ++i)
        QCOMPARE(group[i].storage_offset(), group[i - 1].storage_offset() + group[i - 1].numel());
    }
  }
}

void TestParameterBuffer::updatesMoveNothing_data() {
  QTest::addColumn<QString>("preset");
  for (const char* preset : {"mlrf/both-fnn-sa4", "densenmt/4l-2", "deepatt/att-2-2", "dhea/gate",
                             "dhea/hybrid", "baseline/fconv-iwslt"})
    QTest::newRow(preset) << preset;
}

// Two updates and a step of a search: every parameter stays at its address, and its gradient is its
// part of one buffer.
void TestParameterBuffer::updatesMoveNothing() {
  QFETCH(QString, preset);
  const auto model = modelOf(preset, {});
  model->initialise("default", 1);
  Optimizer optimizer(model->parameterBuffer(), {.lr = 1e-3});
  std::vector<const void*> addresses;
  for (const auto& [name, value] : optimizer.parameters()) addresses.push_back(value.data_ptr());
  const Pair words;
  for (int update = 0; update < 2; ++update) {
    backPropagate(*model, words);
    optimizer.gradientNorm();
    for (const auto& [name, value] : optimizer.parameters())
      QVERIFY2(value.grad().is_alias_of(optimizer.parameters().front().second.grad()),
               name.c_str());
    optimizer.step({1e-3});
    optimizer.clearGradients();
  }
  model->eval();
  const torch::NoGradGuard frozen;
  const auto memory = model->encode(words.source, nullptr);
  const auto state = model->begin(*memory);
  model->step(*state, torch::tensor({2, 2}, torch::kInt64), nullptr);
  for (std::size_t i = 0; i < addresses.size(); ++i)
    QVERIFY(optimizer.parameters()[i].second.data_ptr() == addresses[i]);
  QVERIFY_EXCEPTION_THROWN(model->to(torch::kFloat64), Error);
}

// Of one pass, and of two that are added up, although products write some of them into the buffer.
void TestParameterBuffer::gradientsAreThoseWithoutBuffer() {
  QFETCH(QString, preset);
  const auto model = modelOf(preset, {}), other = modelOf(preset, {});
  for (const auto& each : {model, other}) each->initialise("default", 1);
  Optimizer optimizer(model->parameterBuffer(), {.lr = 1e-3});
  const NamedParameters expected = namedParametersOf(*other);
  for (int pass = 0; pass < 2; ++pass) {
    for (const auto& each : {model, other}) backPropagate(*each, Pair{});
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto& [name, parameter] = optimizer.parameters()[i];
      QCOMPARE(name, expected[i].first);
      QVERIFY2(torch::equal(parameter.grad(), expected[i].second.grad()), name.c_str());
    }
  }
}

void TestParameterBuffer::aPlaceIsGivenOnce() {
  const auto model = modelOf("mlrf/base", {});
  Optimizer optimizer(model->parameterBuffer(), {.lr = 1e-3});
  const torch::Tensor parameter = optimizer.parameters()[0].second;
  const void* const place = optimizer.gradients().parts()[0].data_ptr();
  for (int update = 0; update < 2; ++update) {
    QVERIFY(gradientMemory(parameter).data_ptr() == place);
    QVERIFY(gradientMemory(parameter).data_ptr() != place);
    optimizer.clearGradients();
  }
  parameter.mutable_grad() = optimizer.gradients().parts()[0];
  QVERIFY(gradientMemory(parameter).data_ptr() != place);  // it has a gradient to be added to
}

// Of a mean loss: the gradients of the two tables of word vectors come from libtorch, all others of
// at least their size are written into the buffer at once.
void TestParameterBuffer::onlyTablesOfWordsAreCopied() {
  const auto model = modelOf("mlrf/base", {});
  model->initialise("default", 1);
  Optimizer optimizer(model->parameterBuffer(), {.lr = 1e-3});
  const Pair words;
  const auto memory = model->encode(words.source, nullptr);
  const auto loss =
      crossEntropy(*model, model->decode(*memory, words.ids, nullptr), words.ids, {}).loss / 7;
  const CountedCopies copies(model->projection().weight_VD.numel());
  loss.backward();
  QCOMPARE(CountedCopies::count, 2);
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestParameterBuffer)
#include "test_parameter_buffer.moc"
