// A recurrent layer that attends to the source at every step with its previous state, as in the
// decoders of RNNsearch and Deep-Att:
//   q_t = W h_{t-1} + b_a,  alpha_t = softmax_s( v . tanh(U e_s + q_t) )
//   f_t = W_x [sum_s alpha_{t,s} e_s; y_t],  h_t = LSTM(f_t + b + W_r h_{t-1})
// T steps, B sentences, S source positions, C width of e, E width of y, X = C + E, H width, G = 4
// H, A width of the attention, R rows.
#pragma once
#include <torch/types.h>

#include "core/nn/decoder_cache.h"
#include "core/nn/recorder.h"
#include "core/nn/recurrent.h"

namespace strata {

struct AttentionalWeights {
  torch::Tensor input_GX, recurrent_GH, bias_G;  // W_x, W_r, b
  torch::Tensor peephole_3H;                     // undefined: none
  torch::Tensor query_AH, queryBias_A, energy_A;
};
struct AttentionalOptions {
  GateOrder order;
  Published map;       // of alpha
  bool wantsF = true;  // over all steps; a search always gets it
};

// The states of all steps over y, for a source given as U e and e. Beyond a sentence's length they
// have no meaning.
struct AttentionalInputs {
  torch::Tensor words_TBE;
  torch::Tensor lengths_B = {};   // int64 on the CPU, true steps; undefined: all T
  torch::Tensor initial_BH = {};  // h before the first step; undefined: zeros
  torch::Tensor keys_BSA, encoded_BSC;
  const SourceBatch& source;
};
struct AttentionalStates {
  torch::Tensor hidden_TBH;
  torch::Tensor f_TBG;  // undefined if it is not wanted
};
AttentionalStates attendAndRecur(const AttentionalInputs& inputs, const AttentionalWeights& weights,
                                 const AttentionalOptions& options);

// The source of a search, where many rows and steps read it: U e, and W_x's product with e.
struct AttendedSource {
  torch::Tensor keys_BSA, values_BSG;
  const SourceBatch& source;
};
// One step for the rows of an incremental search over W_x's product with y; no gradient. Row r
// reads the sentence that `backpointers` gives.
struct AttentionalStep {
  CellState state;
  torch::Tensor f_RG;
};
AttentionalStep attendAndRecurOnce(const torch::Tensor& words_RG, const CellState& before,
                                   const AttendedSource& attended, const Backpointers& backpointers,
                                   const AttentionalWeights& weights,
                                   const AttentionalOptions& options);

}  // namespace strata
