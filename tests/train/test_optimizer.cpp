#include <QtTest>
#ifndef Q_MOC_RUN
#include <torch/types.h>
#endif

#include <filesystem>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/safetensors.h"
#include "core/train/optimizer.h"
#include "tests/fixture.h"
#include "tests/program.h"

namespace strata {
namespace {

torch::Tensor asDouble(const TensorView& view) {
  const auto type = view.type == DType::kFloat64 ? torch::kFloat64 : torch::kFloat32;
  return torch::from_blob(const_cast<char*>(view.bytes.data()), view.shape, torch::dtype(type))
      .to(torch::kFloat64)
      .clone();
}

// The schedule and optimizer of a fixture's config.json.
struct FixtureCase {
  OptimizerSpec optimizer;
  ScheduleSpec schedule;
  std::vector<double> ratePerStep;
  double clipNorm = 0;
  std::int64_t steps = 0, restartAfter = 0;
  double restartRate = 0;
};

void readGroups(const Json& config, FixtureCase& fixture) {
  for (const auto& group : config.at("groups")) {
    fixture.optimizer.groups.push_back({.match = group.at("match"),
                                        .lr = group.at("lr").get<double>(),
                                        .weightDecay = group.at("weight_decay").get<double>()});
  }
  fixture.optimizer.lr = config.at("default_group").at("lr");
  fixture.optimizer.weightDecay = config.at("default_group").at("weight_decay");
}

FixtureCase readCase(const Json& config) {
  FixtureCase fixture;
  fixture.schedule.kind = ScheduleSpec::Kind::kConstant;
  auto& optimizer = fixture.optimizer;
  optimizer.kind =
      config.at("optimizer") == "nag" ? OptimizerSpec::Kind::kNag : OptimizerSpec::Kind::kAdam;
  optimizer.lr = config.value("lr", 0.0);
  optimizer.momentum = config.value("momentum", 0.0);
  if (config.contains("betas")) {
    optimizer.beta1 = config.at("betas").at(0);
    optimizer.beta2 = config.at("betas").at(1);
    optimizer.eps = config.at("eps");
  }
  optimizer.weightDecay = config.value("weight_decay", 0.0);
  optimizer.decay = config.value("decay_kind", std::string("decoupled")) == "coupled"
                        ? OptimizerSpec::Decay::kCoupled
                        : OptimizerSpec::Decay::kDecoupled;
  if (config.contains("groups")) readGroups(config, fixture);
  if (config.contains("lr_per_step"))
    fixture.ratePerStep = config.at("lr_per_step").get<std::vector<double>>();
  if (config.contains("schedule")) {
    const auto& schedule = config.at("schedule");
    fixture.schedule.kind = schedule.at("kind") == "noam" ? ScheduleSpec::Kind::kNoam
                                                          : ScheduleSpec::Kind::kInverseSqrt;
    fixture.schedule.warmup = schedule.at("warmup");
    fixture.schedule.dim = schedule.value("dim", 1);
    fixture.schedule.initLr = schedule.value("init_lr", 0.0);
    optimizer.lr = schedule.value("lr", 1.0);
  }
  fixture.clipNorm = config.value("clip_norm", 0.0);
  fixture.restartAfter = config.value("restart_after", 0);
  fixture.restartRate = config.value("restart_lr", 0.0);
  fixture.steps = config.at("steps");
  return fixture;
}

std::vector<double> ratesAt(const FixtureCase& fixture, const Optimizer& optimizer,
                            std::int64_t t) {
  if (!fixture.ratePerStep.empty()) return {fixture.ratePerStep[static_cast<std::size_t>(t - 1)]};
  if (fixture.restartAfter > 0 && t > fixture.restartAfter) return {fixture.restartRate};
  return optimizer.ratesOf(Schedule(fixture.schedule), t, 1, {});
}

std::shared_ptr<const ParameterBuffer> bufferOf(const NamedParameters& parameters) {
  return std::make_shared<const ParameterBuffer>(parameters);
}

// One parameter of three elements as a model's would be.
NamedParameters oneParameter(const std::string& name, std::vector<double> values) {
  return {{name, torch::tensor(values, torch::kFloat64).requires_grad_()}};
}

}  // namespace

class TestOptimizer : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void fixtures_data();
  void fixtures();
  void oneAdamUpdateByHand();
  void missingGradientsCountAsZero();
  void decaySkipAndGroups();
  void clippingScalesToTheLimit();
  void normsOfLargeGradients();
  void savedMomentsContinueBitForBit();
  void skippedUpdatesChangeNothing_data();
  void skippedUpdatesChangeNothing();
};

