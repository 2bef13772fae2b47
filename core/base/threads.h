#pragma once
#include <cstddef>
#include <functional>

namespace strata {

// Cores on which this process may run; at least 1.
int availableCores();

constexpr std::size_t kSentencesAThread = 64;  // fewer are not worth a thread

// Calls body(begin, end) over [0, count) in equal parts, one per thread; `wanted` threads (0: one
// per core) but none for fewer than `fewest`. When all have ended, rethrows the exception of the
// earliest part that threw.
void inParts(std::size_t count, std::size_t fewest, int wanted,
             const std::function<void(std::size_t, std::size_t)>& body);

// Calls body(i) for each i below `count`, a few pieces of work of about the same size; threads and
// exceptions as above.
void inParallel(std::size_t count, int wanted, const std::function<void(std::size_t)>& body);

}  // namespace strata
