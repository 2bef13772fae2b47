#include "core/train/pending_updates.h"

#include <cmath>
#include <utility>

namespace strata {

UpdateInput inputOf(std::int64_t step, std::span<const Batch> batches) {
  UpdateInput input{.step = step, .sentences = {}};
  for (const Batch& batch : batches) {
    const std::int64_t tokens = batch.targetTokens();
    input.tokens += tokens;
    input.real += tokens + batch.source.tokens();
    input.padded +=
        batch.source.rows * batch.source.columns + batch.targetOut.rows * batch.targetOut.columns;
    input.sentences.insert(input.sentences.end(), batch.sentences.begin(), batch.sentences.end());
  }
  return input;
}

bool UpdateResults::isFinite() const {
  return std::isfinite(nll) && std::isfinite(loss) && std::isfinite(errors) &&
         std::isfinite(gradientNorm);
}

void UpdateResults::addTo(RunningSums& sums, double clipNorm) const {
  sums.nll += nll;
  sums.loss += loss;
  sums.errors += errors;
  sums.tokens += input.tokens;
  sums.real += input.real;
  sums.padded += input.padded;
  ++sums.updates;
  if (clipNorm > 0 && gradientNorm > clipNorm) ++sums.clipped;
}

void PendingUpdates::add(UpdateInput input, torch::Tensor values_4) {
  inputs_.push_back(std::move(input));
  values_.push_back(std::move(values_4));
}

std::vector<UpdateResults> PendingUpdates::fetch() {
  std::vector<UpdateResults> fetched;
  if (inputs_.empty()) return fetched;
  const auto host_N4 = torch::stack(std::exchange(values_, {})).cpu();
  const double* row = host_N4.data_ptr<double>();
  for (UpdateInput& input : std::exchange(inputs_, {})) {
    fetched.push_back({.input = std::move(input),
                       .nll = row[0],
                       .loss = row[1],
                       .errors = row[2],
                       .gradientNorm = row[3]});
    row += 4;
  }
  return fetched;
}

}  // namespace strata
