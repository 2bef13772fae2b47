// Self-attention over the words so far, whose keys and values are kept.
#include <QtTest>
#ifndef Q_MOC_RUN
#include <torch/types.h>
#endif

#include "core/nn/arithmetic.h"
#include "core/nn/decoder_cache.h"
#include "core/nn/function_cpu.h"
#include "tests/nn/random_values.h"
#include "tests/program.h"

namespace strata {
namespace {

using torch::Tensor;

constexpr std::int64_t kHeads = 2, kHistoryWidth = 8;  // D

// The search of a sentence by step: the rows that it continues, before the words are fed.
const std::vector<std::vector<std::int64_t>> kRows{{0}, {0, 0, 0}, {2, 0, 1}, {1, 1}};

Tensor packedAt(std::size_t step) {
  const auto rows = static_cast<std::int64_t>(kRows[step].size());
  return torch::tensor(randomValues(rows * 3 * kHistoryWidth, static_cast<unsigned>(step)))
      .view({rows, 3 * kHistoryWidth});
}

struct Fed {
  Tensor packed_R3D, context_RD;
};

// `kernels`: whether they compute, by step.
std::vector<Fed> searched(const std::vector<bool>& kernels) {
  RowState state(1);
  HistoryCache history;
  std::vector<Fed> all;
  for (std::size_t step = 0; step < kRows.size(); ++step) {
    const ArithmeticScope scope({.kernels = kernels[step]});
    state.reorder(torch::tensor(kRows[step], torch::kInt64));
    state.backpointers.advance();
    const Tensor packed_R3D = packedAt(step);
    all.push_back({packed_R3D, history.attend(packed_R3D, state.backpointers, {kHeads})});
  }
  return all;
}

// Queries, keys and values [R, T, 3D] of each row's own words up to a step, put together anew.
Tensor pathsTo(std::size_t step) {
  std::vector<Tensor> rows;
  for (std::size_t r = 0; r < kRows[step].size(); ++r) {
    std::vector<Tensor> words;
    auto row = static_cast<std::int64_t>(r);
    for (std::size_t s = step + 1; s-- > 0;) {
      words.insert(words.begin(), packedAt(s)[row]);
      row = kRows[s][static_cast<std::size_t>(row)];
    }
    rows.push_back(torch::stack(words));
  }
  return torch::stack(rows);
}

Tensor plainContext(std::size_t step) {
  const ArithmeticScope plain({.kernels = false});
  const Tensor paths_RT3D = pathsTo(step);
  return attendRows(paths_RT3D.select(1, -1).narrow(1, 0, kHistoryWidth),
                    paths_RT3D.narrow(2, kHistoryWidth, 2 * kHistoryWidth), {}, {kHeads});
}

// The kernel over queries, keys and values where the products left them.
Tensor kernelContext(const std::vector<Fed>& all) {
  Backpointers backpointers(1);
  std::vector<const float*> slices;
  for (std::size_t step = 0; step < all.size(); ++step) {
    backpointers.reorder(torch::tensor(kRows[step], torch::kInt64));
    backpointers.advance();
    slices.push_back(all[step].packed_R3D.data_ptr<float>());
  }
  Tensor context_RD = torch::empty({backpointers.rows(), kHistoryWidth});
  kernels::StepArguments<float> a{};
  a.q = slices.back();
  a.qStride = a.sliceStride = 3 * kHistoryWidth;
  a.slices = slices.data();
  a.keyOffset = kHistoryWidth;
  a.valueOffset = 2 * kHistoryWidth;
  a.rowOf = backpointers.table().data();
  a.rows = backpointers.rows();
  a.keys = backpointers.steps();
  a.heads = kHeads;
  a.width = kHistoryWidth / kHeads;
  a.scale = 1 / std::sqrt(static_cast<double>(a.width));
  a.out = context_RD.data_ptr<float>();
  a.threads = at::get_num_threads();
  kernels::stepAttention(a);
  return context_RD;
}

}  // namespace

class TestHistoryCache : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void rowsAttendToTheirOwnWords_data();
  void rowsAttendToTheirOwnWords();
  void resultsAreThoseOfTheWholeProducts();
  void keysAndValuesAloneAreKept_data();
  void keysAndValuesAloneAreKept();
  void laterRowsAttendToTheirOwnWords_data();
  void laterRowsAttendToTheirOwnWords();
};

void TestHistoryCache::rowsAttendToTheirOwnWords_data() {
  QTest::addColumn<std::vector<bool>>("kernels");
  QTest::newRow("kernels") << std::vector<bool>{true, true, true, true};
  QTest::newRow("plain operators") << std::vector<bool>{false, false, false, false};
  QTest::newRow("kernels, plain operators twice, kernels")
      << std::vector<bool>{true, false, false, true};
}

