#pragma once
#include "core/run/events.h"
#include "core/store/run_session.h"

namespace strata {

// Writes the trainer's values into the workspace. `session` must outlive it.
class StoreSink : public EventSink {
 public:
  explicit StoreSink(RunSession& session) : session_(session) {}
  void scalars(const std::vector<ScalarEvent>& events) override;
  void sample(const SampleEvent& event) override;
  void flush() override;
  void checkpoint(const CheckpointEvent& event) override;
  void recording(const RecordingEvent& event) override;
  void ended(const RunEndEvent& event) override;

 private:
  RunSession& session_;
};

}  // namespace strata
