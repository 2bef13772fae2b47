// Loaded before the C library (LD_PRELOAD): a clock that is wrong, or that somebody sets.
//
//   CLOCK_OFFSET  seconds that the time of day is ahead
//   CLOCK_JUMP    seconds by which it is set, CLOCK_AFTER seconds after the program began
//
// Monotonic clocks, which nobody sets, are as they are.
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>

#include <cmath>
#include <cstdlib>

namespace {

using GetTime = int (*)(clockid_t, timespec*);

int realTime(clockid_t clock, timespec* time) {
  static const auto kReal = reinterpret_cast<GetTime>(dlsym(RTLD_NEXT, "clock_gettime"));
  return kReal(clock, time);
}

double number(const char* variable) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::atof(text) : 0;
}

double monotonicSeconds() {
  timespec time{};
  realTime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

time_t secondsAhead() {
  static const double kBegun = monotonicSeconds(), kOffset = number("CLOCK_OFFSET"),
                      kJump = number("CLOCK_JUMP"), kAfter = number("CLOCK_AFTER");
  const bool jumped = kJump != 0 && monotonicSeconds() - kBegun >= kAfter;
  return static_cast<time_t>(std::lround(kOffset + (jumped ? kJump : 0)));
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const int result = realTime(clock, time);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
    time->tv_sec += secondsAhead();
  return result;
}

int gettimeofday(timeval* time, void*) noexcept {
  timespec now{};
  const int result = clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return result;
}

time_t time(time_t* out) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (out != nullptr) *out = now.tv_sec;
  return now.tv_sec;
}
}