void TestOptimizer::fixtures_data() {
  QTest::addColumn<QString>("folder");
  // The larger set has the same cases.
  for (const auto& entry : fs::directory_iterator(referenceFolders("models/optim").front())) {
    if (!entry.is_directory()) continue;
    QTest::newRow(entry.path().filename().c_str()) << QString::fromStdString(entry.path().string());
  }
}

void TestOptimizer::fixtures() {
  QFETCH(QString, folder);
  const fs::path root = folder.toStdString();
  const FixtureCase fixture = readCase(parseJson(readFile(root / "config.json"), "config.json"));
  const Json steps = parseJson(readFile(root / "steps.json"), "steps.json");
  const SafetensorsFile init(root / "init.safetensors"), grads(root / "grads.safetensors"),
      expected(root / "expected.safetensors");
  NamedParameters parameters;
  for (const auto& [name, view] : init.tensors())
    parameters.emplace_back(name, asDouble(view).requires_grad_());
  Optimizer optimizer(bufferOf(parameters), fixture.optimizer);

  for (std::int64_t t = 1; t <= fixture.steps; ++t) {
    if (fixture.restartAfter > 0 && t == fixture.restartAfter + 1) optimizer.restart();
    for (auto& [name, value] : parameters)
      value.mutable_grad() = asDouble(grads.at(name))[t - 1].clone();
    const auto norm = optimizer.gradientNorm();
    const double printed = steps.at("grad_norm").at(static_cast<std::size_t>(t - 1));
    QVERIFY2(std::abs(norm.total.item<double>() - printed) <= 1e-9 * printed + 1e-9,
             qPrintable(folder));
    if (fixture.clipNorm > 0) optimizer.clip(norm, fixture.clipNorm);
    const auto rates = ratesAt(fixture, optimizer, t);
    const Json wanted = steps.at("lr").at(static_cast<std::size_t>(t - 1));
    for (std::size_t g = 0; g < rates.size(); ++g) {
      const double rate = wanted.is_array() ? wanted.at(g).get<double>() : wanted.get<double>();
      QVERIFY(std::abs(rates[g] - rate) <= 1e-12 * rate);
    }
    optimizer.step(rates);
    for (const auto& [name, value] : parameters) {
      QVERIFY2(torch::allclose(value.detach(), asDouble(expected.at(name))[t - 1], 1e-9, 1e-14),
               qPrintable(QString::fromStdString(name) + " after step " + QString::number(t)));
    }
  }
}

void TestOptimizer::oneAdamUpdateByHand() {
  const auto parameters = oneParameter("w", {1.0, -2.0, 0.5});
  Optimizer optimizer(bufferOf(parameters), {.lr = 0.1, .beta1 = 0.9, .beta2 = 0.99, .eps = 0.0});
  const auto& weight = parameters.front().second;
  weight.mutable_grad() = torch::tensor({3.0, -4.0, 0.25}, torch::kFloat64);
  optimizer.step({0.1});
  // The first update moves every element by the rate against the sign of its gradient.
  QVERIFY(torch::allclose(weight.detach(), torch::tensor({0.9, -1.9, 0.4}, torch::kFloat64), 1e-12,
                          1e-12));
}