void TestHistoryCache::rowsAttendToTheirOwnWords() {
  QFETCH(std::vector<bool>, kernels);
  const auto all = searched(kernels);
  for (std::size_t step = 0; step < all.size(); ++step)
    QVERIFY(torch::allclose(all[step].context_RD, plainContext(step), 1e-5, 1e-6));
}

// Bit for bit: only the place of keys and values differs.
void TestHistoryCache::resultsAreThoseOfTheWholeProducts() {
  const auto all = searched({true, true, true, true});
  QVERIFY(torch::equal(all.back().context_RD, kernelContext(all)));
  QVERIFY(torch::equal(searched({false, false, false, false}).back().context_RD,
                       plainContext(kRows.size() - 1)));
}

void TestHistoryCache::keysAndValuesAloneAreKept_data() {
  QTest::addColumn<bool>("kernels");
  QTest::newRow("kernels") << true;
  QTest::newRow("plain operators") << false;
}

// Nothing holds on to the memory of the products, which has the queries, too.
void TestHistoryCache::keysAndValuesAloneAreKept() {
  QFETCH(bool, kernels);
  const ArithmeticScope scope({.kernels = kernels});
  Backpointers backpointers(1);
  HistoryCache history;
  for (std::size_t step = 0; step < 3; ++step) {
    backpointers.advance();
    const Tensor packed_R3D = packedAt(0);
    const auto holders = packed_R3D.storage().use_count();
    history.attend(packed_R3D, backpointers, {kHeads});
    QCOMPARE(packed_R3D.storage().use_count(), holders);
  }
}

void TestHistoryCache::laterRowsAttendToTheirOwnWords_data() {
  QTest::addColumn<std::vector<bool>>("kernels");
  QTest::newRow("kernels") << std::vector<bool>(6, true);
  QTest::newRow("plain operators") << std::vector<bool>(6, false);
  QTest::newRow("in turns") << std::vector<bool>{true, false, true, false, true, true};
}

// Sentence 0 takes steps 0-2, sentence 1 steps 2-5, and sentence 2 steps 3-5, in rows that move.
// Each attends as it does by itself.
void TestHistoryCache::laterRowsAttendToTheirOwnWords() {
  QFETCH(std::vector<bool>, kernels);
  RowState state(3);
  HistoryCache history;
  std::vector<std::vector<Tensor>> fed(3);  // of each sentence
  std::vector<std::size_t> rows{0};         // sentences
  const auto keep = [&](const std::vector<std::int64_t>& places) {
    std::vector<std::size_t> kept;
    for (const std::int64_t place : places) kept.push_back(rows[static_cast<std::size_t>(place)]);
    rows = kept;
    state.reorder(torch::tensor(places, torch::kInt64));
  };
  const auto admit = [&](std::int64_t sentence) {
    rows.push_back(static_cast<std::size_t>(sentence));
    state.admit(torch::tensor({sentence}));
  };
  state.reorder(torch::tensor({0}, torch::kInt64));
  for (std::size_t step = 0; step < kernels.size(); ++step) {
    if (step == 2) admit(1);
    if (step == 3) {
      keep({1});
      state.forget(1);
      admit(2);
    }
    if (step == 4) keep({1, 0});
    const ArithmeticScope scope({.kernels = kernels[step]});
    state.backpointers.advance();
    const Tensor packed_R3D = torch::tensor(randomValues(std::ssize(rows) * 3 * kHistoryWidth,
                                                         static_cast<unsigned>(step)))
                                  .view({std::ssize(rows), 3 * kHistoryWidth});
    const Tensor context_RD = history.attend(packed_R3D, state.backpointers, {kHeads});
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const auto row = static_cast<std::int64_t>(r);
      std::vector<Tensor>& own = fed[rows[r]];
      own.push_back(packed_R3D[row]);
      const Tensor path_1T3D = torch::stack(own).unsqueeze(0);
      const ArithmeticScope plain({.kernels = false});
      const Tensor alone =
          attendRows(own.back().narrow(0, 0, kHistoryWidth).unsqueeze(0),
                     path_1T3D.narrow(2, kHistoryWidth, 2 * kHistoryWidth), {}, {kHeads});
      QVERIFY(torch::allclose(context_RD[row], alone[0], 1e-5, 1e-6));
    }
  }
  QCOMPARE(state.backpointers.steps(), std::int64_t{4});
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestHistoryCache)
#include "test_history_cache.moc"
