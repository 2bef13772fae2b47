#include "core/train/batch_tensors.h"

#include "core/nn/upload.h"

namespace strata {
namespace {

// Without a copy.
torch::Tensor viewOf(const std::vector<std::int64_t>& values, at::IntArrayRef shape) {
  return torch::from_blob(const_cast<std::int64_t*>(values.data()), shape, torch::kInt64);
}

}  // namespace

BatchTensors tensorsOf(const Batch& batch, const torch::Device& device) {
  const auto ids = [&](const TokenMatrix& matrix) {
    return uploaded(viewOf(matrix.ids, {matrix.rows, matrix.columns}), device);
  };
  return {
      .source = makeSourceBatch(
          ids(batch.source), uploaded(viewOf(batch.source.lengths, {batch.source.rows}), device)),
      .targetIn_BT = ids(batch.targetIn),
      .targetOut_BT = ids(batch.targetOut)};
}

}  // namespace strata
