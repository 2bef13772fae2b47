#pragma once
#include <torch/torch.h>

#include <functional>

#include "core/base/json.h"

namespace strata {

// What an update asks of the host and of the device, by libtorch's profiler. `work` makes `updates`
// updates, the same ones each time, and returns when the device has made them. For one update:
// {operators: calls of libtorch's operators, with those that operators call; kernels of this
//  program are none,
//  launches: kernels that the device ran,
//  device_busy_ms: time in which it ran a kernel, copied or filled,
//  wall_ms: time of an update that nothing profiles,
//  idle_share: of wall_ms in which the device did nothing}.
// On a CPU, where operators are the device's own work, and where the profiler is not let to the
// device, launches, device_busy_ms and idle_share are null.
Json profileStep(const std::function<void()>& work, int updates, const torch::Device& device);

}  // namespace strata
