// Products in float32, and of factors rounded to bf16, against libtorch's in float64, also of parts
// of wider matrices. Where the kernels do not run these are libtorch's own, and nothing is rounded.
#include <QtTest>
#ifndef Q_MOC_RUN
#include <ATen/Parallel.h>
#include <torch/types.h>
#endif

#include <mutex>

#include "core/nn/arithmetic.h"
#include "core/nn/cpu_products.h"
#include "core/nn/kernels/rounded_products.h"
#include "tests/program.h"

namespace strata {
namespace {

using torch::Tensor;

Tensor values(std::int64_t rows, std::int64_t columns) {
  return torch::randn({rows, columns});
}
// A part of a wider matrix: its rows are not contiguous.
Tensor part(std::int64_t rows, std::int64_t columns) {
  return values(rows, columns + 13).narrow(1, 5, columns);
}

// Of sums of `terms` products of normal numbers.
bool near(const Tensor& got, const Tensor& wanted, std::int64_t terms) {
  if (got.sizes() != wanted.sizes()) return false;
  if (got.numel() == 0) return true;
  const double difference = (got.to(torch::kFloat64) - wanted).abs().max().item<double>();
  return difference <= 1e-6 * static_cast<double>(terms + 5);
}

Tensor exact(const Tensor& a, const Tensor& b) {
  return a.to(torch::kFloat64).matmul(b.to(torch::kFloat64));
}

Tensor gradient(const Tensor& productGrad, const Tensor& x) {
  Tensor out = torch::full({productGrad.size(1), x.size(1)}, NAN);
  cpu::multiplyGradient(productGrad, x, out);
  return out;
}

constexpr Arithmetic kBf16{.bf16Products = true};

// What a product in bf16 multiplies.
Tensor rounded(const Tensor& x) {
  return kernels::hasRoundedProducts() ? x.to(torch::kBFloat16).to(torch::kFloat32) : x;
}

void addShapes() {
  QTest::addColumn<int>("rows");
  QTest::addColumn<int>("inputs");
  QTest::addColumn<int>("outputs");
  // Panels of 48, of 32 and of a remainder; few rows, and groups of them.
  for (const int rows : {0, 1, 63, 64, 129, 600}) {
    for (const auto& [inputs, outputs] : std::vector<std::pair<int, int>>{
             {1, 200}, {16, 72}, {47, 128}, {64, 100}, {256, 256}, {300, 777}, {1100, 96}})
      QTest::addRow("%d rows, %d to %d", rows, inputs, outputs) << rows << inputs << outputs;
  }
}

}  // namespace

class TestCpuProducts : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { torch::manual_seed(1); }
  void productsAreExact_data() { addShapes(); }
  void productsAreExact();
  void everyRowIsReportedOnceWhenComplete();
  void threadsChangeNoBit();
  void stepsMultiplyFewRows();
  void gradientsAreExact_data();
  void gradientsAreExact();
  void roundedProductsAreExact_data() { addShapes(); }
  void roundedProductsAreExact();
  void whatIsNotANumberStaysThat();
};

void TestCpuProducts::productsAreExact() {
  QFETCH(int, rows);
  QFETCH(int, inputs);
  QFETCH(int, outputs);
  const Tensor bias = torch::randn({outputs});
  for (const bool apart : {false, true}) {
    const auto matrix = apart ? part : values;
    const Tensor x = matrix(rows, inputs), weight = matrix(outputs, inputs),
                 turned = matrix(inputs, outputs).t(), wanted = exact(x, weight.t());
    QVERIFY(near(cpu::timesTransposed(x, weight), wanted, inputs));
    QVERIFY(near(cpu::timesTransposed(x, turned), exact(x, turned.t()), inputs));
    QVERIFY(near(cpu::timesTransposed(x, weight, {.bias = bias}), wanted + bias, inputs));
    const Tensor sum = matrix(rows, outputs), before = sum.clone();
    cpu::timesTransposed(x, weight, {.bias = bias, .out = sum, .adds = true});
    QVERIFY(near(sum, before + wanted + bias, inputs));
  }
}

