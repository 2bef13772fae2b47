#pragma once
#include <torch/types.h>

#include <cstdint>
#include <span>
#include <vector>

#include "core/data/batch.h"

namespace strata {

// One way to continue an active hypothesis.
struct Candidate {
  std::int64_t row = 0;  // of the step
  TokenId token = 0;
  double logProbability = 0;    // of the token
  double total = 0;             // of the extended hypothesis
  double diversityPenalty = 0;  // subtracted from the total for this step's choice only
};

// Better first: by total minus diversityPenalty, then the earlier hypothesis, then the smaller id.
inline bool isBetter(const Candidate& a, const Candidate& b) {
  const double first = a.total - a.diversityPenalty, second = b.total - b.diversityPenalty;
  if (first != second) return first > second;
  return a.row != b.row ? a.row < b.row : a.token < b.token;
}

// The `count` most likely words of every row, in libtorch's operators, best first: values and
// columns [R, count]. <s> and <pad>, which no hypothesis may contain, are at -infinity.
struct TopWords {
  torch::Tensor values_RC, columns_RC;
};
TopWords topWords(const torch::Tensor& logProbabilities_RV, std::int64_t count);

// Chooses words from one step's log-probabilities. On a GPU, one transfer per step fetches the few
// values that are needed.
class CandidateTable {
 public:
  static constexpr TokenId kFree = -1;

  // The `count` most likely words of every row, without <s> and <pad>. 0: only what the other
  // functions need. `forced`: the word that each row must continue with, or kFree; empty: all rows
  // are free. `ids`: the words of the columns, ascending, with all special ones; empty: the whole
  // vocabulary. Outlive the table.
  CandidateTable(const torch::Tensor& logProbabilities_RV, int count,
                 std::span<const TokenId> forced = {}, std::span<const TokenId> ids = {});

  // Appends a row's most likely words, best first, ties by id.
  void best(std::int64_t row, double total, std::vector<Candidate>& out) const;
  // One given word of a row: its forced word, or any word if the table's count is 0.
  Candidate given(std::int64_t row, TokenId token, double total) const;
  // A row by ids, with <s>, <pad> and words without a column at -infinity; only if the table's
  // count is 0.
  void copyRow(std::int64_t row, std::vector<double>& logProbabilities) const;

 private:
  template <typename T>
  void chooseOnCpu();
  // Values and ids, and the values of forced words, in one transfer.
  void chooseOnDevice(std::span<const TokenId> forced);

  TokenId idOf(std::int64_t column) const;
  std::int64_t columnOf(TokenId id) const;

  torch::Tensor logProbabilities_RV_;
  int count_;
  std::span<const TokenId> ids_;       // of the columns; empty: the columns' numbers
  std::vector<std::int32_t> columns_;  // [rows, count]; -1: none
  std::vector<double> values_;         // of columns_
  std::vector<double> forced_;         // one per row, if the table stays on a GPU
};

}  // namespace strata
