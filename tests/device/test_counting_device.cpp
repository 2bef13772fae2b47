// The test device itself: it computes the same as the CPU, rejects what a GPU rejects, and counts
// every way to make the host wait.
#include "device/counting_device.h"

#include <QtTest>

#include "core/nn/layers.h"
#include "core/nn/recurrent.h"
#include "core/nn/upload.h"
#include "core/train/batch_tensors.h"
#include "device/device_fixture.h"
#include "tests/program.h"

namespace strata {
namespace {

using namespace testing;
using torch::Tensor;

Tensor onDevice(const Tensor& host) {
  return host.to(countingDevice());
}

std::string waitsOf(const std::function<void()>& work) {
  takeDeviceTraffic();
  work();
  return takeDeviceTraffic().text();
}

std::string refusalOf(const std::function<void()>& work) {
  try {
    work();
  } catch (const c10::Error& error) {
    return error.what_without_backtrace();
  }
  return "";
}

// Something of everything that the models use; the loss of parameters and word ids.
Tensor lossOf(const std::vector<Tensor>& p, const Tensor& ids) {
  Tensor x = torch::layer_norm(torch::embedding(p[0], ids, /*padding_idx=*/1), {16}, p[1], p[2]);
  x = torch::linear(torch::linear(x, p[3], p[4]), at::_weight_norm(p[5], p[6], 0));
  x = torch::glu(torch::cat({x, x.flip(1)}, -1), -1);
  const Tensor mask = (ids == 1).unsqueeze(1);
  const Tensor scores = torch::matmul(x, x.transpose(1, 2)).masked_fill(mask, -1e9);
  x = torch::softmax(scores, -1).matmul(x).index_select(0, ids.select(1, 0).remainder(4));
  x = torch::relu(x) + torch::tanh(x) * torch::sigmoid(x.amax(1, true));
  const Tensor logP = torch::log_softmax(torch::linear(x, p[0]).flatten(0, 1), -1);
  return -logP.gather(1, ids.flatten().unsqueeze(1)).sum(torch::kFloat64);
}

}  // namespace

class TestCountingDevice : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void computesWhatTheCpuComputes();
  void theLibrarysLstmEqualsTheKernels_data();
  void theLibrarysLstmEqualsTheKernels();
  void hostAndDeviceDoNotMix();
  void waitsAreCounted_data();
  void waitsAreCounted();
  void pinnedUploadsAreNoWaits();
  void modulesAreMadeThere();
  void drawsFollowTheSeed();
};

void TestCountingDevice::computesWhatTheCpuComputes() {
  torch::manual_seed(1);
  const std::vector<Tensor> drawn{
      torch::randn({50, 16}), torch::randn({16}),     torch::randn({16}),  torch::randn({64, 16}),
      torch::randn({64}),     torch::randn({16, 64}), torch::rand({16, 1})};
  const Tensor ids = torch::randint(0, 50, {4, 7});
  std::vector<Tensor> host, device;
  for (const Tensor& tensor : drawn) {
    host.push_back(tensor.clone().requires_grad_());
    device.push_back(onDevice(tensor).requires_grad_());
  }
  const Tensor expected = lossOf(host, ids), got = lossOf(device, onDevice(ids));
  QVERIFY(!got.is_cpu() && got.device() == countingDevice());
  QVERIFY(largestDifference(got, expected) < 1e-6 * expected.item<double>());
  expected.backward();
  got.backward();
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    QVERIFY(!device[i].grad().is_cpu());
    const double most = host[i].grad().abs().max().item<double>();
    QVERIFY(most > 1e-3);
    QVERIFY(largestDifference(device[i].grad(), host[i].grad()) < 1e-5 * (1 + most));
  }
}

void TestCountingDevice::theLibrarysLstmEqualsTheKernels_data() {
  QTest::addColumn<bool>("reverse");
  QTest::addColumn<bool>("padded");
  for (const bool reverse : {false, true}) {
    for (const bool padded : {false, true})
      QTest::addRow("%s%s", reverse ? "reverse" : "forward", padded ? " padded" : "")
          << reverse << padded;
  }
}

// at::lstm with the device's cell and gradient against the kernels of this program.
void TestCountingDevice::theLibrarysLstmEqualsTheKernels() {
  QFETCH(bool, reverse);
  QFETCH(bool, padded);
  torch::manual_seed(2);
  const auto doubles = torch::dtype(torch::kFloat64);
  const Tensor lengths = torch::tensor({5, 3, 4}, torch::kInt64);
  const std::vector<Tensor> drawn{torch::randn({5, 3, 4}, doubles), torch::randn({24, 4}, doubles),
                                  torch::randn({24, 6}, doubles), torch::randn({24}, doubles)};
  const Tensor weights = torch::randn({5, 3, 6}, doubles);
  const Tensor real = torch::arange(5).unsqueeze(1) < lengths.unsqueeze(0);
  const auto pass = [&](const torch::Device& device) {
    std::vector<Tensor> p;
    for (const Tensor& tensor : drawn) p.push_back(tensor.to(device, false, true).requires_grad_());
    LstmOptions options{.lengths_B = {}, .reverse = reverse};
    if (padded) options.lengths_B = lengths.to(device);
    Tensor states = lstmLayer(p[0], {p[1], p[2], p[3]}, options);
    if (padded) states = states * real.to(device).unsqueeze(2);
    const Tensor loss = (states * weights.to(device)).sum();
    loss.backward();
    std::vector<Tensor> results{loss.detach()};
    for (const Tensor& tensor : p) results.push_back(tensor.grad());
    return results;
  };
  const auto expected = pass(torch::kCPU), got = pass(countingDevice());
  for (std::size_t i = 0; i < expected.size(); ++i)
    QVERIFY(largestDifference(got[i], expected[i]) < 1e-12);
}

