#pragma once

// Milliseconds of CPU time that the window may take between two returns to its event loop: twice
// the 50 that a quiet computer may need, for other tests run beside this one. What a window needs
// is measured by strata --benchmark.
#ifdef __SANITIZE_ADDRESS__
inline constexpr double kLongestTurn = 1000;
#else
inline constexpr double kLongestTurn = 100;
#endif
