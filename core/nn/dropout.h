// Inverted dropout whose masks are functions of (seed, step, site, row, column): no random
// generator state has to be saved, and results do not depend on the number of threads.
#pragma once
#include <torch/types.h>

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

// One application to rows of features. An attention takes only the Dropout of it: rows of weights
// are those of (sentence, head, query), with padding or without.
struct RowDropout : Dropout {
  RowDropout(const Dropout& dropout = {},  // NOLINT(google-explicit-constructor): all rows
             torch::Tensor numbers = {})
      : Dropout(dropout), numbers_N(std::move(numbers)) {}
  torch::Tensor numbers_N;  // of the rows, int64 on the CPU; undefined: 0, 1, ...
};

// The rates and the key of one model's current forward pass, shared by all its dropout sites
// (TranslationModel::dropout_).
struct DropoutState {
  DropoutRates rates;
  std::uint64_t seed = 0, step = 0;
  bool training = true;
  int sites = 0;  // handed out so far
  // Of the words' rows (WordRows::places_N) where padding is left out, so that a word's mask does
  // not depend on whether it is.
  torch::Tensor numbers_N = {};
};

// One place in a model where dropout is applied.
class DropoutSite {
 public:
  enum class Kind { kFeatures, kAttention, kActivation };
  DropoutSite(std::shared_ptr<DropoutState> state, Kind kind)
      : state_(std::move(state)), kind_(kind), number_(state_->sites++) {}
  // The application in this pass; off outside training.
  RowDropout draw() const;

 private:
  std::shared_ptr<DropoutState> state_;
  Kind kind_;
  int number_;
};

// x with dropout applied; rows run along the last axis. On a GPU the device's own generator is
// used, which TranslationModel::keyDropout seeds.
torch::Tensor applyDropout(const torch::Tensor& x, const RowDropout& dropout);

}  // namespace strata
