#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "core/base/progress.h"
#include "core/run/events.h"

namespace strata {

// Shows a run on stderr: a progress bar with rate and remaining time on a terminal, else regular
// log lines.
class ConsoleSink : public EventSink {
 public:
  // `updates`: total number, 0: unknown; `from`: number already done.
  ConsoleSink(std::int64_t updates, std::int64_t from);
  ~ConsoleSink() override;

  void tick();  // call after every update; cheap
  void scalars(const std::vector<ScalarEvent>& events) override;
  void checkpoint(const CheckpointEvent& event) override;
  void ended(const RunEndEvent& event) override;

  const std::map<std::string, ScalarEvent>& newest() const {
    return newest_;
  }  // latest event of every series

 private:
  using Clock = std::chrono::steady_clock;
  void endBar();

  Progress& bar_;
  std::int64_t from_, done_;
  bool open_ = true;
  Clock::time_point shown_;
  std::map<std::string, ScalarEvent> newest_;
};

}  // namespace strata
