#pragma once
#include <cstddef>
#include <functional>

namespace strata {

constexpr std::size_t kSentencesAThread = 64;  // fewer to compare are not worth one

// body(begin, end) over [0, count) in equal parts, one a thread; as many threads as `wanted` (0: as
// there are cores) but none for fewer than `fewest`. When all have ended, the exception of the
// earliest part that threw is thrown here.
void inParts(std::size_t count, std::size_t fewest, int wanted,
             const std::function<void(std::size_t, std::size_t)>& body);

}  // namespace strata
