// Products x W^T + b with a weight W that was rearranged for them once. A matrix is stored as
// panels: up to 48 columns of W^T, whose values of one input are next to each other, so that a
// product reads every panel from beginning to end. Every element of a result is summed over the
// inputs in their order: it depends neither on the other rows nor on the number of threads.
#pragma once
#include <cstdint>
#include <functional>

namespace strata::kernels {

// Whether this processor has the instructions: AVX-512 for panels of float32 and bf16, AVX-512 VNNI
// for panels of int8. Without them libtorch's products are as fast; do not call what is below.
bool hasPanels();
bool hasInt8Panels();

struct PanelShape {
  std::int64_t columns = 0, inner = 0;  // of W [columns, inner]
};
// Values of the panels of a matrix: the last panel is filled up with zeros, and so are the inputs
// of int8 to a multiple of 4.
std::int64_t panelValues(const PanelShape& shape);
std::int64_t int8PanelValues(const PanelShape& shape);
// Values of a row of quantised inputs.
std::int64_t int8Inner(std::int64_t inner);

// What becomes of the sums.
struct PanelOutput {
  float* out = nullptr;         // [rows, columns]
  std::int64_t stride = 0;      // of the rows of `out`
  const float* bias = nullptr;  // [columns]; null: none
  bool relu = false;
  bool adds = false;  // to what `out` contains
};

// W: the value of column c and input i is at c * columnStride + i * inputStride; one of them is 1.
struct PanelWeight {
  const float* values = nullptr;
  std::int64_t columnStride = 0, inputStride = 1;

  PanelWeight from(std::int64_t column) const {
    return {values + column * columnStride, columnStride, inputStride};
  }
};
void packPanels(const PanelWeight& weight, const PanelShape& shape, float* panels, int threads);

struct PanelInput {
  const float* values = nullptr;  // [rows, inner]
  std::int64_t rows = 0, stride = 0;
};
// Called with rows [begin, end) of the result when they are complete, by the thread that has them
// in its cache.
using RowsDone = std::function<void(std::int64_t begin, std::int64_t end)>;
void multiplyPanels(const PanelInput& x, const float* panels, const PanelShape& shape,
                    const PanelOutput& output, int threads, const RowsDone& done = {});

// Two values of a column as bf16: that of an even input in the lower half, that of the next input
// in the upper half; after the last of an odd number of inputs 0.
using Bf16Pair = std::uint32_t;
std::int64_t bf16PanelPairs(const PanelShape& shape);
// W [columns, inner] rounded to bf16: to the nearest, halves to even; NaN stays NaN.
void packBf16Panels(const PanelWeight& weight, const PanelShape& shape, Bf16Pair* panels,
                    int threads);
// Bit for bit multiplyPanels with the rounded W.
void multiplyBf16Panels(const PanelInput& x, const Bf16Pair* panels, const PanelShape& shape,
                        const PanelOutput& output, int threads);

// W as whole numbers from -127 to 127: W[c][i] is about values * scales[c]. `offsets` has for each
// column the negative sum of its numbers times 128, which quantised inputs have been raised by.
template <typename Value, typename Scale, typename Offset>
struct Int8Matrix {
  Value* values;    // int8PanelValues
  Scale* scales;    // [columns]
  Offset* offsets;  // [columns]
};
using Int8Panels = Int8Matrix<const std::int8_t, const float, const std::int32_t>;
void packInt8Panels(const float* weight, const PanelShape& shape,
                    const Int8Matrix<std::int8_t, float, std::int32_t>& panels);

// x as whole numbers from 1 to 255: x[r][i] is about (values - 128) * scales[r].
template <typename Value, typename Scale>
struct Int8Inputs {
  Value* values;  // [rows, int8Inner]
  Scale* scales;  // [rows]
};
void quantiseRows(const float* x, std::int64_t rows, std::int64_t inner,
                  const Int8Inputs<std::uint8_t, float>& quantised, int threads);
void multiplyInt8Panels(const Int8Inputs<const std::uint8_t, const float>& x, std::int64_t rows,
                        const Int8Panels& panels, const PanelShape& shape,
                        const PanelOutput& output, int threads);

}  // namespace strata::kernels
