#include "core/decode/level_products.h"

#include <cmath>
#include <limits>
#include <utility>

namespace strata {

using torch::Tensor;

namespace {
// Of levels one <= other among all.
std::size_t placeOf(std::size_t one, std::size_t other, std::size_t levels) {
  return one * levels - one * (one + 1) / 2 + other;
}
}  // namespace

void LevelProducts::add(const std::vector<Tensor>& levels_ND) {
  const std::size_t count = levels_ND.size();
  if (sums_D_.empty()) {
    for (const Tensor& level_ND : levels_ND) {
      shifts_D_.push_back(level_ND.to(torch::kFloat64).mean(0));
      sums_D_.push_back(torch::zeros_like(shifts_D_.back()));
    }
    for (std::size_t one = 0; one < count; ++one) {
      for (std::size_t other = one; other < count; ++other)
        products_DD_.push_back(torch::zeros({sums_D_[one].size(0), sums_D_[other].size(0)},
                                            sums_D_.front().options()));
    }
    cosines_.assign(count, 0);
  }
  positions_ += levels_ND.front().size(0);
  std::vector<Tensor> shifted_ND;
  for (std::size_t l = 0; l < count; ++l) {
    shifted_ND.push_back(levels_ND[l].to(torch::kFloat64) - shifts_D_[l]);
    sums_D_[l] += shifted_ND[l].sum(0);
  }
  for (std::size_t one = 0; one < count; ++one) {
    for (std::size_t other = one; other < count; ++other)
      products_DD_[placeOf(one, other, count)].addmm_(shifted_ND[one].t(), shifted_ND[other]);
  }
  for (std::size_t l = 0; l + 1 < count; ++l) {
    if (width(l) != width(l + 1)) continue;
    const Tensor x_ND = levels_ND[l].to(torch::kFloat64),
                 y_ND = levels_ND[l + 1].to(torch::kFloat64);
    cosines_[l] += torch::cosine_similarity(x_ND, y_ND, 1, 1e-30).sum().item<double>();
  }
}

double LevelProducts::normOfProduct(std::size_t one, std::size_t other) const {
  const Tensor mean_DD = torch::outer(sums_D_[one], sums_D_[other]) / double(positions_);
  return (products_DD_[placeOf(one, other, levels())] - mean_DD).square().sum().item<double>();
}

double LevelProducts::similarity(std::size_t one, std::size_t other) const {
  if (one > other) std::swap(one, other);
  const double own = normOfProduct(one, one) * normOfProduct(other, other);
  if (!(own > 0)) return std::numeric_limits<double>::quiet_NaN();
  return normOfProduct(one, other) / std::sqrt(own);
}

double LevelProducts::cosineToNext(std::size_t level) const {
  if (level + 1 >= levels() || width(level) != width(level + 1))
    return std::numeric_limits<double>::quiet_NaN();
  return cosines_[level] / double(positions_);
}

}  // namespace strata