void TestOptimizer::missingGradientsCountAsZero() {
  const auto given = oneParameter("w", {1.0, 2.0, 3.0}),
             absent = oneParameter("w", {1.0, 2.0, 3.0});
  Optimizer first(bufferOf(given), {.lr = 0.1, .weightDecay = 0.5}),
      second(bufferOf(absent), {.lr = 0.1, .weightDecay = 0.5});
  given.front().second.mutable_grad() = torch::zeros({3}, torch::kFloat64);
  first.step({0.1});
  second.step({0.1});
  QVERIFY(torch::equal(given.front().second, absent.front().second));
  QVERIFY(torch::allclose(absent.front().second.detach(),
                          torch::tensor({0.95, 1.9, 2.85}, torch::kFloat64)));
}

void TestOptimizer::decaySkipAndGroups() {
  NamedParameters parameters = oneParameter("layer.weight", {1.0});
  parameters.push_back(oneParameter("layer.bias", {1.0}).front());
  parameters.push_back(oneParameter("embed.weight", {1.0}).front());
  OptimizerSpec spec{.lr = 0.1, .weightDecay = 1, .decaySkip = {"bias"}};
  spec.groups.push_back({.match = {"embed"}, .lr = 0.01, .weightDecay = 2.0});
  Optimizer optimizer(bufferOf(parameters), spec);
  QCOMPARE(optimizer.groups().size(), std::size_t{2});
  QCOMPARE(optimizer.groups()[0].name, std::string("embed"));
  QCOMPARE(optimizer.groups()[1].name, std::string("rest"));
  optimizer.step(optimizer.ratesOf(Schedule({.kind = ScheduleSpec::Kind::kConstant}), 1, 1, {}));
  QVERIFY(std::abs(parameters[0].second.item<double>() - 0.9) < 1e-12);   // 1 - 0.1 * 1
  QCOMPARE(parameters[1].second.item<double>(), 1.0);                     // not decayed
  QVERIFY(std::abs(parameters[2].second.item<double>() - 0.98) < 1e-12);  // 1 - 0.01 * 2
}

void TestOptimizer::clippingScalesToTheLimit() {
  const auto parameters = oneParameter("w", {0.0, 0.0, 0.0});
  Optimizer optimizer(bufferOf(parameters), {});
  auto& gradient = parameters.front().second.mutable_grad();
  gradient = torch::tensor({3.0, 0.0, 4.0}, torch::kFloat64);
  optimizer.clip(optimizer.gradientNorm(), 10);
  QCOMPARE(optimizer.gradientNorm().total.item<double>(), 5.0);
  optimizer.clip(optimizer.gradientNorm(), 2.5);
  QVERIFY(std::abs(optimizer.gradientNorm().total.item<double>() - 2.5 * 5 / (5 + 1e-6)) < 1e-12);
}

// The norm of a large gradient is exact: sums of float32 would stop growing.
void TestOptimizer::normsOfLargeGradients() {
  constexpr std::int64_t kCount = (1 << 24) + 5;
  const NamedParameters parameters{{"w", torch::zeros({kCount}).requires_grad_()},
                                   {"v", torch::zeros({3}).requires_grad_()}};
  Optimizer optimizer(bufferOf(parameters), {});
  parameters[0].second.mutable_grad() = torch::full({kCount}, 0.1F);
  parameters[1].second.mutable_grad() = torch::full({3}, 2.0F);
  const int threads = at::get_num_threads();
  const double square = static_cast<double>(0.1F) * static_cast<double>(0.1F) * kCount;
  for (const int count : {1, 2}) {
    at::set_num_threads(count);
    const GradientNorm norm = optimizer.gradientNorm();
    QVERIFY(std::abs(norm.each[0].item<double>() / std::sqrt(square) - 1) < 1e-12);
    QVERIFY(std::abs(norm.each[1].item<double>() / std::sqrt(12.0) - 1) < 1e-12);
    QVERIFY(std::abs(norm.total.item<double>() / std::sqrt(square + 12) - 1) < 1e-12);
  }
  at::set_num_threads(threads);
}

