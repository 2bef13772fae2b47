// Products with panels against plain loops. Where the processor lacks their instructions nothing is
// to be tested: libtorch's products are used instead.
#include <QtTest>
#ifndef Q_MOC_RUN
#include <c10/util/BFloat16.h>
#endif

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "core/nn/kernels/panels.h"
#include "tests/nn/random_values.h"
#include "tests/program.h"

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

// Rounded by libtorch.
std::vector<float> roundedToBf16(std::vector<float> values) {
  for (float& value : values) value = static_cast<float>(c10::BFloat16(value));
  return values;
}

std::vector<Bf16Pair> packedAsBf16(const std::vector<float>& weight, const PanelShape& shape) {
  std::vector<Bf16Pair> panels(static_cast<std::size_t>(bf16PanelPairs(shape)));
  packBf16Panels({weight.data(), shape.inner}, shape, panels.data(), 2);
  return panels;
}

}  // namespace

class TestWeightPanels : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void productsAreThoseOfPlainLoops_data();
  void productsAreThoseOfPlainLoops();
  void storedEitherWayPanelsAreTheSame();
  void rowsAndThreadsChangeNoBit();
  void outputsAreFinished();
  void bf16IsTheProductOfRoundedWeights_data();
  void bf16IsTheProductOfRoundedWeights();
  void weightsAreRoundedToTheNearestBf16();
  void anOddInputReadsNoOtherRow();
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

// A matrix whose columns are next to each other in memory, and one whose inputs are.
void TestWeightPanels::storedEitherWayPanelsAreTheSame() {
  if (!hasPanels()) return;
  for (const auto& [columns, inner] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {1, 1}, {17, 15}, {48, 16}, {70, 33}, {97, 513}}) {
    const PanelShape shape{columns, inner};
    const auto byColumn = randomValues(columns * inner, 3);
    std::vector<float> byInput(byColumn.size());
    for (std::int64_t c = 0; c < columns; ++c) {
      for (std::int64_t i = 0; i < inner; ++i)
        byInput[std::size_t(i * columns + c)] = byColumn[std::size_t(c * inner + i)];
    }
    std::vector<float> panels(std::size_t(panelValues(shape)), 9), same(panels.size(), 8);
    packPanels({byColumn.data(), inner, 1}, shape, panels.data(), 2);
    packPanels({byInput.data(), 1, columns}, shape, same.data(), 1);
    QVERIFY(panels == same);
    std::vector<Bf16Pair> pairs(std::size_t(bf16PanelPairs(shape)), 9), samePairs(pairs.size(), 8);
    packBf16Panels({byColumn.data(), inner, 1}, shape, pairs.data(), 2);
    packBf16Panels({byInput.data(), 1, columns}, shape, samePairs.data(), 1);
    QVERIFY(pairs == samePairs);
  }
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

void TestWeightPanels::bf16IsTheProductOfRoundedWeights_data() {
  QTest::addColumn<int>("columns");
  QTest::addColumn<int>("inner");
  for (const auto& [columns, inner] : std::vector<std::pair<int, int>>{
           {1, 1}, {16, 5}, {47, 32}, {48, 64}, {49, 7}, {97, 513}, {100, 1025}, {512, 1100}})
    QTest::addRow("%d x %d", columns, inner) << columns << inner;
}

// Bit for bit, with few rows and with many, and whatever becomes of the sums.
void TestWeightPanels::bf16IsTheProductOfRoundedWeights() {
  if (!hasPanels()) return;
  QFETCH(int, columns);
  QFETCH(int, inner);
  constexpr int kMostRows = 530;
  const PanelShape shape{columns, inner};
  const auto x = randomValues(kMostRows * inner, 1), weight = randomValues(columns * inner, 2),
             bias = randomValues(columns, 3), before = randomValues(kMostRows * columns, 4);
  const auto pairs = packedAsBf16(weight, shape);
  std::vector<float> panels(std::size_t(panelValues(shape)));
  packPanels({roundedToBf16(weight).data(), inner}, shape, panels.data(), 2);
  std::vector<int> counts{130, kMostRows};
  for (int rows = 1; rows <= 20; ++rows) counts.push_back(rows);
  for (const int rows : counts) {
    for (const bool finished : {false, true}) {
      auto wanted = before, out = before;
      PanelOutput output{.out = wanted.data(), .stride = columns};
      if (finished) output.bias = bias.data(), output.relu = output.adds = true;
      multiplyPanels({x.data(), rows, inner}, panels.data(), shape, output, 1);
      for (const int threads : {1, 2, 3}) {
        out = before;
        output.out = out.data();
        multiplyBf16Panels({x.data(), rows, inner}, pairs.data(), shape, output, threads);
        QVERIFY2(out == wanted, qPrintable(QString("%1 rows, %2 threads").arg(rows).arg(threads)));
      }
    }
  }
}

// bf16 has 7 bits after the first: 1 is followed by 1 + 2^-7, and halves go to the even number.
void TestWeightPanels::weightsAreRoundedToTheNearestBf16() {
  if (!hasPanels()) return;
  constexpr float kStep = 1.0F / 128, kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<std::pair<float, float>> expected{
      {1, 1},
      {1 + kStep / 2, 1},
      {1 + kStep * 0.501F, 1 + kStep},
      {1 + kStep * 1.5F, 1 + 2 * kStep},
      {-1 - kStep * 1.5F, -1 - 2 * kStep},
      {std::numeric_limits<float>::max(), kInfinity},
      {-kInfinity, -kInfinity},
      {std::bit_cast<float>(0x7f800001), std::nanf("")},  // its upper half is that of infinity
      {std::bit_cast<float>(0xffffffff), std::nanf("")}};
  std::vector<float> weight;
  for (const auto& [value, rounded] : expected) weight.push_back(value);
  const PanelShape shape{std::ssize(weight), 1};
  std::vector<float> out(weight.size());
  const float one = 1;
  multiplyBf16Panels({&one, 1, 1}, packedAsBf16(weight, shape).data(), shape,
                     {.out = out.data(), .stride = shape.columns}, 1);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const float wanted = expected[i].second;
    QVERIFY2(std::isnan(wanted) ? std::isnan(out[i]) : out[i] == wanted,
             qPrintable(QString::number(i)));
  }
}

// Inputs are multiplied in pairs; what follows a row with an odd number of them is not its own.
void TestWeightPanels::anOddInputReadsNoOtherRow() {
  if (!hasPanels()) return;
  constexpr int kInner = 3;
  const PanelShape shape{1, kInner};
  const std::vector<float> x{1, 2, 3, std::nanf(""), 5, 6}, weight{10, 100, 1000};
  std::vector<float> out(2);
  multiplyBf16Panels({x.data(), 2, kInner}, packedAsBf16(weight, shape).data(), shape,
                     {.out = out.data(), .stride = 1}, 1);
  QCOMPARE(out[0], 3210.0F);
  QVERIFY(std::isnan(out[1]));
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

STRATA_APPLESS_TEST(TestWeightPanels)
#include "test_weight_panels.moc"
