// The state of incremental decoding that all models' states derive from.
#include <QtTest>
#ifndef Q_MOC_RUN
#include <torch/types.h>
#endif

#include "core/nn/decoder_cache.h"

namespace strata {
namespace {

using torch::Tensor;

// Tensors with their rows along different axes, and one that is not there.
struct ThreeTensors : RowState {
  using RowState::RowState;
  Tensor first_RD, second_DR, missing;

 protected:
  std::vector<RowTensor> rowTensors() override { return {{first_RD}, {missing}, {second_DR, 1}}; }
};

}  // namespace

class TestRowState : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void tensorsFollowTheirRows();
  void rowsKeepTheirSentences();
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

}  // namespace strata

QTEST_GUILESS_MAIN(strata::TestRowState)
#include "test_row_state.moc"
