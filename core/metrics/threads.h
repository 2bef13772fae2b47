#pragma once
#include <cstddef>
#include <functional>

namespace strata {

// body(begin, end) over [0, count) in equal parts, one a thread; as many threads as `wanted` (0: as
// there are cores) but none for fewer than `fewest`. An exception of a part is thrown here, when
// all have ended.
void inParts(std::size_t count, std::size_t fewest, int wanted,
             const std::function<void(std::size_t, std::size_t)>& body);

}  // namespace strata
