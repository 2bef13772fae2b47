#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "core/base/progress.h"
#include "core/run/events.h"

namespace strata {

// Shows a run on stderr: a bar with rate and time left on a terminal, else a line every so often.
class ConsoleSink : public EventSink {
 public:
  // `updates`: how many there will be, 0 when nobody knows; `from`: how many are done.
  ConsoleSink(std::int64_t updates, std::int64_t from);
  ~ConsoleSink() override;

  void tick();  // one more update is done; cheap
  void scalars(const std::vector<ScalarEvent>& events) override;
  void checkpoint(const CheckpointEvent& event) override;
  void ended(const RunEndEvent& event) override;

  const std::map<std::string, ScalarEvent>& newest() const { return newest_; }  // of every series

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
