#pragma once
#include <torch/torch.h>

#include <cstdint>
#include <span>
#include <vector>

#include "core/data/batch.h"

namespace strata {

// One way to continue a live hypothesis.
struct Candidate {
  std::int64_t row = 0;  // of the step
  TokenId token = 0;
  double logProbability = 0;  // of the token
  double total = 0;           // of the hypothesis with it
  double handicap = 0;        // taken off the total in this step's choice only
};

// Better first: by total less handicap, then the earlier hypothesis, then the smaller id.
inline bool isBetter(const Candidate& a, const Candidate& b) {
  const double first = a.total - a.handicap, second = b.total - b.handicap;
  if (first != second) return first > second;
  return a.row != b.row ? a.row < b.row : a.token < b.token;
}

// Chooses words from one step's log-probabilities. On a GPU one transfer a step brings the few
// values that are needed.
class CandidateTable {
 public:
  static constexpr TokenId kFree = -1;

  // The `count` likeliest words of every row; <s> and <pad> are none. 0: only what the other
  // functions ask for. `forced`: the word that each row must continue with, or kFree; empty: all
  // rows are free.
  CandidateTable(const torch::Tensor& logProbabilities_RV, int count,
                 std::span<const TokenId> forced = {});

  // Appends a row's likeliest words, best first, equal ones by id.
  void best(std::int64_t row, double total, std::vector<Candidate>& out) const;
  // One given word of a row: the one that it must continue with, or any of a table with a count of
  // 0.
  Candidate given(std::int64_t row, TokenId token, double total) const;
  // A whole row, <s> and <pad> at -infinity; of a table with a count of 0.
  void copyRow(std::int64_t row, std::vector<double>& logProbabilities) const;

 private:
  torch::Tensor logProbabilities_RV_;
  int count_;
  std::vector<std::int32_t> words_;  // [rows, count]; -1: none
  std::vector<double> values_;       // beside words_
  std::vector<double> forced_;       // one a row of a table that stays on a GPU
};

}  // namespace strata
