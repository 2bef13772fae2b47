#pragma once
#include <torch/types.h>

#include <functional>

#include "core/base/json.h"

namespace strata {

// Host and device work of an update, measured by libtorch's profiler. `work` runs `updates`
// updates, the same ones each time, and returns when the device has finished. Per update:
// {operators: calls of libtorch operators, nested ones included, this program's own kernels not,
//  launches: kernels that the device ran,
//  device_busy_ms: time in which it ran a kernel, copied or filled,
//  wall_ms: time of an update without the profiler,
//  idle_share: share of wall_ms in which the device was idle,
//  kernels: those that took longest, copies and fills included: {name, ms, launches} each}.
// On a CPU, and if the profiler has no access to the device, launches, device_busy_ms and
// idle_share are null and kernels is empty.
Json profileStep(const std::function<void()>& work, int updates, const torch::Device& device);

}  // namespace strata
