// Searches with packed weights, in float32, bf16 and int8, of real presets at their own sizes.
#include <QtTest>
#ifndef Q_MOC_RUN
#include <torch/types.h>
#endif

#include <cmath>

#include "core/decode/beam_search.h"
#include "core/decode/ensemble.h"
#include "core/nn/packed_weights.h"
#include "tests/models/preset_fixture.h"
#include "tests/models/small_preset.h"
#include "tests/program.h"

using namespace strata;
using namespace strata::testing;

namespace {

std::vector<std::vector<Hypothesis>> foundWith(TranslationModel& model, Compute compute) {
  BeamOptions options;
  options.beam = options.nbest = 3;
  options.compute = compute;
  return beamSearch(model, {.sources = kPairs.sources, .prefixes = {}}, options);
}

double meanOf(const std::vector<std::vector<double>>& scores) {
  double sum = 0, count = 0;
  for (const auto& sentence : scores) {
    for (const double each : sentence) sum += each, ++count;
  }
  return sum / count;
}

void compare(const std::vector<std::vector<Hypothesis>>& a,
             const std::vector<std::vector<Hypothesis>>& b) {
  QCOMPARE(a.size(), b.size());
  for (std::size_t s = 0; s < a.size(); ++s) {
    QCOMPARE(a[s].size(), b[s].size());
    for (std::size_t h = 0; h < a[s].size(); ++h) {
      QVERIFY(a[s][h].tokens == b[s][h].tokens);
      QVERIFY(std::abs(a[s][h].logProbability - b[s][h].logProbability) < 1e-3);
    }
  }
}

// Scores hardly change with fewer bits: their mean by less than `share` of it.
void compareScores(const std::string& preset, Compute compute, double share) {
  const auto model = untrainedModel(preset, kSourceWords, kTargetWords);
  const auto exact = scorePairs(*model, kPairs),
             rounded = scorePairs(*model, kPairs, {.compute = compute});
  const double difference = std::abs(meanOf(exact) - meanOf(rounded));
  QVERIFY2(difference < share * std::abs(meanOf(exact)), qPrintable(QString::number(difference)));
  if (PackedWeights::supports(compute)) QVERIFY(difference > 0);
  QCOMPARE(foundWith(*model, compute).size(), kPairs.sources.size());
}

}  // namespace

class TestPackedSearch : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void searchesAreThoseOfPlainProducts_data();
  void searchesAreThoseOfPlainProducts();
  void bf16IsFloat32OfRoundedWeights_data();
  void bf16IsFloat32OfRoundedWeights();
  void bf16IsClose_data();
  void bf16IsClose();
  void int8IsClose_data();
  void int8IsClose();
  void changedParametersAreSeen();
  void onlyTheModelsWeightsArePacked();
  void ensemblesPackTheirModels();
  void recurrentEncodersReadPackedWeights_data();
  void recurrentEncodersReadPackedWeights();
};

void TestPackedSearch::searchesAreThoseOfPlainProducts_data() {
  QTest::addColumn<std::string>("preset");
  for (const char* preset :
       {"baseline/transformer-iwslt", "mlrf/both-fnn-sa4", "dhea/gate", "dhea/hybrid",
        "deepatt/att-2-2", "densenmt/4l-2", "densenmt/literal-4l-2", "baseline/fconv-iwslt"})
    QTest::newRow(preset) << std::string(preset);
}

void TestPackedSearch::searchesAreThoseOfPlainProducts() {
  QFETCH(std::string, preset);
  const auto model = untrainedModel(preset, kSourceWords, kTargetWords);
  const auto packed = foundWith(*model, Compute::kFloat32);
  const Arithmetic used = model->searchArithmetic(Compute::kFloat32);
  QCOMPARE(used.packed != nullptr, PackedWeights::supports(Compute::kFloat32));
  if (used.packed != nullptr) QVERIFY(used.packed->bytes() > 0);
  const ArithmeticScope plain({.kernels = false});
  compare(packed, foundWith(*model, Compute::kFloat32));
}

// Without weight normalisation, whose weights are not parameters.
void TestPackedSearch::bf16IsFloat32OfRoundedWeights_data() {
  QTest::addColumn<std::string>("preset");
  for (const char* preset :
       {"baseline/transformer-iwslt", "mlrf/both-fnn-sa4", "dhea/gate", "deepatt/att-2-2"})
    QTest::newRow(preset) << std::string(preset);
}

void TestPackedSearch::bf16IsFloat32OfRoundedWeights() {
  QFETCH(std::string, preset);
  const auto model = untrainedModel(preset, kSourceWords, kTargetWords);
  const torch::NoGradGuard frozen;
  Tensor values = model->parameterBuffer()->values();
  values.copy_(values.to(torch::kBFloat16));
  model->parameterBuffer()->changed();
  const auto wanted = foundWith(*model, Compute::kFloat32),
             rounded = foundWith(*model, Compute::kBf16);
  compare(wanted, rounded);
  for (std::size_t s = 0; s < wanted.size(); ++s) {
    for (std::size_t h = 0; h < wanted[s].size(); ++h)
      QCOMPARE(rounded[s][h].logProbability, wanted[s][h].logProbability);
  }
}