void TestCountingDevice::hostAndDeviceDoNotMix() {
  const Tensor host = torch::ones({3, 3}), device = onDevice(host);
  const Tensor ids = torch::zeros({3}, torch::kInt64);
  const char* const kRefusal = "Expected all tensors to be on the same device";
  QHOLDS(refusalOf([&] { device + host; }), kRefusal);
  QHOLDS(refusalOf([&] { device.mm(host); }), kRefusal);
  QHOLDS(refusalOf([&] { device.index_select(0, ids); }), kRefusal);
  QHOLDS(refusalOf([&] { torch::embedding(device, ids); }), kRefusal);
  QHOLDS(refusalOf([&] { torch::cat({device, host}, 0); }), kRefusal);
  QHOLDS(refusalOf([&] { device.masked_fill(host > 0, 0); }), kRefusal);
  // A number may come from the host.
  QCOMPARE(largestDifference(device * torch::tensor(2.0), 2 * host), 0.0);
}

void TestCountingDevice::waitsAreCounted_data() {
  QTest::addColumn<int>("work");
  QTest::addColumn<QString>("waits");
  int work = 0;
  for (const char* waits : {"none", "none", "_local_scalar_dense 1", "nonzero 1", "masked_select 1",
                            "nonzero 1", "_index_put_impl_ 1", "_unique2 1", "repeat_interleave 1",
                            "none", "equal 1", "download 1", "upload 1", "upload 1", "download 1"})
    QTest::addRow("%d %s", work, waits) << work << waits, ++work;
}

void TestCountingDevice::waitsAreCounted() {
  QFETCH(int, work);
  QFETCH(QString, waits);
  const Tensor host = torch::tensor({1.0, 0.0, 2.0}), x = onDevice(host), mask = x > 0,
               repeats = onDevice(torch::tensor({1, 2, 3}, torch::kInt64));
  const std::function<void()> works[] = {
      [&] { (x * 2).softmax(0).clone().index_select(0, repeats - 1).sum(); },
      [&] { torch::where(mask, x, torch::zeros_like(x)).masked_fill_(mask, 1).cumsum(0); },
      [&] { x.sum().item<double>(); },
      [&] { mask.nonzero(); },
      [&] { x.masked_select(mask); },
      [&] { torch::argwhere(mask); },
      [&] { x.clone().index_put_({mask}, torch::ones({2}, x.options())); },
      [&] { std::get<0>(at::_unique2(x)); },
      [&] { torch::repeat_interleave(repeats); },
      [&] { torch::repeat_interleave(repeats, std::optional<std::int64_t>(6)); },
      [&] { torch::equal(x, x + 1); },
      [&] { x.cpu(); },
      [&] { host.to(countingDevice()); },
      [&] { host.pin_memory().to(countingDevice()); },  // to() waits unless it is told not to
      [&] { torch::empty({3}, x.options().device(torch::kCPU).dtype(torch::kFloat64)).copy_(x); },
  };
  QCOMPARE(QString::fromStdString(waitsOf(works[work])), waits);
}

void TestCountingDevice::pinnedUploadsAreNoWaits() {
  const Tensor host = torch::tensor({1.0, 2.0});
  takeDeviceTraffic();
  const Tensor there = uploaded(host, countingDevice());
  const DeviceTraffic traffic = takeDeviceTraffic();
  QCOMPARE(traffic.text(), std::string("none"));
  QCOMPARE(traffic.pinnedUploads, std::int64_t{1});
  QVERIFY(!there.is_cpu());
  QVERIFY(torch::equal(there.cpu(), host));
  QVERIFY(uploaded(host, torch::kCPU).is_same(host));
}

void TestCountingDevice::modulesAreMadeThere() {
  const ParameterPlaceScope scope({.device = countingDevice(), .type = torch::kFloat64});
  Linear module(3, 2);
  const Tensor held = module->weight;
  const ParameterBuffer buffer(namedParametersOf(*module));
  QVERIFY(held.device() == countingDevice() && held.scalar_type() == torch::kFloat64);
  QVERIFY(held.requires_grad() && held.is_alias_of(buffer.values()));
  Tensor(buffer.values()).fill_(2);
  QCOMPARE(largestDifference(held, torch::full({2, 3}, 2.0)), 0.0);
  (module->forward(onDevice(torch::ones({1, 3}, torch::kFloat64)))).sum().backward();
  QCOMPARE(largestDifference(held.grad(), torch::ones({2, 3})), 0.0);
}

void TestCountingDevice::drawsFollowTheSeed() {
  const Tensor x = onDevice(torch::ones({64}));
  const auto drawn = [&](std::uint64_t seed) {
    auto generator = at::globalContext().defaultGenerator(countingDevice());
    generator.set_current_seed(seed);
    return torch::dropout(x, 0.5, /*train=*/true).cpu();
  };
  const Tensor first = drawn(3);
  QVERIFY(torch::equal(first, drawn(3)));
  QVERIFY(!torch::equal(first, drawn(4)));
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestCountingDevice)
#include "test_counting_device.moc"
