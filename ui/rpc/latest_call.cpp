#include "ui/rpc/latest_call.h"

#include <utility>

namespace strata::ui {

LatestCall::LatestCall(EngineClient* engine, QObject* parent) : QObject(parent), engine_(engine) {}

void LatestCall::send(const QString& method, const Json& params, EngineClient::Done done,
                      EngineClient::Failed failed) {
  cancel();
  call_ = engine_->call(method, params, this, std::move(done), std::move(failed));
}

void LatestCall::cancel() {
  if (call_ != 0) engine_->cancel(std::exchange(call_, 0));  // a call that has ended is ignored
}

}  // namespace strata::ui
