#pragma once
#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace strata {

// Receives the progress of long work, and by itself draws nothing. May be called as often as
// convenient; the sink decides what it draws.
class Progress {
 public:
  virtual ~Progress() = default;
  // total 0: unknown. `unit` is a plural ("lines", "sentences").
  virtual void begin(std::string_view /*what*/, std::int64_t /*total*/, std::string_view /*unit*/) {
  }
  virtual void advance(std::int64_t /*done*/) {}  // absolute, not an increment
  virtual void end() {}
};

// Draws nothing.
Progress& noProgress();

// A bar with rate and remaining time on stderr if that is a terminal, updated at most ten times per
// second; else nothing. Lines for programs if the environment asks for them
// (core/base/progress_line.h).
Progress& terminalProgress();

// Thrown by checkCancelled. Caught where Error is; not a failure of the work.
class Cancelled : public Error {
 public:
  Cancelled() : Error("cancelled") {}
};

inline void checkCancelled(const std::stop_token& stop) {
  if (stop.stop_requested()) throw Cancelled();
}

}  // namespace strata
