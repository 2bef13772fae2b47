#pragma once
#include <chrono>
#include <cstdint>

namespace strata {

// Measures a run's time, which a time limit counts, and its speed, which is of training alone:
// pauses for validation, recordings and checkpoints count as time but not for the speed.
class TrainingClock {
 public:
  using Clock = std::chrono::steady_clock;
  using Time = Clock::time_point;

  void start(Time now = Clock::now());
  // Seconds since the last call, or since the start.
  double lap(Time now = Clock::now());
  void count(std::int64_t tokens) { tokens_ += tokens; }
  // Tokens per second since the last call, or since the start.
  double takeSpeed(Time now = Clock::now());
  void leaveOut(Clock::duration pause) { windowStart_ += pause; }

  // Leaves its own lifetime out of the speed.
  class Pause {
   public:
    explicit Pause(TrainingClock& clock) : clock_(clock), begin_(Clock::now()) {}
    ~Pause() { clock_.leaveOut(Clock::now() - begin_); }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    TrainingClock& clock_;
    Time begin_;
  };

 private:
  Time lapStart_, windowStart_;
  std::int64_t tokens_ = 0;  // of the window
};

}  // namespace strata
