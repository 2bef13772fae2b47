#include "core/nn/upload.h"

namespace strata {

torch::Tensor uploaded(const torch::Tensor& host, const torch::Device& device) {
  if (device.is_cpu()) return host;
  // From pageable memory every copy waits for the device's earlier work.
  return host.pin_memory().to(device, /*non_blocking=*/true);
}

SourceBatch uploaded(const SourceBatch& host, const torch::Device& device) {
  return {.ids_BS = uploaded(host.ids_BS, device),
          .lengths_B = uploaded(host.lengths_B, device),
          .padding_BS =
              host.padding_BS.defined() ? uploaded(host.padding_BS, device) : torch::Tensor{}};
}

}  // namespace strata
