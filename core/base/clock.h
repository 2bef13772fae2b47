#pragma once

namespace strata {

// Seconds since the Unix epoch, by the computer's clock: what other processes compare.
double nowSeconds();

// The same at this process's first call, and from then on counted by a clock that nobody sets and
// that goes on while the computer sleeps: differences are durations, even if the computer's clock
// is set meanwhile. For what happens within a training.
double countedSeconds();

}  // namespace strata
