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

torch::Tensor vectorOf(const std::vector<std::int64_t>& values) {
  return torch::from_blob(const_cast<std::int64_t*>(values.data()), {std::ssize(values)},
                          torch::kInt64);
}

// Takes rows by their numbers. Each row is taken at most once, so that the gradient is a copy and
// no sum.
class TakeRows : public torch::autograd::Function<TakeRows> {
 public:
  static torch::Tensor forward(torch::autograd::AutogradContext* context,
                               const torch::Tensor& rows_RD, const torch::Tensor& numbers_N) {
    context->save_for_backward({numbers_N});
    context->saved_data["rows"] = rows_RD.size(0);
    return rows_RD.index_select(0, numbers_N);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const torch::Tensor& gradient_ND = gradients.front();
    const auto rows = context->saved_data["rows"].toInt();
    auto all_RD = torch::zeros({rows, gradient_ND.size(1)}, gradient_ND.options());
    all_RD.index_copy_(0, context->get_saved_variables().front(), gradient_ND);
    return {all_RD, torch::Tensor()};
  }
};

}  // namespace

BatchTensors tensorsOf(const Batch& batch, const torch::Device& device) {
  BatchTensors tensors;
  tensors.source = makeSourceBatch(onDevice(matrixOf(batch.source), device),
                                   onDevice(vectorOf(batch.source.lengths), device));
  tensors.targetIn_BT = onDevice(matrixOf(batch.targetIn), device);
  tensors.tokens = batch.targetTokens();
  const TokenMatrix& out = batch.targetOut;
  if (tensors.tokens == out.rows * out.columns) {
    tensors.words_N = onDevice(matrixOf(out), device).flatten();
    return tensors;
  }
  auto words_N = torch::empty({tensors.tokens}, torch::kInt64),
       positions_N = torch::empty_like(words_N);
  auto* word = words_N.data_ptr<std::int64_t>();
  auto* position = positions_N.data_ptr<std::int64_t>();
  for (std::int64_t row = 0; row < out.rows; ++row) {
    const std::int64_t first = row * out.columns,
                       length = out.lengths[static_cast<std::size_t>(row)];
    for (std::int64_t at = first; at < first + length; ++at) {
      *word++ = out.ids[static_cast<std::size_t>(at)];
      *position++ = at;
    }
  }
  tensors.words_N = onDevice(words_N, device);
  tensors.positions_N = onDevice(positions_N, device);
  return tensors;
}

torch::Tensor realPositions(const torch::Tensor& features_BTD, const BatchTensors& batch) {
  const auto rows_RD = features_BTD.reshape({-1, features_BTD.size(-1)});
  return batch.positions_N.defined() ? TakeRows::apply(rows_RD, batch.positions_N) : rows_RD;
}

}  // namespace strata
