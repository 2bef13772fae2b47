// A device for tests: memory of the host behind libtorch's PrivateUse1, every operator computed by
// the CPU's kernels. is_cpu() is false and values are real, so code takes the paths that it takes
// on a GPU, and whatever the host would wait for there is counted.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <map>
#include <string>

namespace strata::testing {

// Registers the device with the first call. A tensor of the host with at least one dimension is
// refused next to one of the device.
torch::Device countingDevice();

// Limits the bytes of all its tensors together; 0: no limit. Beyond the limit allocation throws
// c10::OutOfMemoryError, as on a GPU.
void limitDeviceMemory(std::int64_t bytes);

// Transfers between host and device since the last call, from any thread.
struct DeviceTraffic {
  // Events at which the host waits for a GPU, by what causes them: "download", "upload" (of memory
  // that is not pinned), operators that hand a number to the host (_local_scalar_dense, which is
  // item(); equal; ...) and operators whose result's size depends on values (nonzero, ...).
  std::map<std::string, std::int64_t> waits;
  std::int64_t pinnedUploads = 0;  // nobody waits for these

  std::string text() const;  // "download 3, nonzero 1"; without waits: "none"
};
DeviceTraffic takeDeviceTraffic();

}  // namespace strata::testing
