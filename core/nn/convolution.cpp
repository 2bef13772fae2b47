#include "core/nn/convolution.h"

#include <algorithm>

#include "core/nn/cpu_products.h"
#include "core/nn/function_cpu.h"
#include "core/nn/fused.h"
#include "core/nn/packed_weights.h"
#include "core/nn/side_by_side.h"
#include "core/nn/winograd.h"

// The kernels of core/nn/kernels/convolution.cpp as differentiable functions, for CPU tensors in
// float32 and float64.
namespace strata::cpu {
namespace {

// Layout of the rows of a convolution's input and of its product. A gap of zeros serves the
// sentence before it and the one after it; tap k of the product's row m reads the input's row m +
// k.
struct Geometry {
  std::int64_t sentences, positions, taps, left;

  std::int64_t pitch() const { return positions + std::max(left, taps - 1 - left); }
  std::int64_t products() const { return (sentences - 1) * pitch() + positions; }
  kernels::PaddedRows inputs(const Tensor& lengths) const {
    return {
        sentences, positions, pitch(), left, products() + taps - 1, pointer<std::int64_t>(lengths)};
  }
  kernels::PaddedRows outputs() const {
    return {sentences, positions, pitch(), 0, products(), nullptr};
  }
};

// [R, K I]: K rows of x [R + K - 1, I] from each row on, without a copy.
Tensor windows(const Tensor& x, std::int64_t taps) {
  return x.as_strided({x.size(0) - taps + 1, taps * x.size(1)}, {x.stride(0), 1});
}
// [O, K I], to multiply windows by.
Tensor asRows(const Tensor& taps_KOI) {
  return taps_KOI.transpose(0, 1).flatten(1);
}

// The product of all windows; undefined if the taps are not packed.
Tensor packedProduct(PackedWeights& packed, const Tensor& inputs, const Tensor& taps_KOI) {
  const std::int64_t taps = taps_KOI.size(0), rows = inputs.size(0) - taps + 1;
  Tensor sum;
  for (std::int64_t k = 0; k < taps; ++k)
    sum = packed.product(inputs.narrow(0, k, rows), taps_KOI[k], {.bias = {}, .sum = sum});
  return sum;
}

struct ConvolutionGlu : torch::autograd::Function<ConvolutionGlu> {
  // packed: to multiply by, where no gradient is wanted; null: none.
  static Tensor forward(AutogradContext* context, at::TensorList parts, const Tensor& taps,
                        const Tensor& bias, const MaybeTensor& trueLengths, std::int64_t left,
                        const Dropout& dropout, PackedWeights* packed) {
    const std::vector<Tensor> x = contiguous(parts);
    const auto widths = widthsOf(x);
    const Tensor lengths = trueLengths.value_or(Tensor{});
    const Geometry shape{x[0].size(0), x[0].size(1), taps.size(0), left};
    const Tensor inputs =
        torch::empty({shape.products() + shape.taps - 1, taps.size(2)}, taps.options());
    byType(taps, [&](auto type) {
      using T = decltype(type);
      kernels::gatherRows(PartPointers<const T>(x, widths).view(), pointer<T>(inputs),
                          shape.inputs(lengths), maskOf(dropout), at::get_num_threads());
    });
    Tensor product = packed != nullptr ? packedProduct(*packed, inputs, taps) : Tensor{};
    if (!product.defined()) product = timesTransposed(windows(inputs, shape.taps), asRows(taps));
    const std::int64_t width = taps.size(1) / 2;
    const Tensor out = torch::empty({shape.sentences, shape.positions, width}, taps.options());
    byType(taps, [&](auto type) {
      using T = decltype(type);
      kernels::glu<T>(
          {pointer<T>(product), pointer<T>(bias), pointer<T>(out), width, shape.outputs()},
          at::get_num_threads());
    });
    saveArithmetic(context);
    context->save_for_backward({inputs, taps, product, lengths});
    saveDropout(context, dropout);
    context->saved_data["shape"] =
        std::vector<std::int64_t>{shape.sentences, shape.positions, shape.taps, shape.left};
    context->saved_data["widths"] = widths;
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradOut) {
    const ArithmeticScope scope(savedArithmetic(context));
    const auto saved = context->get_saved_variables();
    const Tensor &inputs = saved[0], &taps = saved[1], &product = saved[2], &lengths = saved[3];
    const auto numbers = context->saved_data["shape"].toIntVector();
    const Geometry shape{numbers[0], numbers[1], numbers[2], numbers[3]};
    // Rows of zeros around it, for windows that reach beyond its ends.
    const std::int64_t around = shape.taps - 1, count = shape.products();
    const Tensor surrounded =
                     torch::empty({count + 2 * around, product.size(1)}, product.options()),
                 productGrad = surrounded.narrow(0, around, count), g = gradOut[0].contiguous();
    for (const std::int64_t begin : {std::int64_t{0}, around + count})
      surrounded.narrow(0, begin, around).zero_();
    const Tensor bias = torch::empty({product.size(1)}, product.options());
    byType(product, [&](auto type) {
      using T = decltype(type);
      kernels::gluBackward<T>({pointer<T>(g), pointer<T>(product), pointer<T>(productGrad),
                               pointer<T>(bias), product.size(1) / 2, shape.outputs()},
                              at::get_num_threads());
    });
    variable_list gradients = inputGradients(context, surrounded, taps, lengths, shape);
    const Tensor tapsGrad = torch::empty(taps.sizes(), taps.options());
    for (std::int64_t k = 0; k < shape.taps; ++k)
      multiplyGradient(productGrad, inputs.narrow(0, k, shape.products()), tapsGrad[k]);
    gradients.insert(gradients.end(), {tapsGrad, bias, Tensor{}, Tensor{}, Tensor{}, Tensor{}});
    return gradients;
  }

