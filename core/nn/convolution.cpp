#include "core/nn/convolution.h"

#include "core/nn/convolution_cpu.h"
#include "core/nn/fused.h"

namespace strata {
namespace {

using torch::Tensor;

Tensor joined(const Parts& parts) {
  return parts.size() == 1 ? parts.front() : torch::cat(parts, -1);
}

Tensor plainConvolutionGlu(const Parts& x, const WeightNorm& convolution, const SourceBatch& source,
                           const ConvolutionOptions& options) {
  Tensor x_BTI = applyDropout(joined(x), options.dropout);
  if (source.padding_BS.defined()) x_BTI = x_BTI.masked_fill(source.padding_BS.unsqueeze(2), 0);
  const Tensor taps_KOI = convolution->weight();
  const std::int64_t sentences = x_BTI.size(0), positions = x_BTI.size(1), taps = taps_KOI.size(0);
  const std::int64_t right = taps - 1 - options.left;
  // [B (left + T + right), I]: no window of rows crosses from one sentence's product into the next.
  const std::int64_t pitch = positions + taps - 1;
  const Tensor rows = torch::constant_pad_nd(x_BTI, {0, 0, options.left, right})
                          .view({sentences * pitch, x_BTI.size(2)});
  const std::int64_t count = sentences * pitch - (taps - 1);
  Tensor product;
  for (std::int64_t k = 0; k < taps; ++k) {
    const Tensor tap = affine(rows.narrow(0, k, count), taps_KOI[k]);
    product = product.defined() ? product + tap : tap;
  }
  product = torch::constant_pad_nd(product, {0, 0, 0, taps - 1}).view({sentences, pitch, -1});
  return torch::glu(product.narrow(1, 0, positions) + convolution->bias, /*dim=*/2);
}

}  // namespace

std::int64_t widthOf(const Parts& parts) {
  std::int64_t width = 0;
  for (const Tensor& part : parts) width += part.size(-1);
  return width;
}

Tensor convolutionGlu(const Parts& x, const WeightNorm& convolution, const SourceBatch& source,
                      const ConvolutionOptions& options) {
  if (!usesKernels(x.front())) return plainConvolutionGlu(x, convolution, source, options);
  return cpu::convolutionGlu(x, convolution->weight(), convolution->bias, source, options);
}

Tensor convolutionGluStep(const std::vector<Tensor>& inputs_RI, const WeightNorm& convolution) {
  const Tensor taps_KOI = convolution->weight();
  const Tensor& newest_RI = inputs_RI.back();
  const auto last = static_cast<std::int64_t>(inputs_RI.size()) - 1;
  Tensor sums = affine(newest_RI, taps_KOI[last]);
  for (std::int64_t k = 0; k < last; ++k) {
    if (inputs_RI[k].defined()) sums = plusProduct(sums, inputs_RI[k], taps_KOI[k]);
  }
  if (usesKernels(newest_RI)) return cpu::glu(sums, convolution->bias);
  return torch::glu(sums + convolution->bias, /*dim=*/1);
}

Tensor linear(const Parts& x, const WeightNorm& layer) {
  if (usesKernels(x.front())) return cpu::linear(x, layer->weight(), layer->bias);
  return affine(joined(x), layer->weight(), layer->bias);
}

}  // namespace strata
