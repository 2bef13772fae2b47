// The state of incremental decoding that all models' states derive from.
#include <QtTest>
#ifndef Q_MOC_RUN
#include <torch/types.h>
#endif

#include "core/nn/decoder_cache.h"
#include "tests/program.h"

namespace strata {
namespace {

using torch::Tensor;

// Tensors with their rows along different axes, and one that is not there.
struct ThreeTensors : RowState {
  using RowState::RowState;
  Tensor first_RD, second_DR, missing, begun_DB;

 protected:
  std::vector<RowTensor> rowTensors() override {
    return {{first_RD, {}}, {missing, {}}, {second_DR, begun_DB, 1}};
  }
};

}  // namespace

class TestRowState : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void tensorsFollowTheirRows();
  void rowsKeepTheirSentences();
  void rowsBeginWhileOthersGoOn();
};

// Row i continues row rows[i]; rows are moved, repeated and dropped.
void TestRowState::tensorsFollowTheirRows() {
  ThreeTensors state(3);
  state.first_RD = torch::tensor({{1, 2}, {3, 4}, {5, 6}});
  state.second_DR = state.first_RD.t().contiguous();
  state.reorder(torch::tensor({2, 0, 0, 1}));
  const Tensor expected = torch::tensor({{5, 6}, {1, 2}, {1, 2}, {3, 4}});
  QVERIFY(torch::equal(state.first_RD, expected));
  QVERIFY(torch::equal(state.second_DR, expected.t()));
  QVERIFY(!state.missing.defined());
  QCOMPARE(state.rows(), std::int64_t{4});
  state.reorder(torch::tensor({std::int64_t{3}}));
  QVERIFY(torch::equal(state.first_RD, torch::tensor({{3, 4}})));
  QVERIFY(torch::equal(state.second_DR, torch::tensor({{3}, {4}})));
  QCOMPARE(state.rows(), std::int64_t{1});
}

// A state without tensors of its own still knows which sentence a row decodes, and where its
// earlier words were written.
void TestRowState::rowsKeepTheirSentences() {
  RowState state(2);
  state.backpointers.advance();
  state.reorder(torch::tensor({1, 1, 0}));
  QCOMPARE(state.rows(), std::int64_t{3});
  const std::vector<std::int32_t> expected{1, 1, 0};
  QVERIFY(state.backpointers.sentences() == expected);
  QVERIFY(state.backpointers.table() == expected);
}

// New rows have what their sentences begin with, and only the words that they are fed.
void TestRowState::rowsBeginWhileOthersGoOn() {
  ThreeTensors state(3);
  state.begun_DB = torch::tensor({{10, 20, 30}, {11, 21, 31}});
  state.first_RD = torch::tensor({{1, 2}, {3, 4}, {5, 6}});
  state.second_DR = state.begun_DB;
  state.reorder(torch::tensor({1}));
  for (int step = 0; step < 3; ++step) state.backpointers.advance();
  QVERIFY(torch::equal(state.backpointers.newest(torch::kCPU), torch::tensor({2})));
  QVERIFY(!state.backpointers.notYet(torch::kCPU).defined());
  state.admit(torch::tensor({2, 0}));
  QCOMPARE(state.rows(), std::int64_t{3});
  QVERIFY(torch::equal(state.first_RD, torch::tensor({{3, 4}, {0, 0}, {0, 0}})));
  QVERIFY(torch::equal(state.second_DR, torch::tensor({{20, 30, 10}, {21, 31, 11}})));
  QVERIFY(!state.missing.defined());
  const std::vector<std::int32_t> sentences{1, 2, 0};
  QVERIFY(state.backpointers.sentences() == sentences);
  state.backpointers.advance();
  QVERIFY(torch::equal(state.backpointers.newest(torch::kCPU), torch::tensor({3, 0, 0})));
  // The old row goes; a word is all that the others have.
  state.reorder(torch::tensor({2, 1, 1}));
  state.forget(1);
  QCOMPARE(state.backpointers.steps(), std::int64_t{1});
  QCOMPARE(state.backpointers.forgotten(), std::int64_t{3});
  QVERIFY(torch::equal(state.backpointers.newest(torch::kCPU), torch::tensor({0, 0, 0})));
  QVERIFY(!state.backpointers.notYet(torch::kCPU).any().item<bool>());
  const std::vector<std::int32_t> written{2, 1, 1};
  QVERIFY(state.backpointers.table() == written);
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestRowState)
#include "test_row_state.moc"