 private:
  // One per part; undefined if not needed.
  static variable_list inputGradients(AutogradContext* context, const Tensor& surroundedGrad,
                                      const Tensor& taps, const Tensor& lengths,
                                      const Geometry& shape) {
    const auto widths = context->saved_data["widths"].toIntVector();
    variable_list gradients =
        partGradients(context, widths, {shape.sentences, shape.positions}, taps.options());
    if (!anyDefined(gradients)) return gradients;
    // Row m of the input meets the product's row m - k in tap k: the last tap comes first.
    const Tensor whole =
        timesTransposed(windows(surroundedGrad, shape.taps), taps.flip(0).flatten(0, 1).t());
    byType(taps, [&](auto type) {
      using T = decltype(type);
      kernels::scatterRows(pointer<T>(whole), PartPointers<T>(gradients, widths).view(),
                           shape.inputs(lengths), savedMask(context), at::get_num_threads());
    });
    return gradients;
  }
};

// Each part has its own columns of the weight.
struct LinearOfParts : torch::autograd::Function<LinearOfParts> {
  static Tensor forward(AutogradContext* context, at::TensorList parts, const Tensor& weight,
                        const Tensor& bias, PackedWeights* packed) {
    std::vector<Tensor> saved;
    for (const Tensor& part : parts) saved.push_back(flat(part));
    const auto columns = weight.split_with_sizes(widthsOf(saved), 1);
    Tensor y = packed != nullptr ? packed->product(saved[0], columns[0], {.bias = bias}) : Tensor{};
    const bool usesPacked = y.defined();
    if (!usesPacked) y = timesTransposed(saved[0], columns[0], {.bias = bias});
    for (std::size_t p = 1; p < columns.size(); ++p) {
      usesPacked ? packed->product(saved[p], columns[p], {.bias = {}, .sum = y})
                 : timesTransposed(saved[p], columns[p], {.out = y, .adds = true});
    }
    saved.push_back(weight);
    saveArithmetic(context);
    context->save_for_backward(saved);
    auto shape = parts[0].sizes().vec();
    shape.back() = weight.size(0);
    return y.view(shape);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradOut) {
    const ArithmeticScope scope(savedArithmetic(context));
    auto parts = context->get_saved_variables();
    const Tensor weight = parts.back();
    parts.pop_back();
    const auto widths = widthsOf(parts);
    const Tensor g = flat(gradOut[0]), weightGrad = torch::empty_like(weight);
    const auto columns = weight.split_with_sizes(widths, 1),
               gradColumns = weightGrad.split_with_sizes(widths, 1);
    auto shape = gradOut[0].sizes().vec();
    variable_list gradients(parts.size());
    for (std::size_t p = 0; p < parts.size(); ++p) {
      multiplyGradient(g, parts[p], gradColumns[p]);
      shape.back() = widths[p];
      if (context->needs_input_grad(p))
        gradients[p] = timesTransposed(g, columns[p].t()).view(shape);
    }
    gradients.insert(gradients.end(), {weightGrad, g.sum(0), Tensor{}});
    return gradients;
  }
};

// GLU(product + bias) of product [R, O], which is overwritten; no gradient.
Tensor glu(const Tensor& product_RO, const Tensor& bias_O) {
  const std::int64_t rows = product_RO.size(0), width = product_RO.size(1) / 2;
  const Tensor out = torch::empty({rows, width}, product_RO.options());
  byType(product_RO, [&](auto type) {
    using T = decltype(type);
    const kernels::PaddedRows layout{rows, 1, 1, 0, rows, nullptr};
    kernels::glu<T>({pointer<T>(product_RO), pointer<T>(bias_O), pointer<T>(out), width, layout},
                    at::get_num_threads());
  });
  return out;
}

}  // namespace
}  // namespace strata::cpu

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
  const Tensor lengths = source.lengthsIfPadded();
  PackedWeights* const packed = packedWeights();
  if (packed == nullptr && cpu::suitsWinograd(convolution, x.front().size(0), x.front().size(1)))
    return cpu::winogradGlu(x, convolution, lengths, options);
  return cpu::ConvolutionGlu::apply(at::TensorList(x), convolution->weight(), convolution->bias,
                                    cpu::maybe(lengths), options.left, options.dropout, packed);
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
  if (usesKernels(x.front()))
    return cpu::LinearOfParts::apply(at::TensorList(x), layer->weight(), layer->bias,
                                     packedWeights());
  return affine(joined(x), layer->weight(), layer->bias);
}

}  // namespace strata
