#pragma once
#include <torch/types.h>

#include <cstdint>
#include <random>
#include <vector>

// Normally distributed values, the same for the same seed.
inline std::vector<float> randomValues(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = normal(random);
  return values;
}

inline const auto kDouble = torch::dtype(torch::kFloat64);

// With a gradient.
inline torch::Tensor drawnDoubles(at::IntArrayRef shape) {
  return torch::randn(shape, kDouble).requires_grad_(true);
}

inline double largestDifference(const torch::Tensor& a, const torch::Tensor& b) {
  return (a - b).abs().max().item<double>();
}
