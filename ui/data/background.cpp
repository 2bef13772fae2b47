#include "ui/data/background.h"

#include <QPromise>
#include <QThreadPool>

namespace strata::ui {

Background::Background(QObject* parent) : QObject(parent) {
  connect(&watcher_, &QFutureWatcherBase::finished, this, [this] {
    if (!busy_ || watcher_.future().resultCount() == 0) return;  // it came too late
    busy_ = false;
    watcher_.result()();
  });
}

Background::Where Background::placeFor(std::size_t values) {
  static constexpr std::size_t kMostHere = 500'000;  // which take some 10 ms
  return values > kMostHere ? Where::kThread : Where::kHere;
}

void Background::drop() {
  busy_ = false;
  watcher_.setFuture({});
}

void Background::start(Where where, const std::function<Shown()>& work) {
  drop();
  if (where == Where::kHere) return work()();
  busy_ = true;
  const auto promise = std::make_shared<QPromise<Shown>>();
  promise->start();
  watcher_.setFuture(promise->future());
  QThreadPool::globalInstance()->start([promise, work] {
    promise->addResult(work());
    promise->finish();
  });
}

void freeElsewhere(std::shared_ptr<const void> value) {
  QThreadPool::globalInstance()->start([value = std::move(value)] {});
}

}  // namespace strata::ui
