#include "core/train/batch_tensors.h"

#include <vector>

namespace strata {
namespace {

torch::Tensor onDevice(const torch::Tensor& host, const torch::Device& device) {
  if (!device.is_cuda()) return host;
  return host.pin_memory().to(device,
                              /*non_blocking=*/true);  // pageable memory would make the host wait
}

torch::Tensor matrixOf(const TokenMatrix& matrix) {
  return torch::from_blob(const_cast<std::int64_t*>(matrix.ids.data()),
                          {matrix.rows, matrix.columns}, torch::kInt64);
}

torch::Tensor lengthsOf(const TokenMatrix& matrix) {
  return torch::from_blob(const_cast<std::int64_t*>(matrix.lengths.data()), {matrix.rows},
                          torch::kInt64);
}

}  // namespace

BatchTensors tensorsOf(const Batch& batch, const torch::Device& device) {
  return {.source = makeSourceBatch(onDevice(matrixOf(batch.source), device),
                                    onDevice(lengthsOf(batch.source), device)),
          .targetIn_BT = onDevice(matrixOf(batch.targetIn), device),
          .targetOut_BT = onDevice(matrixOf(batch.targetOut), device)};
}

}  // namespace strata
