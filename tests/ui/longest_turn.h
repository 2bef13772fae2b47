#pragma once
#include <ctime>

// Milliseconds of CPU time that the window may take between two returns to its event loop: twice
// the 50 that a quiet computer may need, for other tests run beside this one. What a window needs
// is measured by strata --benchmark.
#ifdef __SANITIZE_ADDRESS__
inline constexpr double kLongestTurn = 1000;
#else
inline constexpr double kLongestTurn = 100;
#endif

// Of this thread.
inline double cpuMilliseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) * 1e3 + double(now.tv_nsec) / 1e6;
}
