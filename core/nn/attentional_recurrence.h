// A recurrent layer that attends to the source at every step with its previous state, as in the
// decoders of RNNsearch and Deep-Att:
//   q_t = W h_{t-1} + b_a,  alpha_t = softmax_s( v . tanh(U e_s + q_t) )
//   f_t = x_t + sum_s alpha_{t,s} V_s,  h_t = LSTM(f_t + b + W_r h_{t-1})
// The context is summed in the space of f: V_s is the input matrix times e_s, once for all steps.
// T steps, B sentences, S source positions, H width, G = 4 H, A width of the attention, R rows.
#pragma once
#include <torch/types.h>

#include "core/nn/decoder_cache.h"
#include "core/nn/recorder.h"
#include "core/nn/recurrent.h"

namespace strata {

struct AttentionalWeights {
  torch::Tensor recurrent_GH, bias_G;
  torch::Tensor peephole_3H;  // undefined: none
  torch::Tensor query_AH, queryBias_A, energy_A;
};
// The attended source: U e and V.
struct AttendedSource {
  torch::Tensor keys_BSA, values_BSG;
  const SourceBatch& source;
};
struct AttentionalOptions {
  GateOrder order;
  Published map;  // of alpha
};

// The states of all steps over inputs_TBG (x). initial_BH: h before the first step; undefined:
// zeros.
struct AttentionalStates {
  torch::Tensor hidden_TBH, f_TBG;
};
AttentionalStates attendAndRecur(const torch::Tensor& inputs_TBG, const torch::Tensor& initial_BH,
                                 const AttendedSource& attended, const AttentionalWeights& weights,
                                 const AttentionalOptions& options);

// One step for the rows of an incremental search; no gradient. Row r reads the sentence that
// `backpointers` gives.
struct AttentionalStep {
  CellState state;
  torch::Tensor f_RG;
};
AttentionalStep attendAndRecurOnce(const torch::Tensor& inputs_RG, const CellState& before,
                                   const AttendedSource& attended, const Backpointers& backpointers,
                                   const AttentionalWeights& weights,
                                   const AttentionalOptions& options);

}  // namespace strata
