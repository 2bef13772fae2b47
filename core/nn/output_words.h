// The output layer for some words of the target vocabulary only.
//   R rows, D width of features, N words
#pragma once
#include <torch/types.h>

#include <map>
#include <memory>
#include <vector>

#include "core/data/batch.h"
#include "core/nn/translation_model.h"

namespace strata {

// The words that a search may choose from, with their rows of each model's output layer. Models
// score only these while it is in this thread's Arithmetic. Not thread-safe.
class OutputWords {
 public:
  explicit OutputWords(std::vector<TokenId> ids);  // ascending, without duplicates
  ~OutputWords();

  const std::vector<TokenId>& ids() const { return ids_; }
  // What project() gives for these words [R, N], without gradients; a new tensor. The rows are
  // taken at a model's first call: its parameters must not change from then on.
  torch::Tensor scores(TranslationModel& model, const torch::Tensor& features_RD);

 private:
  struct Rows {
    torch::Tensor ids_N;              // int64, on the model's device
    torch::Tensor weight_ND, bias_N;  // the weight is undefined if project() is not one product
    std::unique_ptr<PackedWeights> packed;  // null if the search packs no weights
  };
  const Rows& rowsOf(TranslationModel& model);

  std::vector<TokenId> ids_;
  std::map<const TranslationModel*, Rows> rows_;  // several in an ensemble
};

}  // namespace strata
