#pragma once
#include <QPointer>
#include <QString>
#include <atomic>
#include <functional>
#include <utility>
#include <vector>

namespace strata::ui {

// A query that waits for its answer, with all who ask it. Only `begun` and `unwanted` belong to
// both threads: who asks before the query is read shares its answer, and what nobody asks any more
// is not read.
template <typename Query>
struct PendingRead {
  using Done = std::function<void(const typename Query::Answer&)>;
  using Failed = std::function<void(const QString&)>;
  struct Asker {
    QPointer<QObject> context;
    Done done;
    Failed failed;
  };

  explicit PendingRead(Query asked) : query(std::move(asked)) {}
  // Whether somebody else asks it.
  bool forget(const QObject* context) {
    std::erase_if(askers, [context](const Asker& each) { return each.context == context; });
    unwanted = askers.empty();
    return !unwanted;
  }

  const Query query;
  std::atomic<bool> begun = false, unwanted = false;
  std::vector<Asker> askers;
};

}  // namespace strata::ui
