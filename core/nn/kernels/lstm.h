// One step of LSTM cells for a block of rows, without torch and on the calling thread. T is float
// or double; all arrays belong to the caller, rows contiguous.
#pragma once
#include <cstdint>

namespace strata::kernels {

// Offsets of the four gates among a row's 4 * width values.
struct GateOrder {
  int input = 0, forget = 1, candidate = 2, output = 3;
};

struct CellBlock {
  std::int64_t rows = 0, width = 0;
  GateOrder order;
  // Row r is active while step < lengths[r]; the states and gradients of other rows are 0. Null:
  // all are active.
  const std::int64_t* lengths = nullptr;
  std::int64_t step = 0;
};

//   i = sigma(a_i + p_i s'), f = sigma(a_f + p_f s'), z = tanh(a_z)
//   s = z i + f s',  o = sigma(a_o + p_o s),  h = tanh(s) o
// a: gate pre-activations; s': `before`, the previous cell state; p: the peepholes.
template <typename T>
struct CellArguments {
  T* gates;           // [rows, 4 width]; becomes the gates' values, which the gradient needs
  const T* peephole;  // [3, width]: input, forget, output; null: none
  const T* before;    // [rows, width]; null: zeros
  T* cell;            // [rows, width]
  T* hidden;          // [rows, width]
};
template <typename T>
void lstmCell(const CellArguments<T>& arguments, const CellBlock& block);

template <typename T>
struct CellGradients {
  const T* gates;  // as left by lstmCell
  const T* peephole;
  const T* before;  // null: zeros
  const T* cell;
  const T* hiddenGrad;  // [rows, width]
  T* cellGrad;      // [rows, width]; in: gradient of `cell` from the next step; out: gradient of
                    // `before`
  T* gatesGrad;     // [rows, 4 width], of the gate pre-activations; may be `gates`
  T* peepholeGrad;  // [3, width]; this step's is added; null if there are none
  T* biasGrad;      // [4 width], of a bias that the pre-activations have; the same
};
template <typename T>
void lstmCellBackward(const CellGradients<T>& gradients, const CellBlock& block);

}  // namespace strata::kernels
