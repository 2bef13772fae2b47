#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/distributed/gpu_sums.h"
#include "core/distributed/process_group.h"

namespace strata {

// What a process says of its device.
struct GpuCard {
  std::string device;  // "cuda:0"
  std::string nccl;    // GpuSums::version; empty: none
  std::string gpu;     // GpuSums::addressOf; empty: none
  std::string host;
};
// Why processes, by rank, cannot sum from GPU to GPU: NCCL wants a GPU for each, and the same
// version. Empty: they can.
std::string obstacleToGpuSums(const std::vector<GpuCard>& cards);

struct GpuConnection {
  std::unique_ptr<GpuSums> sums;  // null: there can be none
  std::string how;                // for people: see ProcessGroup::connectGpus
};

// Connects the GPUs of all processes, each of which calls this with its own, and tries whether they
// sum rightly; all come to the same result. `look` is called twice a second while this waits, and
// throws once a process is lost.
GpuConnection connectGpus(ProcessGroup& group, const torch::Device& device,
                          const std::function<void()>& look);

}  // namespace strata
