#include "ui/data/in_parallel.h"

#include <QSemaphore>
#include <QThreadPool>
#include <algorithm>
#include <atomic>
#include <memory>

namespace strata::ui {
namespace {

// A thread that starts when no part is left touches only this, which then outlives the call.
struct Parts {
  int count = 0;
  const std::function<void(int part)>* work = nullptr;  // valid until all parts are done
  std::atomic<int> next = 0;
  QSemaphore done;

  void run() {
    for (int part = next++; part < count; part = next++) {
      (*work)(part);
      done.release();
    }
  }
};

}  // namespace

void inParallel(int parts, const std::function<void(int part)>& work) {
  const auto shared = std::make_shared<Parts>();
  shared->count = parts;
  shared->work = &work;
  QThreadPool* pool = QThreadPool::globalInstance();
  const int others = std::min(parts, pool->maxThreadCount()) - 1;
  for (int i = 0; i < others; ++i) {
    if (!pool->tryStart([shared] { shared->run(); })) break;
  }
  shared->run();
  shared->done.acquire(parts);
}

}  // namespace strata::ui
