#pragma once
#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace strata {

// How similar the levels of a stack are over many positions, from sums of products in float64: no
// activation is kept (docs/inside.md, "Similarity of layers"). N positions, D_l width of level l.
class LevelProducts {
 public:
  // The levels at further positions, [N, D_l] each. All calls have the same levels.
  void add(const std::vector<torch::Tensor>& levels_ND);

  // Linear CKA of two levels, 0 .. 1: |X^T Y|^2 / (|X^T X| |Y^T Y|) of centred columns, Frobenius
  // norms (Kornblith et al., ICML 2019). NaN if a level is constant.
  double similarity(std::size_t one, std::size_t other) const;
  // The mean over positions of the cosine of a level and the next; NaN if their widths differ.
  double cosineToNext(std::size_t level) const;

  std::size_t levels() const { return sums_D_.size(); }
  std::int64_t positions() const { return positions_; }
  std::int64_t width(std::size_t level) const { return sums_D_[level].size(0); }

 private:
  double normOfProduct(std::size_t one, std::size_t other) const;  // squared, of centred columns

  std::int64_t positions_ = 0;
  std::vector<torch::Tensor> shifts_D_;     // near the means: centring then cancels few digits
  std::vector<torch::Tensor> sums_D_;       // of what is left
  std::vector<torch::Tensor> products_DD_;  // X^T Y of levels one <= other, by rows
  std::vector<double> cosines_;             // sums
};

}  // namespace strata
