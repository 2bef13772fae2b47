#include "core/train/training_clock.h"

#include <utility>

namespace strata {
namespace {

double secondsBetween(TrainingClock::Time begin, TrainingClock::Time end) {
  return std::chrono::duration<double>(end - begin).count();
}

}  // namespace

void TrainingClock::start(Time now) {
  lapStart_ = windowStart_ = now;
  tokens_ = 0;
}

double TrainingClock::lap(Time now) {
  return secondsBetween(std::exchange(lapStart_, now), now);
}

double TrainingClock::takeSpeed(Time now) {
  const auto tokens = static_cast<double>(std::exchange(tokens_, 0));
  return tokens / secondsBetween(std::exchange(windowStart_, now), now);
}

}  // namespace strata
