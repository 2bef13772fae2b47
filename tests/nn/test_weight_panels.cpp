// Products with panels against plain loops. Where the processor lacks their instructions nothing is
// to be tested: libtorch's products are used instead.
#include <QtTest>
#include <cmath>
#include <vector>

#include "core/nn/kernels/panels.h"
#include "tests/nn/random_values.h"

using namespace strata::kernels;

namespace {

// x W^T of x [rows, inner] and W [columns, inner].
std::vector<double> plainProduct(const std::vector<float>& x, const std::vector<float>& weight,
                                 const PanelShape& shape) {
  const auto inner = static_cast<std::size_t>(shape.inner);
  std::vector<double> sums;
  for (std::size_t r = 0; r < x.size() / inner; ++r) {
    for (std::size_t c = 0; c < weight.size() / inner; ++c) {
      double sum = 0;
      for (std::size_t i = 0; i < inner; ++i)
        sum += double(x[r * inner + i]) * weight[c * inner + i];
      sums.push_back(sum);
    }
  }
  return sums;
}

struct Packed {
  std::vector<std::int8_t> values;
  std::vector<float> scales;
  std::vector<std::int32_t> offsets;

  Packed(const std::vector<float>& weight, const PanelShape& shape)
      : values(static_cast<std::size_t>(int8PanelValues(shape))),
        scales(static_cast<std::size_t>(shape.columns)),
        offsets(scales.size()) {
    packInt8Panels(weight.data(), shape, {values.data(), scales.data(), offsets.data()});
  }
  Int8Panels panels() const { return {values.data(), scales.data(), offsets.data()}; }
};

struct Quantised {
  std::vector<std::uint8_t> values;
  std::vector<float> scales;

  Quantised(const std::vector<float>& x, std::int64_t inner, int threads = 1) {
    const std::int64_t rows = std::ssize(x) / inner;
    values.resize(static_cast<std::size_t>(rows * int8Inner(inner)));
    scales.resize(static_cast<std::size_t>(rows));
    quantiseRows(x.data(), rows, inner, {values.data(), scales.data()}, threads);
  }
};

// What a row or column of float32 becomes: whole numbers in [-127, 127], and their unit.
struct Whole {
  double unit = 0;
  std::vector<int> numbers;

  explicit Whole(const float* values, std::int64_t count) {
    double top = 0;
    for (std::int64_t i = 0; i < count; ++i) top = std::max(top, std::abs(double(values[i])));
    unit = top / 127;
    for (std::int64_t i = 0; i < count; ++i)
      numbers.push_back(unit > 0 ? int(std::lround(values[i] / unit)) : 0);
  }
};

}  // namespace

class TestWeightPanels : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void productsAreThoseOfPlainLoops_data();
  void productsAreThoseOfPlainLoops();
  void rowsAndThreadsChangeNoBit();
  void outputsAreFinished();
  void int8IsTheProductOfWholeNumbers_data();
  void int8IsTheProductOfWholeNumbers();
  void int8RowsAndThreadsChangeNoBit();
  void strangeNumbersAreNotHidden();
};

void TestWeightPanels::productsAreThoseOfPlainLoops_data() {
  QTest::addColumn<int>("rows");
  QTest::addColumn<int>("columns");
  QTest::addColumn<int>("inner");
  for (const int rows : {1, 2, 3, 4, 5, 6, 7, 8, 9, 130}) {
    for (const auto& [columns, inner] : std::vector<std::pair<int, int>>{
             {1, 1}, {16, 5}, {47, 32}, {48, 64}, {49, 7}, {97, 513}, {512, 1100}})
      QTest::addRow("%d x %d x %d", rows, columns, inner) << rows << columns << inner;
  }
}

void TestWeightPanels::productsAreThoseOfPlainLoops() {
  if (!hasPanels()) return;
  QFETCH(int, rows);
  QFETCH(int, columns);
  QFETCH(int, inner);
  const PanelShape shape{columns, inner};
  const auto x = randomValues(rows * inner, 1), weight = randomValues(columns * inner, 2);
  std::vector<float> panels(std::size_t(panelValues(shape))), out(std::size_t(rows * columns), 9);
  packPanels({weight.data(), shape.inner}, shape, panels.data(), 2);
  multiplyPanels({x.data(), rows, inner}, panels.data(), shape,
                 {.out = out.data(), .stride = columns}, 2);
  const auto wanted = plainProduct(x, weight, shape);
  const double allowed = 1e-6 * inner;  // sums of values of about 1
  for (std::size_t i = 0; i < wanted.size(); ++i)
    QVERIFY2(std::abs(out[i] - wanted[i]) <= allowed, qPrintable(QString::number(i)));
}

void TestWeightPanels::rowsAndThreadsChangeNoBit() {
  if (!hasPanels()) return;
  const PanelShape shape{100, 700};
  const auto x = randomValues(150 * 700, 1), weight = randomValues(100 * 700, 2);
  std::vector<float> panels(std::size_t(panelValues(shape))), all(150 * 100), one(100), three(all);
  packPanels({weight.data(), shape.inner}, shape, panels.data(), 2);
  multiplyPanels({x.data(), 150, 700}, panels.data(), shape, {.out = all.data(), .stride = 100}, 1);
  multiplyPanels({x.data(), 150, 700}, panels.data(), shape, {.out = three.data(), .stride = 100},
                 3);
  QVERIFY(all == three);
  for (const int row : {0, 7, 149}) {
    multiplyPanels({x.data() + row * 700, 1, 700}, panels.data(), shape,
                   {.out = one.data(), .stride = 100}, 1);
    QVERIFY(std::equal(one.begin(), one.end(), all.begin() + row * 100));
  }
}

