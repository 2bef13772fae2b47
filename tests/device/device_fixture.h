// Shared by the tests on the counting device.
#pragma once
#include <QtTest>
#ifndef Q_MOC_RUN
#include <torch/types.h>
#endif

#include "device/counting_device.h"
#include "tests/fixture.h"

namespace strata::testing {

// The largest difference of any two elements, wherever the tensors are.
inline double largestDifference(const torch::Tensor& a, const torch::Tensor& b) {
  return (a.detach().to(torch::kCPU, torch::kFloat64) - b.detach().to(torch::kCPU, torch::kFloat64))
      .abs()
      .max()
      .item<double>();
}

}  // namespace strata::testing
