// The memory layout of a model's parameters, and code that relies on it.
#include <QtTest>
#ifndef Q_MOC_RUN
#include <torch/types.h>
#endif

#include "core/nn/arithmetic.h"
#include "core/nn/bf16_products.h"
#include "core/nn/layers.h"
#include "core/nn/weight_norm.h"
#include "tests/program.h"

namespace strata {

using torch::Tensor;

class TestParameters : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { torch::manual_seed(3); }
  void groupsLieTogether();
  void theBufferIsTheParameters();
  void keptWeightsFollowTheBuffer();
  void placeOfNewParameters();
  void productsInBf16();
  void factorsInBf16();
  void bf16CopiesFollowTheParameters();
};

namespace {

Tensor parameter(at::IntArrayRef shape) {
  return torch::randn(shape).requires_grad_();
}
std::int64_t addressOf(const Tensor& x) {
  return reinterpret_cast<std::intptr_t>(x.const_data_ptr());
}

}  // namespace

// Members of a group are contiguous, whatever other names are between them; everything else begins
// at a multiple of 64 bytes.
void TestParameters::groupsLieTogether() {
  const Tensor q = parameter({3, 5}), bias = parameter({3}), k = parameter({2, 5}),
               last = parameter({7});
  const Tensor values = torch::cat({q, k}).detach().clone();
  const ParameterBuffer buffer({{"q", q}, {"bias", bias}, {"k", k}, {"last", last}}, {{q, k}});
  QCOMPARE(addressOf(k) - addressOf(q), std::int64_t{15 * 4});
  for (const Tensor& first : {q, bias, last}) QCOMPARE(addressOf(first) % 64, std::int64_t{0});
  const Tensor joined = joinedParameters({q, k});
  QVERIFY(joined.data_ptr() == q.data_ptr());
  QVERIFY(torch::equal(joined, values));
  QVERIFY(torch::equal(joinedParameters({q, k}), values));
  const Tensor apart = joinedParameters({k, q});  // not as they lie
  QVERIFY(apart.data_ptr() != k.data_ptr());
  QVERIFY(torch::equal(apart, torch::cat({k, q}).detach()));
  // 25 numbers of the group fill 32 places, 3 fill 16, 7 end the buffer: what is left over is 0.
  QCOMPARE(buffer.values().numel(), std::int64_t{32 + 16 + 7});
  double sum = 0;
  for (const auto& [name, value] : buffer.named()) sum += value.abs().sum().item<double>();
  QVERIFY(std::abs(buffer.values().abs().sum().item<double>() - sum) < 1e-5);
}

void TestParameters::theBufferIsTheParameters() {
  const Tensor a = parameter({2, 3}), b = parameter({4});
  const void* identity = a.unsafeGetTensorImpl();
  const ParameterBuffer buffer({{"a", a}, {"b", b}});
  QVERIFY(buffer.named()[0].second.unsafeGetTensorImpl() == identity);
  QVERIFY(a.requires_grad() && a.is_leaf());
  Tensor(buffer.values()).fill_(2);
  QVERIFY(torch::equal(a.detach(), torch::full({2, 3}, 2.0F)));
  const Tensor moments = buffer.zeros();
  buffer.part(moments, 1).fill_(5);
  QCOMPARE(moments.sum().item<double>(), 20.0);
  QCOMPARE(buffer.part(moments, 0).sizes().vec(), (std::vector<std::int64_t>{2, 3}));
}

// A normalised weight is kept between the steps of a search; it must not outlive a change that was
// made to the buffer as a whole.
void TestParameters::keptWeightsFollowTheBuffer() {
  WeightNorm layer(4, 3);
  Initialiser random(1);
  layer->initialise(random, 1);
  const ParameterBuffer buffer(namedParametersOf(*layer));
  const torch::NoGradGuard frozen;
  const Tensor before = layer->weight();
  QVERIFY(layer->weight().data_ptr() == before.data_ptr());
  buffer.part(buffer.values(), 1).mul_(2);  // the gains
  buffer.changed();
  QVERIFY(torch::allclose(layer->weight(), before * 2));
}

void TestParameters::placeOfNewParameters() {
  {
    const ParameterPlaceScope scope({.device = torch::kMeta, .type = torch::kFloat64});
    const Linear linear(2, 3);
    QVERIFY(linear->weight.device() == torch::kMeta);
    QVERIFY(linear->bias.scalar_type() == torch::kFloat64);
  }
  const LayerNorm norm(2);
  QVERIFY(norm->weight.device() == torch::kCPU);
  QVERIFY(torch::equal(norm->weight.detach(), torch::ones({2})));
  QVERIFY(torch::equal(norm->bias.detach(), torch::zeros({2})));
}