// Bias, ReLU, addition to what is there, and rows with a distance; nothing else is written.
void TestWeightPanels::outputsAreFinished() {
  if (!hasPanels()) return;
  constexpr int kRows = 11, kColumns = 50, kInner = 600, kStride = 60;
  const PanelShape shape{kColumns, kInner};
  const auto x = randomValues(kRows * kInner, 1), weight = randomValues(kColumns * kInner, 2),
             bias = randomValues(kColumns, 3), before = randomValues(kRows * kStride, 4);
  std::vector<float> panels(std::size_t(panelValues(shape)));
  packPanels({weight.data(), shape.inner}, shape, panels.data(), 2);
  const auto product = plainProduct(x, weight, shape);
  for (const bool adds : {false, true}) {
    std::vector<float> out = before;
    multiplyPanels(
        {x.data(), kRows, kInner}, panels.data(), shape,
        {.out = out.data(), .stride = kStride, .bias = bias.data(), .relu = true, .adds = adds}, 2);
    for (int r = 0; r < kRows; ++r) {
      for (int c = 0; c < kStride; ++c) {
        const std::size_t at = std::size_t(r * kStride + c);
        if (c >= kColumns) {
          QCOMPARE(out[at], before[at]);
          continue;
        }
        const double sum =
            product[std::size_t(r * kColumns + c)] + bias[std::size_t(c)] + (adds ? before[at] : 0);
        QVERIFY(std::abs(out[at] - std::max(0.0, sum)) < 1e-3);
      }
    }
  }
}

void TestWeightPanels::int8IsTheProductOfWholeNumbers_data() {
  productsAreThoseOfPlainLoops_data();
}

void TestWeightPanels::int8IsTheProductOfWholeNumbers() {
  if (!hasInt8Panels()) return;
  QFETCH(int, rows);
  QFETCH(int, columns);
  QFETCH(int, inner);
  const PanelShape shape{columns, inner};
  const auto x = randomValues(rows * inner, 1), weight = randomValues(columns * inner, 2);
  const Packed packed(weight, shape);
  const Quantised inputs(x, inner);
  std::vector<float> out(std::size_t(rows * columns));
  multiplyInt8Panels({inputs.values.data(), inputs.scales.data()}, rows, packed.panels(), shape,
                     {.out = out.data(), .stride = columns}, 2);
  for (int r = 0; r < rows; ++r) {
    const Whole input(x.data() + r * inner, inner);
    for (int c = 0; c < columns; ++c) {
      const Whole unit(weight.data() + c * inner, inner);
      std::int64_t sum = 0;
      for (int i = 0; i < inner; ++i)
        sum += input.numbers[std::size_t(i)] * unit.numbers[std::size_t(i)];
      // Halves may be rounded either way: a few of the numbers may differ by one.
      const double wanted = double(sum) * input.unit * unit.unit,
                   allowed = 1e-6 * std::abs(wanted) + 2 * 127 * input.unit * unit.unit;
      QVERIFY2(std::abs(out[std::size_t(r * columns + c)] - wanted) <= allowed,
               qPrintable(QString("%1, %2").arg(r).arg(c)));
    }
  }
}

void TestWeightPanels::int8RowsAndThreadsChangeNoBit() {
  if (!hasInt8Panels()) return;
  const PanelShape shape{100, 700};
  const auto x = randomValues(150 * 700, 1), weight = randomValues(100 * 700, 2);
  const Packed packed(weight, shape);
  const Quantised inputs(x, 700), threaded(x, 700, 3);
  QVERIFY(inputs.values == threaded.values && inputs.scales == threaded.scales);
  std::vector<float> all(150 * 100), one(100), three(all);
  const auto multiply = [&](int first, int rows, std::vector<float>& out, int threads) {
    multiplyInt8Panels({inputs.values.data() + first * 700, inputs.scales.data() + first}, rows,
                       packed.panels(), shape, {.out = out.data(), .stride = 100}, threads);
  };
  multiply(0, 150, all, 1);
  multiply(0, 150, three, 3);
  QVERIFY(all == three);
  multiply(77, 1, one, 1);
  QVERIFY(std::equal(one.begin(), one.end(), all.begin() + 77 * 100));
}

// Rows of zeros are zeros; what is not a number, or infinite, does not become one that looks right.
void TestWeightPanels::strangeNumbersAreNotHidden() {
  if (!hasInt8Panels()) return;
  const PanelShape shape{20, 40};
  auto x = randomValues(3 * 40, 1);
  const auto weight = randomValues(20 * 40, 2);
  std::fill_n(x.begin(), 40, 0.0F);
  x[40 + 17] = std::nanf("");
  x[80 + 39] = std::numeric_limits<float>::infinity();
  const Packed packed(weight, shape);
  const Quantised inputs(x, 40);
  std::vector<float> out(60, 1);
  multiplyInt8Panels({inputs.values.data(), inputs.scales.data()}, 3, packed.panels(), shape,
                     {.out = out.data(), .stride = 20}, 1);
  for (std::size_t c = 0; c < 20; ++c) {
    QCOMPARE(out[c], 0.0F);
    QVERIFY(std::isnan(out[20 + c]));
    QVERIFY(!std::isfinite(out[40 + c]));
  }
}

QTEST_APPLESS_MAIN(TestWeightPanels)
#include "test_weight_panels.moc"
