#pragma once
#include <QFutureWatcher>
#include <QObject>
#include <functional>
#include <memory>
#include <utility>

namespace strata::ui {

// Computes what a widget shows: small things at once, so that nothing flickers; what would let the
// window wait in another thread. Only the latest that was asked for arrives.
class Background : public QObject {
 public:
  enum class Where { kHere, kThread };

  explicit Background(QObject* parent);

  // Where something is computed of so many recorded values.
  static Where placeFor(std::size_t values);

  // Passes what `work` returns to `show`, in this thread. `work` may outlive its widget: it has its
  // own share of all that it reads, and neither a widget nor the theme.
  template <typename Work, typename Show>
  void run(Where where, Work work, Show show) {
    start(where, [work = std::move(work), show = std::move(show)]() -> Shown {
      auto made = std::make_shared<decltype(work())>(work());
      return [made, show] { show(std::move(*made)); };
    });
  }
  void drop();                           // what has not arrived, does not
  bool isBusy() const { return busy_; }  // something has not arrived yet

 private:
  using Shown = std::function<void()>;
  void start(Where where, const std::function<Shown()>& work);

  QFutureWatcher<Shown> watcher_;
  bool busy_ = false;
};

// Frees what may be large in another thread: giving much memory back to the system takes a while.
void freeElsewhere(std::shared_ptr<const void> value);
template <typename T>
void freeLater(T value) {
  freeElsewhere(std::make_shared<const T>(std::move(value)));
}

}  // namespace strata::ui