void TestOptimizer::savedMomentsContinueBitForBit() {
  torch::manual_seed(3);
  const auto start = torch::randn({1000});
  NamedParameters whole{{"w", start.clone().requires_grad_()}},
      broken{{"w", start.clone().requires_grad_()}};
  const OptimizerSpec spec{.lr = 0.01, .weightDecay = 0.1};
  const auto buffer = bufferOf(broken);
  Optimizer first(bufferOf(whole), spec);
  auto second = std::make_unique<Optimizer>(buffer, spec);
  for (int step = 0; step < 6; ++step) {
    const auto gradient = torch::randn({1000});
    whole.front().second.mutable_grad() = gradient.clone();
    broken.front().second.mutable_grad() = gradient.clone();
    first.step({0.01});
    second->step({0.01});
    if (step == 2) {
      std::map<std::string, torch::Tensor> saved;
      for (const auto& [name, tensor] : second->save()) saved[name] = tensor.clone();
      second = std::make_unique<Optimizer>(buffer, spec);
      second->restore(saved);
    }
  }
  QVERIFY(torch::equal(whole.front().second, broken.front().second));
  QVERIFY_EXCEPTION_THROWN(second->restore({}), strata::Error);
}

void TestOptimizer::skippedUpdatesChangeNothing_data() {
  QTest::addColumn<OptimizerSpec>("spec");
  using Kind = OptimizerSpec::Kind;
  using Decay = OptimizerSpec::Decay;
  QTest::newRow("adam") << OptimizerSpec{.lr = 0.1};
  QTest::newRow("nag") << OptimizerSpec{.kind = Kind::kNag, .lr = 0.1, .momentum = 0.9};
  QTest::newRow("nag, coupled decay") << OptimizerSpec{
      .kind = Kind::kNag, .lr = 0.1, .momentum = 0.9, .weightDecay = 0.1, .decay = Decay::kCoupled};
  QTest::newRow("nag, decoupled decay") << OptimizerSpec{.kind = Kind::kNag,
                                                         .lr = 0.1,
                                                         .momentum = 0.9,
                                                         .weightDecay = 0.1,
                                                         .decay = Decay::kDecoupled};
}

// NaN gradients, and the device's flag that the update is to be skipped; an update that is not
// skipped is the same as without the flag.
void TestOptimizer::skippedUpdatesChangeNothing() {
  QFETCH(OptimizerSpec, spec);
  NamedParameters parameters{{"w", torch::ones({8}).requires_grad_()}},
      plain{{"w", torch::ones({8}).requires_grad_()}};
  Optimizer optimizer(bufferOf(parameters), spec), without(bufferOf(plain), spec);
  const auto update = [&](const torch::Tensor& gradient, double skip) {
    parameters.front().second.mutable_grad() = gradient;
    optimizer.step({0.1}, torch::full({}, skip, torch::kFloat32));
    optimizer.clearGradients();
    if (skip == 1) return;
    plain.front().second.mutable_grad() = gradient;
    without.step({0.1});
    without.clearGradients();
  };
  const auto poisoned = torch::full({8}, NAN);
  update(poisoned, 1);
  QVERIFY(torch::equal(parameters.front().second.detach(), torch::ones({8})));
  QCOMPARE(optimizer.save().at("optimizer.updates").item<float>(), 0.0F);
  QVERIFY(torch::equal(optimizer.save().at("optimizer.first.w"), torch::zeros({8})));
  update(torch::full({8}, 2.0), 0);
  update(poisoned, 1);
  update(torch::full({8}, -1.0), 0);
  QVERIFY(torch::allclose(parameters.front().second, plain.front().second, 1e-6, 0));
  QVERIFY(!torch::equal(plain.front().second.detach(), torch::ones({8})));
  QVERIFY(torch::allclose(optimizer.save().at("optimizer.first.w"),
                          without.save().at("optimizer.first.w"), 1e-6, 0));
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestOptimizer)
#include "test_optimizer.moc"
