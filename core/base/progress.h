#pragma once
#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace strata {

// Where long work reports how far it is. Calls may come as often as the work likes; what is drawn
// is the sink's business.
class Progress {
 public:
  virtual ~Progress() = default;
  // total 0: not known. `unit` is a plural ("lines", "sentences").
  virtual void begin(std::string_view what, std::int64_t total, std::string_view unit) = 0;
  virtual void advance(std::int64_t done) = 0;  // absolute, not an increment
  virtual void end() = 0;
};

// Draws nothing.
Progress& noProgress();

// A bar with rate and time left on stderr when that is a terminal, at most ten times a second; else
// nothing.
Progress& terminalProgress();

// Thrown by checkCancelled. Caught where Error is; it is not a failure of the work.
class Cancelled : public Error {
 public:
  Cancelled() : Error("cancelled") {}
};

inline void checkCancelled(const std::stop_token& stop) {
  if (stop.stop_requested()) throw Cancelled();
}

}  // namespace strata
