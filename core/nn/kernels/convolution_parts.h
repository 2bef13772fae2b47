// Shared by the passes around convolutions.
#pragma once
#include <vector>

#include "core/nn/kernels/activations.h"
#include "core/nn/kernels/simd.h"

namespace strata::kernels {

// Rows [begin, end).
struct Range {
  std::int64_t begin, end;
};

// out = in with dropout, as columns `first`... of a row.
template <typename T>
STRATA_INLINE void copyDropped(const T* in, T* out, std::int64_t width, std::int64_t first,
                               const RowKey& key, const Mask& mask) {
  if (mask.threshold == 0) {
    std::copy_n(in, width, out);
    return;
  }
  const T scale = static_cast<T>(mask.scale);
  const std::uint32_t threshold = mask.threshold;
#pragma omp simd
  for (std::int64_t c = 0; c < width; ++c)
    out[c] = in[c] * factorOf(key, first + c, threshold, scale);
}

// out = a row of the parts, with dropout.
template <typename T>
STRATA_INLINE void joinDropped(const SideBySide<const T>& in, std::int64_t row, T* out,
                               const Mask& mask) {
  const RowKey key = rowKey(mask, row);
  std::int64_t first = 0;
  for (std::int64_t p = 0; p < in.count; first += in.widths[p++])
    copyDropped(in.parts[p] + row * in.widths[p], out + first, in.widths[p], first, key, mask);
}

// A row of the parts = in, with dropout; null: zeros.
template <typename T>
STRATA_INLINE void splitDropped(const T* in, const SideBySide<T>& out, std::int64_t row,
                                const Mask& mask) {
  const RowKey key = rowKey(mask, row);
  std::int64_t first = 0;
  for (std::int64_t p = 0; p < out.count; first += out.widths[p++]) {
    if (out.parts[p] == nullptr) continue;
    T* to = out.parts[p] + row * out.widths[p];
    if (in == nullptr) {
      std::fill_n(to, out.widths[p], T(0));
    } else {
      copyDropped(in + first, to, out.widths[p], first, key, mask);
    }
  }
}

// out = (a + bias_a) * sigmoid(b + bias_b) of a row [a ; b], which becomes the two factors.
template <typename T>
STRATA_INLINE void gluRow(T* row, const T* bias, T* out, std::int64_t width) {
#pragma omp simd
  for (std::int64_t c = 0; c < width; ++c) {
    const T value = row[c] + bias[c];
    const T gate = sigmoid(row[width + c] + bias[width + c]);
    row[c] = value;
    row[width + c] = gate;
    out[c] = value * gate;
  }
}

// The gradient of [a ; b] from that of `out`, which is added to `sums` too; `row`: as left by
// gluRow.
template <typename T>
STRATA_INLINE void gluRowBackward(const T* gradOut, const T* row, T* gradient, T* sums,
                                  std::int64_t width) {
#pragma omp simd
  for (std::int64_t c = 0; c < width; ++c) {
    const T gate = row[width + c];
    const T value = gradOut[c] * gate;
    const T opening = value * row[c] * (T(1) - gate);
    gradient[c] = value;
    gradient[width + c] = opening;
    sums[c] += value;
    sums[width + c] += opening;
  }
}

// biasGrad = the sums of the threads' shares, in their order.
template <typename T>
void addShares(const std::vector<T>& shares, T* biasGrad, std::int64_t columns) {
  std::copy_n(shares.data(), columns, biasGrad);
  for (auto share = shares.begin() + columns; share != shares.end(); share += columns) {
    for (std::int64_t c = 0; c < columns; ++c) biasGrad[c] += share[c];
  }
}

}  // namespace strata::kernels
