#include "core/train/training_clock.h"

#include <utility>

namespace strata {

void TrainingClock::start(Time now) {
  lapStart_ = windowStart_ = now;
  tokens_ = 0;
}

double TrainingClock::lap(Time now) {
  return std::chrono::duration<double>(now - std::exchange(lapStart_, now)).count();
}

double TrainingClock::takeSpeed(Time now) {
  const std::chrono::duration<double> window = now - std::exchange(windowStart_, now);
  return static_cast<double>(std::exchange(tokens_, 0)) / window.count();
}

}  // namespace strata
