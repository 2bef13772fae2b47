#pragma once
#include <functional>
#include <utility>

#include "ui/data/queries.h"

namespace strata::ui {

// What WorkspaceService::watch() can be asked is a type with its `News` and a cursor. In the
// workspace's thread, read() sends what it has not sent yet; it is called whenever the index has
// changed, and with `kAlways` at each poll. A watch with goOnFrom() takes over what an earlier one
// of its type has read; what that one has sent therefore still arrives.
template <typename News>
using Send = std::function<void(News)>;

// A watch of any type, with where its news go.
class AnyWatch {
 public:
  virtual ~AnyWatch() = default;
  virtual void read(OpenWorkspace& open) = 0;
  virtual void goOnFrom(AnyWatch& earlier) = 0;  // of the same type
  virtual bool isReadAlways() const = 0;
};

template <typename Watch>
concept GoesOn = requires(Watch& watch) {
  watch.goOnFrom(watch);
};

template <typename Watch>
class SendingWatch : public AnyWatch {
 public:
  using News = typename Watch::News;

  SendingWatch(Watch watch, Send<News> send) : watch_(std::move(watch)), send_(std::move(send)) {}

  void read(OpenWorkspace& open) override { watch_.read(open, send_); }
  void goOnFrom(AnyWatch& earlier) override {
    if constexpr (GoesOn<Watch>) watch_.goOnFrom(static_cast<SendingWatch&>(earlier).watch_);
  }
  bool isReadAlways() const override {
    return requires {
      Watch::kAlways;
    };
  }

 private:
  Watch watch_;
  Send<News> send_;
};

}  // namespace strata::ui
