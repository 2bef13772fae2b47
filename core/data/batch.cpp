#include "core/data/batch.h"

#include <algorithm>
#include <numeric>

namespace strata {

std::int64_t TokenMatrix::tokens() const {
  return std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
}

TokenMatrix padded(const std::vector<std::vector<TokenId>>& sentences) {
  TokenMatrix matrix;
  matrix.rows = static_cast<std::int64_t>(sentences.size());
  for (const auto& sentence : sentences) {
    matrix.lengths.push_back(static_cast<std::int64_t>(sentence.size()));
    matrix.columns = std::max(matrix.columns, matrix.lengths.back());
  }
  matrix.ids.assign(static_cast<std::size_t>(matrix.rows * matrix.columns), kPadId);
  auto row = matrix.ids.begin();
  for (const auto& sentence : sentences) {
    std::copy(sentence.begin(), sentence.end(), row);
    row += matrix.columns;
  }
  return matrix;
}

}  // namespace strata
