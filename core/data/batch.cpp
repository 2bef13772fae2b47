#include "core/data/batch.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace strata {

std::int64_t TokenMatrix::tokens() const {
  return std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
}

void TokenMatrix::layOut(std::int64_t lengthMultiple) {
  rows = std::ssize(lengths);
  columns = lengths.empty() ? 0 : paddedLength(std::ranges::max(lengths), lengthMultiple);
  ids.assign(static_cast<std::size_t>(rows * columns), kPadId);
}

TokenMatrix padded(const std::vector<std::vector<TokenId>>& sentences) {
  TokenMatrix matrix;
  for (const auto& sentence : sentences) matrix.lengths.push_back(std::ssize(sentence));
  matrix.layOut();
  auto row = matrix.ids.begin();
  for (const auto& sentence : sentences) {
    std::copy(sentence.begin(), sentence.end(), row);
    row += matrix.columns;
  }
  return matrix;
}

}  // namespace strata
