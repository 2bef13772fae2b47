// Attention over cached keys and values against plain loops in float64.
#include <QtTest>
#include <cmath>
#include <random>
#include <vector>

#include "core/nn/kernels/kernels.h"
#include "tests/nn/random_values.h"
#include "tests/program.h"

using namespace strata::kernels;

class TestStepAttention : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void attentionIsThatOfPlainLoops_data();
  void attentionIsThatOfPlainLoops();
};

void TestStepAttention::attentionIsThatOfPlainLoops_data() {
  QTest::addColumn<int>("heads");
  QTest::addColumn<int>("width");
  for (const int heads : {1, 2, 4, 8, 12, 16}) {
    for (const int width : {5, 16, 32, 64, 128, 80})
      QTest::addRow("%d heads of %d", heads, width) << heads << width;
  }
}

// Every number of keys from one to eleven, of sentences with lengths and of histories.
void TestStepAttention::attentionIsThatOfPlainLoops() {
  QFETCH(int, heads);
  QFETCH(int, width);
  constexpr int kRows = 11, kKeys = 11, kSlices = 3;
  const int all = heads * width;
  const auto q = randomValues(kRows * all, 1), cached = randomValues(kKeys * kSlices * 2 * all, 2);
  std::vector<const float*> slices;
  for (int s = 0; s < kKeys; ++s) slices.push_back(cached.data() + s * kSlices * 2 * all);
  std::vector<std::int32_t> rowOf;
  std::mt19937 random(3);
  for (int i = 0; i < kRows * kKeys; ++i) rowOf.push_back(std::int32_t(random() % kSlices));
  const std::vector<std::int64_t> lengths{3, 11, 6};
  for (const bool history : {false, true}) {
    std::vector<float> out(std::size_t(kRows * all)),
        weights(std::size_t(kRows * heads * kKeys), 9);
    StepArguments<float> a{};
    a.q = q.data();
    a.qStride = all;
    a.slices = slices.data();
    a.sliceStride = 2 * all;
    a.valueOffset = all;
    a.rowOf = rowOf.data();
    a.lengths = history ? nullptr : lengths.data();
    a.rows = kRows;
    a.keys = kKeys;
    a.heads = heads;
    a.width = width;
    a.scale = 0.3;
    a.oneRowForAllKeys = !history;
    a.out = out.data();
    a.weights = weights.data();
    a.threads = 2;
    stepAttention(a);
    for (int r = 0; r < kRows; ++r) {
      const int keys = history ? kKeys : int(lengths[std::size_t(rowOf[std::size_t(r)])]);
      const auto place = [&](int s) {
        return slices[std::size_t(s)] + rowOf[std::size_t(history ? s * kRows + r : r)] * 2 * all;
      };
      for (int h = 0; h < heads; ++h) {
        std::vector<double> w(kKeys);
        double sum = 0;
        for (int s = 0; s < keys; ++s) {
          double dot = 0;
          for (int i = 0; i < width; ++i)
            dot += double(q[std::size_t(r * all + h * width + i)]) * place(s)[h * width + i];
          sum += w[std::size_t(s)] = std::exp(0.3 * dot);
        }
        for (int s = 0; s < kKeys; ++s) {
          w[std::size_t(s)] /= sum;
          QVERIFY(std::abs(weights[std::size_t((r * heads + h) * kKeys + s)] - w[std::size_t(s)]) <
                  1e-5);
        }
        for (int i = 0; i < width; ++i) {
          double wanted = 0;
          for (int s = 0; s < keys; ++s)
            wanted += w[std::size_t(s)] * place(s)[all + h * width + i];
          QVERIFY(std::abs(out[std::size_t(r * all + h * width + i)] - wanted) < 1e-5);
        }
      }
    }
  }
}

STRATA_APPLESS_TEST(TestStepAttention)
#include "test_step_attention.moc"