// Factors are rounded to bf16, sums are not, and results and gradients are float32.
void TestParameters::productsInBf16() {
  const Tensor x = parameter({4, 6}), w = parameter({5, 6}), b = parameter({5});
  const auto rounded = [](const Tensor& t) { return t.to(torch::kBFloat16).to(torch::kFloat64); };
  const Tensor exact = rounded(x).matmul(rounded(w).t());
  Tensor y, z, sum;
  {
    const ArithmeticScope scope({.kernels = false, .bf16Products = true});
    QVERIFY(!usesKernels(x));
    y = affine(x, w, b);
    z = product(x, w.t());
    sum = plusProduct(torch::full({4, 5}, 0.125F), x, w);
  }
  QVERIFY(usesKernels(x));
  for (const Tensor& result : {y, z, sum}) QVERIFY(result.scalar_type() == torch::kFloat32);
  // One rounding of the result to eight bits.
  QVERIFY(torch::allclose(z.to(torch::kFloat64), exact, 1.0 / 256, 1e-6));
  QVERIFY(torch::allclose((y - b).to(torch::kFloat64), exact, 1.0 / 256, 1e-5));
  QVERIFY(torch::allclose((sum - 0.125).to(torch::kFloat64), exact, 1.0 / 256, 1e-5));
  QVERIFY(!torch::allclose(z, torch::matmul(x, w.t()), 1e-5, 1e-6));
  y.sum().backward();
  QVERIFY(w.grad().scalar_type() == torch::kFloat32);
  QVERIFY(torch::allclose(b.grad(), torch::full({5}, 4.0F)));
  QVERIFY(torch::allclose(w.grad(), x.detach().sum(0).expand({5, 6}), 0.02, 0.02));
}

// Factors for further products are bf16; their gradients are those of the same steps in float64,
// with the factors rounded.
void TestParameters::factorsInBf16() {
  const Tensor x = parameter({2, 4, 6}), w = parameter({5, 6}), b = parameter({5}),
               g = torch::randn({2, 4, 5}).to(torch::kBFloat16);
  const auto rounded = [](const Tensor& t) {
    return t.detach().to(torch::kBFloat16).to(torch::kFloat64).requires_grad_();
  };
  const Tensor x64 = rounded(x), w64 = rounded(w), b64 = rounded(b);
  const Tensor exact = torch::relu(torch::linear(x64, w64, b64));
  exact.backward(g.to(torch::kFloat64));
  Tensor y;
  {
    const ArithmeticScope scope({.kernels = false, .bf16Products = true});
    y = reluFactor(x, w, b);
    QVERIFY(affineFactor(x, w, b).scalar_type() == torch::kBFloat16);
  }
  QVERIFY(y.scalar_type() == torch::kBFloat16);
  QVERIFY(torch::allclose(y.to(torch::kFloat64), exact, 1.0 / 128, 1e-2));
  y.backward(g);
  const std::pair<Tensor, Tensor> pairs[] = {{x, x64}, {w, w64}, {b, b64}};
  for (const auto& [half, whole] : pairs) {
    QVERIFY(half.grad().scalar_type() == torch::kFloat32);
    QVERIFY(torch::allclose(half.grad().to(torch::kFloat64), whole.grad(), 1.0 / 128, 1e-2));
  }
}

// The parameters' bf16 copies follow them once refreshed, and are found for parts and neighbours.
void TestParameters::bf16CopiesFollowTheParameters() {
  const Tensor w = parameter({5, 6}), v = parameter({4, 6});
  const auto buffer = std::make_shared<const ParameterBuffer>(
      NamedParameters{{"w", w}, {"v", v}}, std::vector<AdjacentParameters::Group>{{w, v}});
  Bf16Weights copies(buffer);
  copies.refresh();
  const auto both = joinedParameters({w, v});
  for (const Tensor& part : {w, v, both, w.narrow(0, 1, 3)})
    QVERIFY(torch::equal(copies.of(part), part.detach().to(torch::kBFloat16)));
  QVERIFY(copies.of(w).is_alias_of(copies.of(v)));
  const Tensor other = torch::randn({3, 3});
  QVERIFY(torch::equal(copies.of(other), other.to(torch::kBFloat16)));
  {
    const torch::NoGradGuard frozen;
    Tensor(buffer->values()).mul_(2);
  }
  buffer->changed();
  copies.refresh();
  QVERIFY(torch::equal(copies.of(v), v.detach().to(torch::kBFloat16)));
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestParameters)
#include "test_parameters.moc"