void TestCpuProducts::everyRowIsReportedOnceWhenComplete() {
  for (const int rows : {5, 64, 1000}) {
    const Tensor x = values(rows, 96), weight = values(130, 96), wanted = exact(x, weight.t());
    const Tensor out = torch::full({rows, 130}, NAN);
    std::vector<int> seen(static_cast<std::size_t>(rows));
    std::mutex mutex;
    cpu::timesTransposed(x, weight,
                         {.out = out, .done = [&](std::int64_t begin, std::int64_t end) {
                            const std::scoped_lock lock(mutex);
                            for (std::int64_t r = begin; r < end; ++r) {
                              ++seen[static_cast<std::size_t>(r)];
                              for (int c = 0; c < 130; ++c)
                                QVERIFY(!std::isnan(out.const_data_ptr<float>()[r * 130 + c]));
                            }
                          }});
    QVERIFY(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
    QVERIFY(near(out, wanted, 96));
  }
}

void TestCpuProducts::threadsChangeNoBit() {
  const Tensor x = values(700, 200), weight = values(300, 200);
  const int before = at::get_num_threads();
  const Tensor wide = values(700, 311), narrow = values(700, 48);
  std::vector<Tensor> products, roundedProducts, gradients, ofWide, ofNarrow;
  for (const int threads : {1, 2, 3}) {
    at::set_num_threads(threads);
    products.push_back(cpu::timesTransposed(x, weight));
    ofWide.push_back(gradient(wide, narrow));
    ofNarrow.push_back(gradient(narrow, wide));
    const ArithmeticScope scope(kBf16);
    roundedProducts.push_back(cpu::timesTransposed(x, weight));
    gradients.push_back(gradient(products[0], x));
  }
  at::set_num_threads(before);
  for (const auto& same : {products, roundedProducts, gradients, ofWide, ofNarrow}) {
    for (std::size_t i = 1; i < same.size(); ++i) QVERIFY(same[i].equal(same[0]));
  }
}

void TestCpuProducts::stepsMultiplyFewRows() {
  const Tensor weight = values(130, 70), x = values(11, 70), back = values(11, 130);
  const cpu::Factor forward(weight), backward(weight.t());
  const Tensor out = torch::full({11, 130}, NAN), sum = values(11, 70), before = sum.clone();
  forward.times(x, {.out = out});
  QVERIFY(near(out, exact(x, weight.t()), 70));
  backward.addTo(sum, back);
  QVERIFY(near(sum, before + exact(back, weight), 130));
}

// Blocks of 256 rows and a remainder; one of the factors narrow or none, with whole vectors of
// columns or not; groups of 128 columns of the wider one and a remainder.
void TestCpuProducts::gradientsAreExact_data() {
  QTest::addColumn<int>("rows");
  QTest::addColumn<int>("outputs");
  QTest::addColumn<int>("inputs");
  for (const int rows : {127, 128, 256, 259, 1025}) {
    for (const auto& [outputs, inputs] : std::vector<std::pair<int, int>>{
             {128, 16}, {301, 256}, {256, 555}, {48, 48}, {64, 1000}, {640, 100}, {300, 512}}) {
      QTest::addRow("%d rows, %d by %d", rows, outputs, inputs) << rows << outputs << inputs;
    }
  }
}
void TestCpuProducts::gradientsAreExact() {
  QFETCH(int, rows);
  QFETCH(int, outputs);
  QFETCH(int, inputs);
  for (const auto matrix : {values, part}) {
    const Tensor grad = matrix(rows, outputs), x = matrix(rows, inputs),
                 wanted = exact(grad.t(), x), out = matrix(outputs, inputs);
    cpu::multiplyGradient(grad, x, out);
    QVERIFY(near(out, wanted, rows));
    cpu::multiplyGradient(grad, x, out, /*adds=*/true);
    QVERIFY(near(out, 2 * wanted, 2 * rows));
  }
}

// Sums are those of the rounded factors, whose products are exact in float32.
void TestCpuProducts::roundedProductsAreExact() {
  QFETCH(int, rows);
  QFETCH(int, inputs);
  QFETCH(int, outputs);
  const ArithmeticScope scope(kBf16);
  const Tensor bias = torch::randn({outputs});
  for (const auto matrix : {values, part}) {
    const Tensor x = matrix(rows, inputs), weight = matrix(outputs, inputs),
                 turned = matrix(inputs, outputs).t(), grad = matrix(rows, outputs),
                 wanted = exact(rounded(x), rounded(weight).t());
    const cpu::Factor factor(weight);
    QVERIFY(near(factor.times(x, {.bias = bias}), wanted + bias, inputs));
    QVERIFY(near(cpu::Factor(turned).times(x), exact(rounded(x), rounded(turned).t()), inputs));
    const Tensor sum = matrix(rows, outputs), before = sum.clone();
    factor.addTo(sum, x);
    QVERIFY(near(sum, before + wanted, inputs));
    if (rows >= 64) QVERIFY(near(cpu::timesTransposed(x, weight), wanted, inputs));
    const Tensor gradient = exact(rounded(grad).t(), rounded(x)), out = matrix(outputs, inputs);
    cpu::multiplyGradient(grad, x, out);
    QVERIFY(near(out, gradient, rows));
    cpu::multiplyGradient(grad, x, out, /*adds=*/true);
    QVERIFY(near(out, 2 * gradient, 2 * rows));
  }
}

void TestCpuProducts::whatIsNotANumberStaysThat() {
  const ArithmeticScope scope(kBf16);
  const Tensor x = values(70, 40), weight = values(50, 40);
  x[3][7] = std::numeric_limits<float>::infinity();
  x[5][6] = std::bit_cast<float>(0x7f800001);  // the upper half of this NaN is that of infinity
  const Tensor y = cpu::timesTransposed(x, weight);
  QVERIFY(y[3].isfinite().logical_not().all().item<bool>());
  QVERIFY(y[5].isnan().all().item<bool>());
  QCOMPARE(y.isfinite().sum().item<std::int64_t>(), 68 * 50);
  const Tensor gradient = torch::empty({50, 40});
  cpu::multiplyGradient(y, x, gradient);
  QVERIFY(gradient.isnan().all().item<bool>());
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestCpuProducts)
#include "test_cpu_products.moc"
