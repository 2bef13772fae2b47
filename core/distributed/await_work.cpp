#include "core/distributed/await_work.h"

namespace strata {

void awaitWork(c10d::Work& work, std::chrono::milliseconds slice,
               const std::function<void()>& look) {
  while (true) {
    // A wait that takes too long throws as a failure does, and the work may be done just then: only
    // what a work throws that was done before is its own failure.
    const bool done = work.isCompleted();
    try {
      work.wait(slice);
      return;
    } catch (const std::exception&) {
      if (done) throw;
    }
    look();
  }
}

}  // namespace strata
