#include "core/nn/winograd.h"

#include "core/nn/cpu_products.h"
#include "core/nn/function_cpu.h"
#include "core/nn/kernels/winograd.h"
#include "core/nn/side_by_side.h"

namespace strata::cpu {
namespace {

// Positions of a tile. Four, if that takes fewer products of the last tile's unused positions too;
// with factors rounded to bf16 always two, because larger tiles cancel more digits.
std::int64_t tileSize(std::int64_t positions) {
  const auto products = [&](std::int64_t size) {
    const kernels::Tiles tiles{.size = size, .sentences = 1, .positions = positions};
    return tiles.count() * tiles.factors();
  };
  return !arithmetic().bf16Products && products(4) < products(2) ? 4 : 2;
}

template <typename T>
kernels::Taps<T> viewOf(const Tensor& taps) {
  return {pointer<std::remove_const_t<T>>(taps),
          taps.stride(0),
          taps.stride(1),
          {taps.size(1), taps.size(2), at::get_num_threads()}};
}

// [F, O, I]
Tensor combined(const Tensor& taps, const kernels::Tiles& tiles) {
  const Tensor factors =
      torch::empty({tiles.factors(), taps.size(1), taps.size(2)}, taps.options());
  byType(taps, [&](auto type) {
    using T = decltype(type);
    kernels::combineTaps(viewOf<const T>(taps), pointer<T>(factors), tiles.size);
  });
  return factors;
}

// [3, O, I]
Tensor separated(const Tensor& factorsGrad, const kernels::Tiles& tiles) {
  const Tensor taps = torch::empty(
      {kernels::kWinogradTaps, factorsGrad.size(1), factorsGrad.size(2)}, factorsGrad.options());
  byType(taps, [&](auto type) {
    using T = decltype(type);
    kernels::separateTaps(pointer<T>(factorsGrad), viewOf<T>(taps), tiles.size);
  });
  return taps;
}

// x_f W_f^T of every factor's x [F, N, .] and W [F, ., .].
Tensor productsOf(const Tensor& x, const Tensor& weights) {
  const Tensor products = torch::empty({x.size(0), x.size(1), weights.size(1)}, x.options());
  for (std::int64_t f = 0; f < x.size(0); ++f)
    timesTransposed(x[f], weights[f], {.out = products[f]});
  return products;
}

struct WinogradGlu : torch::autograd::Function<WinogradGlu> {
  static Tensor forward(AutogradContext* context, at::TensorList parts, const Tensor& taps,
                        const Tensor& bias, const MaybeTensor& trueLengths, std::int64_t left,
                        const Dropout& dropout) {
    const std::vector<Tensor> x = contiguous(parts);
    const auto widths = widthsOf(x);
    const Tensor lengths = trueLengths.value_or(Tensor{});
    const kernels::Tiles tiles{tileSize(x[0].size(1)), x[0].size(0), x[0].size(1), left,
                               pointer<std::int64_t>(lengths)};
    const std::int64_t outputs = taps.size(1);
    const auto rows = [&](std::int64_t columns) {
      return torch::empty({tiles.sentences, tiles.positions, columns}, taps.options());
    };
    const Tensor inputs =
                     torch::empty({tiles.factors(), tiles.count(), taps.size(2)}, taps.options()),
                 gates = rows(outputs), out = rows(outputs / 2), factors = combined(taps, tiles);
    byType(taps, [&](auto type) {
      using T = decltype(type);
      const int threads = at::get_num_threads();
      kernels::tileInputs(PartPointers<const T>(x, widths).view(), pointer<T>(inputs), tiles,
                          maskOf(dropout), threads);
      const Tensor products = productsOf(inputs, factors);
      kernels::gluOfTiles<T>({pointer<T>(products), pointer<T>(bias), pointer<T>(gates),
                              pointer<T>(out), outputs / 2, tiles},
                             threads);
    });
    saveArithmetic(context);
    context->save_for_backward({inputs, factors, gates, lengths});
    saveDropout(context, dropout);
    context->saved_data["left"] = left;
    context->saved_data["widths"] = widths;
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradOut) {
    const ArithmeticScope scope(savedArithmetic(context));
    const auto saved = context->get_saved_variables();
    const Tensor &inputs = saved[0], &factors = saved[1], &gates = saved[2], &lengths = saved[3];
    const kernels::Tiles tiles{factors.size(0) - kernels::kWinogradTaps + 1, gates.size(0),
                               gates.size(1), context->saved_data["left"].toInt(),
                               pointer<std::int64_t>(lengths)};
    const std::int64_t outputs = gates.size(2);
    const Tensor productsGrad =
                     torch::empty({tiles.factors(), tiles.count(), outputs}, gates.options()),
                 biasGrad = torch::empty({outputs}, gates.options()),
                 factorsGrad = torch::empty_like(factors), g = gradOut[0].contiguous();
    byType(gates, [&](auto type) {
      using T = decltype(type);
      kernels::gluOfTilesBackward<T>({pointer<T>(g), pointer<T>(gates), pointer<T>(productsGrad),
                                      pointer<T>(biasGrad), outputs / 2, tiles},
                                     at::get_num_threads());
    });
    variable_list gradients = inputGradients(context, productsGrad, factors, tiles);
    for (std::int64_t f = 0; f < tiles.factors(); ++f)
      multiplyGradient(productsGrad[f], inputs[f], factorsGrad[f]);
    gradients.insert(gradients.end(), {separated(factorsGrad, tiles), biasGrad, {}, {}, {}});
    return gradients;
  }

 private:
  // One per part; undefined if not needed.
  static variable_list inputGradients(AutogradContext* context, const Tensor& productsGrad,
                                      const Tensor& factors, const kernels::Tiles& tiles) {
    const auto widths = context->saved_data["widths"].toIntVector();
    variable_list gradients =
        partGradients(context, widths, {tiles.sentences, tiles.positions}, factors.options());
    if (!anyDefined(gradients)) return gradients;
    const Tensor inputsGrad = productsOf(productsGrad, factors.transpose(1, 2));
    byType(factors, [&](auto type) {
      using T = decltype(type);
      kernels::untileInputs(pointer<T>(inputsGrad), PartPointers<T>(gradients, widths).view(),
                            tiles, savedMask(context), at::get_num_threads());
    });
    return gradients;
  }
};

}  // namespace

bool suitsWinograd(const WeightNorm& convolution, std::int64_t sentences, std::int64_t positions) {
  // With fewer, combining the taps costs more than it saves.
  constexpr std::int64_t kFewestPositions = 128;
  return convolution->kernel() == kernels::kWinogradTaps &&
         sentences * positions >= kFewestPositions;
}

Tensor winogradGlu(const Parts& x, const WeightNorm& convolution, const Tensor& lengths_B,
                   const ConvolutionOptions& options) {
  return WinogradGlu::apply(at::TensorList(x), convolution->weight(), convolution->bias,
                            maybe(lengths_B), options.left, options.dropout);
}

}  // namespace strata::cpu
