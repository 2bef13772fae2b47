// Recurrent layers over whole sequences. Everything that does not depend on the previous step is
// one product over all steps; only the recurrent product and the cell are sequential.
// T steps, B sentences, H width, G = 4 H, X input width, R rows.
#pragma once
#include <torch/types.h>

#include <vector>

#include "core/nn/decoder_cache.h"
#include "core/nn/kernels/lstm.h"

namespace strata {

using kernels::GateOrder;

// One LSTM over a sequence. Undefined tensors: no term, no peepholes, initial state zero.
struct Recurrence {
  // The input's part of the gate pre-activations, or, where nobody else reads it, the two that it
  // is the product of, W_x x: padding is not multiplied then.
  torch::Tensor sums_TBG = {}, x_TBX = {}, input_GX = {};
  torch::Tensor recurrent_GH = {};  // W_r of W_r h_{t-1}
  torch::Tensor bias_G = {};
  torch::Tensor peephole_3H = {};  // of input, forget and output gates
  torch::Tensor initial_BH = {};   // h before the first step; its cell is 0
  bool reverse = false;            // runs from each sentence's last step to its first
};
struct RecurrenceOptions {
  GateOrder order;
  torch::Tensor lengths_B = {};  // int64 on the device of the sums, true steps; undefined: all T
  bool overwrite = false;        // the sums are not shared and may be overwritten
};
// Hidden states [T, B, H] of each, 0 beyond a sentence's length. The recurrences are independent,
// all with sums or all without, and advance together: on a CPU every thread takes some sentences of
// one of them through all steps, so that threads never wait for each other in between.
std::vector<torch::Tensor> recur(std::vector<Recurrence> recurrences,
                                 const RecurrenceOptions& options);

// One step: hidden and cell state [R, H] after the complete pre-activations [R, G] and the previous
// cell state. No gradient on the CPU.
struct CellState {
  torch::Tensor hidden_RH, cell_RH;
};
CellState recurOnce(const torch::Tensor& sums_RG, const torch::Tensor& peephole_3H,
                    const torch::Tensor& cell_RH, const GateOrder& order);
// For a RowState that holds one per layer.
// hidden_BH: of each before the first word; undefined, or no list: zeros.
std::vector<RowTensor> rowTensorsOf(std::vector<CellState>& cells,
                                    const std::vector<torch::Tensor>& hidden_BH = {});

// A layer without peepholes, gates in the order input, forget, candidate, output: hidden states [T,
// B, H] from inputs [T, B, X]. On a GPU it is one call of the library's LSTM.
struct LstmWeights {
  torch::Tensor input_GX, recurrent_GH, bias_G;
};
struct LstmOptions {
  torch::Tensor lengths_B = {};  // as above
  bool reverse = false;
};
torch::Tensor lstmLayer(const torch::Tensor& x_TBX, const LstmWeights& weights,
                        const LstmOptions& options);

}  // namespace strata
