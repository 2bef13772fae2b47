// The layers of Deep-Att and Deep-ED. Zhou et al., TACL 2016 (models.md 2.2, 2.3, 2.5).
//   paper          here              shape         meaning
//   f^k_t          f_TBG             [T, B, 4H]    what layer k feeds its cell (Eqs. 5, 6)
//   h^k_t          h_TBH             [T, B, H]     its output; the cell's state s^k_t stays inside
//   W_f^k, left    fastForward_      [4H, 2H]      columns that read Half(f) (Eq. 6)
//   W_f^k, right   inputProjection_  [4H, H]       columns that read Dr(h), or x_t in layer 1
//   W_r, b         recurrent_        [4H, H], [4H] slots: candidate, input, forget, output (Eq. 4);
//                                                  the paper leaves out b for simplicity
//   theta          peephole          [3, H]        theta_rho (input), theta_phi (forget), theta_pi
//                                                  (output) (Eq. 4)
// B sentences, T positions (of the source in the encoder), H width, G = 4 H.
#pragma once
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include "core/nn/layers.h"
#include "core/nn/recorder.h"
#include "core/nn/recurrent.h"
#include "models/deepatt/config.h"

namespace strata::deepatt {

constexpr GateOrder kSlots{.input = 1, .forget = 2, .candidate = 0, .output = 3};

// weight, bias and, if configured, peephole. All start at 0 [P].
class RecurrentImpl : public torch::nn::Module {
 public:
  RecurrentImpl(std::int64_t width, bool withPeephole);
  torch::Tensor weight, bias, peephole;  // peephole is undefined if not configured
};
TORCH_MODULE(Recurrent);

// What a layer passes to the layer above.
struct Flow {
  torch::Tensor h_TBH, f_TBG;
};

// One layer of a column or of the decoder. `in` is the input width of its input projection.
class LayerImpl : public torch::nn::Module {
 public:
  LayerImpl(const DeepAttConfig& config, std::int64_t in, bool first);

  // f of this layer (Eq. 6; of layer 1, Eq. 5). h_X is already after dropout; below_XG is f of the
  // layer below, read only with fast-forward connections.
  torch::Tensor feed(const torch::Tensor& h_X, const torch::Tensor& below_XG,
                     const Published& fastForward) const;
  // The recurrent part of one layer, Eqs. 4 and 5, for recur().
  Recurrence recurrence(const torch::Tensor& f_TBG, const torch::Tensor& initial_BH,
                        bool reverse) const;
  // The same over the layer's input, for a layer without fast-forward connections whose f nobody
  // else reads.
  Recurrence recurrenceOver(const torch::Tensor& x_TBX, const torch::Tensor& initial_BH,
                            bool reverse) const;
  // The same, one step of a search.
  CellState step(const torch::Tensor& f_RG, const CellState& before) const;
  void initialise(Initialiser& random, bool xavier);

  const torch::Tensor& inputWeight() const { return inputProjection_->weight; }
  const Recurrent& recurrent() const { return recurrent_; }

 private:
  Linear inputProjection_, fastForward_{nullptr};
  Recurrent recurrent_;
};
TORCH_MODULE(Layer);

// Everything outside the recurrent group starts at N(0, 0.07), other biases at 0 [P, D]. Departs
// from the paper: matrices may start with Xavier's bound, because deep models saturate otherwise on
// small data (models.md 2.6).
constexpr double kDeviation = 0.07;
void initialiseMatrix(Initialiser& random, const torch::Tensor& matrix, bool xavier);

}  // namespace strata::deepatt
