#include "app/store_sink.h"

namespace strata {

void StoreSink::scalars(const std::vector<ScalarEvent>& events) {
  session_.scalars(events);
}
void StoreSink::sample(const SampleEvent& event) {
  session_.sample(event);
}
void StoreSink::flush() {
  session_.flush();
}
void StoreSink::checkpoint(const CheckpointEvent& event) {
  session_.checkpoint(event);
}
void StoreSink::recording(const RecordingEvent& event) {
  session_.recording(event);
}
void StoreSink::ended(const RunEndEvent& event) {
  session_.end(event);
}

}  // namespace strata