void TestPackedSearch::bf16IsClose_data() {
  searchesAreThoseOfPlainProducts_data();
}

void TestPackedSearch::bf16IsClose() {
  QFETCH(std::string, preset);
  compareScores(preset, Compute::kBf16, 0.002);
}

void TestPackedSearch::int8IsClose_data() {
  searchesAreThoseOfPlainProducts_data();
}

void TestPackedSearch::int8IsClose() {
  QFETCH(std::string, preset);
  compareScores(preset, Compute::kInt8, 0.02);
}

// What was packed does not outlive a change, here that of an average in the place of the
// parameters.
void TestPackedSearch::changedParametersAreSeen() {
  for (const char* preset : {"baseline/transformer-iwslt", "densenmt/4l-2"}) {
    const auto model = untrainedModel(preset, kSourceWords, kTargetWords),
               other = untrainedModel(preset, kSourceWords, kTargetWords);
    foundWith(*model, Compute::kFloat32);
    const torch::NoGradGuard frozen;
    for (const auto& each : {model, other}) {
      each->parameterBuffer()->values().mul_(1.5);
      each->parameterBuffer()->changed();
    }
    compare(foundWith(*model, Compute::kFloat32), foundWith(*other, Compute::kFloat32));
  }
}

void TestPackedSearch::onlyTheModelsWeightsArePacked() {
  if (!PackedWeights::supports(Compute::kFloat32)) return;
  const torch::NoGradGuard frozen;
  const auto model = untrainedModel("baseline/transformer-iwslt", kSourceWords, kTargetWords);
  PackedWeights& packed = *model->searchArithmetic(Compute::kFloat32).packed;
  const Tensor x = torch::randn({3, 512}), weight = torch::randn({70, 512});
  QVERIFY(!packed.product(x, weight, {.bias = {}}).defined());
  QCOMPARE(packed.bytes(), std::int64_t{0});
  packed.admit(weight);
  const Tensor y = packed.product(x, weight.narrow(0, 10, 20), {.bias = {}});  // a part of it
  QVERIFY(largest(y, x.mm(weight.narrow(0, 10, 20).t())) < 1e-4);
  const Tensor columns =
      packed.product(x.narrow(1, 0, 100), weight.narrow(1, 200, 100), {.bias = {}});
  QVERIFY(largest(columns, x.narrow(1, 0, 100).mm(weight.narrow(1, 200, 100).t())) < 1e-4);
}

// An ensemble has no buffer of its own: its models' weights are packed where they are.
void TestPackedSearch::ensemblesPackTheirModels() {
  const auto one = untrainedModel("baseline/transformer-iwslt", kSourceWords, kTargetWords),
             other = untrainedModel("mlrf/both-fnn-sa4", kSourceWords, kTargetWords);
  const auto buffer = one->parameterBuffer();
  Ensemble both({one, other}, EnsembleKind::kLinear);  // not in a shared_ptr, as in other tests
  const auto packed = foundWith(both, Compute::kFloat32);
  if (const auto* used = both.searchArithmetic(Compute::kFloat32).packed) {
    const auto bytes = [](TranslationModel& model) {
      foundWith(model, Compute::kFloat32);
      return model.searchArithmetic(Compute::kFloat32).packed->bytes();
    };
    QCOMPARE(used->bytes(), bytes(*one) + bytes(*other));
  }
  QVERIFY_THROWS_EXCEPTION(Error, both.parameterBuffer());
  QVERIFY(one->parameterBuffer() == buffer);
  for (const auto& [name, parameter] : buffer->named())
    QVERIFY(parameter.is_alias_of(buffer->values()));
  const ArithmeticScope plain({.kernels = false});
  compare(packed, foundWith(both, Compute::kFloat32));
}

// What training multiplies for itself, a search has packed.
void TestPackedSearch::recurrentEncodersReadPackedWeights_data() {
  QTest::addColumn<std::string>("preset");
  for (const char* preset : {"dhea/gate", "deepatt/rnnsearch"})
    QTest::newRow(preset) << std::string(preset);
}

void TestPackedSearch::recurrentEncodersReadPackedWeights() {
  QFETCH(std::string, preset);
  const auto model = untrainedModel(preset, kSourceWords, kTargetWords);
  const torch::NoGradGuard frozen;
  model->eval();
  const Arithmetic used = model->searchArithmetic(Compute::kFloat32);
  if (used.packed == nullptr) return;  // on processors that pack nothing
  const ArithmeticScope scope(used);
  model->encode(makeSourceBatch(torch::full({2, 3}, 5, torch::kInt64), torch::tensor({3, 2})),
                nullptr);
  std::int64_t values = 0;
  for (const auto& parameter : model->named_parameters()) {
    const std::string& name = parameter.key();
    if (name.starts_with("encoder.") &&
        (name.ends_with("weight_ih") || name.ends_with("input_proj.weight")))
      values += parameter.value().numel();
  }
  QVERIFY(values > 0);
  QVERIFY(used.packed->bytes() >= 4 * values);
}

STRATA_APPLESS_TEST(TestPackedSearch)
#include "test_packed_search.moc"
