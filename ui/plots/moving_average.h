#pragma once
#include <span>

namespace strata::ui {

// An exponential moving average with bias correction: s_n = sum_i w^(n-i) v_i / sum_i w^(n-i) over
// the finite values so far; NaN where a value is not finite.
class MovingAverage {
 public:
  explicit MovingAverage(double weight) : weight_(weight) {}  // 0 <= weight < 1

  // The averages at further values; `averages` has their size.
  void add(std::span<const double> values, std::span<double> averages);

 private:
  void addFinite(std::span<const double> values, std::span<double> averages);
  void addOne(double value, double& average);

  double weight_;
  double sum_ = 0, mass_ = 0;  // numerator and denominator after the last value
};

}  // namespace strata::ui
