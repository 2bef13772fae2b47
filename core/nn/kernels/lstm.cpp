#include "core/nn/kernels/lstm.h"

#include "core/nn/kernels/activations.h"

namespace strata::kernels {
namespace {

// The four gates of one row.
template <typename T>
struct Row {
  T *input, *forget, *candidate, *output;
};
template <typename T>
STRATA_INLINE Row<T> rowOf(T* gates, const CellBlock& block, std::int64_t row) {
  T* first = gates + row * 4 * block.width;
  const GateOrder& order = block.order;
  return {first + order.input * block.width, first + order.forget * block.width,
          first + order.candidate * block.width, first + order.output * block.width};
}

STRATA_INLINE bool isLive(const CellBlock& block, std::int64_t row) {
  return block.lengths == nullptr || block.step < block.lengths[row];
}

template <typename T>
STRATA_INLINE void zero(T* values, std::int64_t count) {
  std::memset(values, 0, static_cast<std::size_t>(count) * sizeof(T));
}

template <typename T, bool kPeephole, bool kBefore>
STRATA_INLINE void forwardRow(const CellArguments<T>& a, const CellBlock& block, std::int64_t row) {
  const std::int64_t width = block.width;
  const Row<T> gate = rowOf(a.gates, block, row);
  T *cell = a.cell + row * width, *hidden = a.hidden + row * width;
  const T* before = kBefore ? a.before + row * width : nullptr;
  const T* p = a.peephole;
#pragma omp simd
  for (std::int64_t c = 0; c < width; ++c) {
    const T old = kBefore ? before[c] : T(0);
    const T i = sigmoid(gate.input[c] + (kPeephole ? p[c] * old : T(0)));
    const T f = sigmoid(gate.forget[c] + (kPeephole ? p[width + c] * old : T(0)));
    const T z = hyperbolicTangent(gate.candidate[c]);
    const T s = z * i + f * old;
    const T o = sigmoid(gate.output[c] + (kPeephole ? p[2 * width + c] * s : T(0)));
    gate.input[c] = i;
    gate.forget[c] = f;
    gate.candidate[c] = z;
    gate.output[c] = o;
    cell[c] = s;
    hidden[c] = hyperbolicTangent(s) * o;
  }
}

template <typename T, bool kPeephole, bool kBefore>
STRATA_INLINE void forwardRows(const CellArguments<T>& a, const CellBlock& block) {
  for (std::int64_t row = 0; row < block.rows; ++row) {
    if (isLive(block, row)) {
      forwardRow<T, kPeephole, kBefore>(a, block, row);
      continue;
    }
    zero(a.gates + row * 4 * block.width, 4 * block.width);
    zero(a.cell + row * block.width, block.width);
    zero(a.hidden + row * block.width, block.width);
  }
}

template <typename T>
STRATA_INLINE void forwardAny(const CellArguments<T>& a, const CellBlock& block) {
  const bool before = a.before != nullptr;
  if (a.peephole != nullptr) {
    before ? forwardRows<T, true, true>(a, block) : forwardRows<T, true, false>(a, block);
  } else {
    before ? forwardRows<T, false, true>(a, block) : forwardRows<T, false, false>(a, block);
  }
}

template <typename T, bool kPeephole, bool kBefore, bool kBias>
STRATA_INLINE void backwardRow(const CellGradients<T>& a, const CellBlock& block,
                               std::int64_t row) {
  const std::int64_t width = block.width;
  const Row<const T> gate = rowOf(a.gates, block, row);
  const Row<T> grad = rowOf(a.gatesGrad, block, row);
  const Row<T> db = kBias ? rowOf(a.biasGrad, block, 0) : Row<T>{};
  const T *cell = a.cell + row * width, *dh = a.hiddenGrad + row * width;
  const T* before = kBefore ? a.before + row * width : nullptr;
  T* carried = a.cellGrad + row * width;
  const T* p = a.peephole;
  T* dp = a.peepholeGrad;
#pragma omp simd
  for (std::int64_t c = 0; c < width; ++c) {
    const T i = gate.input[c], f = gate.forget[c], z = gate.candidate[c], o = gate.output[c];
    const T old = kBefore ? before[c] : T(0), s = cell[c];
    const T t = hyperbolicTangent(s);
    const T dOutput = dh[c] * t * o * (1 - o);
    const T ds =
        carried[c] + dh[c] * o * (1 - t * t) + (kPeephole ? dOutput * p[2 * width + c] : T(0));
    const T dInput = ds * z * i * (1 - i), dForget = ds * old * f * (1 - f),
            dCandidate = ds * i * (1 - z * z);
    grad.input[c] = dInput;
    grad.forget[c] = dForget;
    grad.candidate[c] = dCandidate;
    grad.output[c] = dOutput;
    carried[c] = ds * f + (kPeephole ? dInput * p[c] + dForget * p[width + c] : T(0));
    if (kPeephole) {
      dp[c] += dInput * old;
      dp[width + c] += dForget * old;
      dp[2 * width + c] += dOutput * s;
    }
    if (kBias) {
      db.input[c] += dInput;
      db.forget[c] += dForget;
      db.candidate[c] += dCandidate;
      db.output[c] += dOutput;
    }
  }
}

template <typename T, bool kPeephole, bool kBefore, bool kBias>
STRATA_INLINE void backwardRows(const CellGradients<T>& a, const CellBlock& block) {
  for (std::int64_t row = 0; row < block.rows; ++row) {
    if (isLive(block, row)) {
      backwardRow<T, kPeephole, kBefore, kBias>(a, block, row);
      continue;
    }
    zero(a.gatesGrad + row * 4 * block.width, 4 * block.width);
    zero(a.cellGrad + row * block.width, block.width);
  }
}

template <typename T, bool kPeephole, bool kBefore>
STRATA_INLINE void backwardBiased(const CellGradients<T>& a, const CellBlock& block) {
  a.biasGrad != nullptr ? backwardRows<T, kPeephole, kBefore, true>(a, block)
                        : backwardRows<T, kPeephole, kBefore, false>(a, block);
}

template <typename T>
STRATA_INLINE void backwardAny(const CellGradients<T>& a, const CellBlock& block) {
  const bool before = a.before != nullptr;
  if (a.peephole != nullptr) {
    before ? backwardBiased<T, true, true>(a, block) : backwardBiased<T, true, false>(a, block);
  } else {
    before ? backwardBiased<T, false, true>(a, block) : backwardBiased<T, false, false>(a, block);
  }
}

// Templates cannot be cloned for several processors: one function per type.
STRATA_CLONES void forwardFloat(const CellArguments<float>& a, const CellBlock& block) {
  forwardAny(a, block);
}
STRATA_CLONES void forwardDouble(const CellArguments<double>& a, const CellBlock& block) {
  forwardAny(a, block);
}
STRATA_CLONES void backwardFloat(const CellGradients<float>& a, const CellBlock& block) {
  backwardAny(a, block);
}
STRATA_CLONES void backwardDouble(const CellGradients<double>& a, const CellBlock& block) {
  backwardAny(a, block);
}

}  // namespace

template <>
void lstmCell(const CellArguments<float>& arguments, const CellBlock& block) {
  forwardFloat(arguments, block);
}
template <>
void lstmCell(const CellArguments<double>& arguments, const CellBlock& block) {
  forwardDouble(arguments, block);
}
template <>
void lstmCellBackward(const CellGradients<float>& gradients, const CellBlock& block) {
  backwardFloat(gradients, block);
}
template <>
void lstmCellBackward(const CellGradients<double>& gradients, const CellBlock& block) {
  backwardDouble(gradients, block);
}

}  // namespace strata::kernels
