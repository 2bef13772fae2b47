// Inverted dropout whose masks are functions of (seed, step, site, row, column): no random
// generator state has to be saved, and results do not depend on the number of threads.
#pragma once
#include <torch/torch.h>

#include <cstdint>
#include <memory>

#include "core/nn/translation_model.h"

namespace strata {

// One application of dropout: the key decides which elements are zeroed.
struct Dropout {
  double rate = 0;  // [0, 1); 0: off
  std::uint64_t key = 0;
  bool on() const { return rate > 0; }
};

// The rates and the key of one model's current forward pass, shared by all its dropout sites
// (TranslationModel::dropout_).
struct DropoutState {
  DropoutRates rates;
  std::uint64_t seed = 0, step = 0;
  bool training = true;
  int sites = 0;  // handed out so far
};

// One place in a model where dropout is applied.
class DropoutSite {
 public:
  enum class Kind { kFeatures, kAttention, kActivation };
  DropoutSite(std::shared_ptr<DropoutState> state, Kind kind)
      : state_(std::move(state)), kind_(kind), number_(state_->sites++) {}
  // The application in this pass; off outside training.
  Dropout draw() const;

 private:
  std::shared_ptr<DropoutState> state_;
  Kind kind_;
  int number_;
};

// x with dropout applied; rows run along the last axis. On a GPU the device's own generator is
// used, which TranslationModel::keyDropout seeds.
torch::Tensor applyDropout(const torch::Tensor& x, const Dropout& dropout);

}  // namespace strata
