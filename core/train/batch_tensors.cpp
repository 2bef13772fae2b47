#include "core/train/batch_tensors.h"

#include "core/nn/upload.h"

namespace strata {
namespace {

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
  return {.source = makeSourceBatch(uploaded(matrixOf(batch.source), device),
                                    uploaded(lengthsOf(batch.source), device)),
          .targetIn_BT = uploaded(matrixOf(batch.targetIn), device),
          .targetOut_BT = uploaded(matrixOf(batch.targetOut), device)};
}

}  // namespace strata
