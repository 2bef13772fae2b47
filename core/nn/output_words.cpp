#include "core/nn/output_words.h"

#include <utility>

#include "core/nn/packed_weights.h"
#include "core/nn/upload.h"

namespace strata {

using torch::Tensor;

OutputWords::OutputWords(std::vector<TokenId> ids) : ids_(std::move(ids)) {}

OutputWords::~OutputWords() = default;

const OutputWords::Rows& OutputWords::rowsOf(TranslationModel& model) {
  const auto [at, added] = rows_.try_emplace(&model);
  Rows& rows = at->second;
  if (!added) return rows;
  rows.ids_N = uploaded(torch::tensor(ids_, torch::kInt64), model.device());
  const auto whole = model.projection();
  if (!whole.weight_VD.defined()) return rows;
  rows.weight_ND = whole.weight_VD.index_select(0, rows.ids_N);
  if (whole.bias_V.defined()) rows.bias_N = whole.bias_V.index_select(0, rows.ids_N);
  if (const PackedWeights* packed = packedWeights()) {
    rows.packed = std::make_unique<PackedWeights>(NamedParameters{{"weight", rows.weight_ND}},
                                                  packed->compute());
  }
  return rows;
}

Tensor OutputWords::scores(TranslationModel& model, const Tensor& features_RD) {
  const torch::NoGradGuard frozen;
  const Rows& rows = rowsOf(model);
  if (!rows.weight_ND.defined()) return model.project(features_RD).index_select(1, rows.ids_N);
  Arithmetic used = arithmetic();
  used.packed = rows.packed.get();
  const ArithmeticScope scope(used);
  return affine(features_RD, rows.weight_ND, rows.bias_N);
}

}  // namespace strata
