#include "app/server/server.h"

#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/base/error_message.h"
#include "core/base/log.h"
#include "core/base/progress.h"

namespace strata {
namespace {

constexpr std::size_t kMaximumWaitingBytes = 64u << 20;
constexpr auto kReaderCheckInterval = std::chrono::milliseconds(100);

Json memberOf(const Json& params, const char* name) {
  return params.is_object() && params.contains(name) ? params[name] : Json();
}

rpc::Fault fault(int code, std::string message) {
  return {.code = code, .message = std::move(message), .data = {}};
}

}  // namespace

ServeServer::ServeServer(std::map<std::string, ServeMethod> methods, const rpc::Limits& limits)
    : methods_(std::move(methods)), limits_(limits) {}

void ServeServer::serve(int input, int output) {
  lines_ = std::make_unique<ServeLines>(input, output, limits_.bytes);
  std::jthread worker([this](const std::stop_token& ended) { work(ended); });
  std::string line;
  for (;;) {
    const auto read = lines_->read(line);
    if (read == ServeLines::Read::kEnd) break;
    if (read == ServeLines::Read::kGone) {
      cancelCalls([](const Call&) { return true; });
      break;
    }
    if (read == ServeLines::Read::kTooLong) {
      answer(Json(), fault(rpc::kInvalidRequest,
                           fmt::format("the message has more than {} bytes", limits_.bytes)));
    } else if (line.find_first_not_of(" \t\r") != std::string::npos) {
      take(line);
    }
  }
  finish();
}

void ServeServer::take(const std::string& line) {
  try {
    rpc::Message message = rpc::parse(line, limits_);
    // The server sends no requests, so a response answers nothing.
    if (auto* request = std::get_if<rpc::Request>(&message))
      takeRequest(std::move(*request), line.size());
  } catch (const rpc::Invalid& error) {
    answer(error.id(), fault(error.code(), error.what()));
  }
}

void ServeServer::takeRequest(rpc::Request request, std::size_t bytes) {
  if (request.method == "cancel") {
    cancel(request);
    return;
  }
  const auto found = methods_.find(request.method);
  if (found == methods_.end()) {
    answer(request.id, unknownMethod(request.method));
  } else if (found->second.light) {
    answer(request.id, result(found->second, request.params, {}));
  } else {
    if (memberOf(request.params, "latest") == true) supersede(request.method);
    queue(std::move(request), bytes);
  }
}

void ServeServer::queue(rpc::Request request, std::size_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    if (waitingBytes_ + bytes <= kMaximumWaitingBytes) {
      waitingBytes_ += bytes;
      auto call = std::make_shared<Call>();
      call->request = std::move(request);
      call->bytes = bytes;
      waiting_.push_back(std::move(call));
      changed_.notify_all();
      return;
    }
  }
  answer(request.id, fault(rpc::kFailed, "too many calls are waiting; wait for their answers"));
}

std::vector<ServeServer::CallPointer> ServeServer::cancelCalls(
    const std::function<bool(const Call&)>& which) {
  std::vector<CallPointer> given;
  const std::lock_guard lock(mutex_);
  if (current_ && !current_->answered && which(*current_)) given.push_back(current_);
  std::erase_if(waiting_, [&](const CallPointer& call) {
    if (!which(*call)) return false;
    waitingBytes_ -= call->bytes;
    given.push_back(call);
    return true;
  });
  for (const CallPointer& call : given) {
    call->answered = true;
    call->stop.request_stop();
  }
  return given;
}

void ServeServer::cancel(const rpc::Request& request) {
  const Json id = memberOf(request.params, "id");
  if (!(id.is_number_integer() || id.is_string()) || request.params.size() != 1) {
    answer(request.id,
           fault(rpc::kInvalidParams, "cancel: params must be {\"id\": the call's id}"));
    return;
  }
  const auto given =
      cancelCalls([&](const Call& call) { return call.request.id && *call.request.id == id; });
  answer(request.id, Json{{"cancelled", !given.empty()}});
  for (const CallPointer& call : given)
    answer(call->request.id, fault(rpc::kCancelled, "cancelled"));
}

void ServeServer::supersede(const std::string& method) {
  const auto given = cancelCalls([&](const Call& call) { return call.request.method == method; });
  for (const CallPointer& call : given)
    answer(call->request.id, fault(rpc::kCancelled, "cancelled by a later call"));
}

void ServeServer::work(const std::stop_token& ended) {
  for (;;) {
    CallPointer call;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, ended, [this] { return !waiting_.empty(); })) return;
      call = current_ = waiting_.front();
      waiting_.pop_front();
      waitingBytes_ -= call->bytes;
    }
    auto given =
        result(methods_.at(call->request.method), call->request.params, call->stop.get_token());
    bool wanted = false;
    {
      const std::lock_guard lock(mutex_);
      wanted = !std::exchange(call->answered, true);
    }
    if (wanted) answer(call->request.id, std::move(given));
    const std::lock_guard lock(mutex_);
    current_.reset();
    changed_.notify_all();
  }
}

void ServeServer::finish() {
  std::unique_lock lock(mutex_);
  while (current_ || !waiting_.empty()) {
    changed_.wait_for(lock, kReaderCheckInterval);
    if (!lines_->isReaderGone()) continue;
    lock.unlock();
    cancelCalls([](const Call&) { return true; });
    lock.lock();
  }
}

std::variant<Json, rpc::Fault> ServeServer::result(const ServeMethod& method, const Json& params,
                                                   const std::stop_token& stop) const {
  try {
    return method.run(params, stop);
  } catch (const rpc::Invalid& error) {
    return fault(error.code(), error.what());
  } catch (const Cancelled& error) {
    return fault(rpc::kCancelled, error.what());
  } catch (const Error& error) {
    return fault(rpc::kFailed, error.what());
  } catch (const std::exception& error) {
    spdlog::error("internal error: {}", messageOf(error));
    spdlog::debug("{}", error.what());
    return fault(rpc::kInternalError, messageOf(error));
  }
}

void ServeServer::answer(const std::optional<Json>& id, std::variant<Json, rpc::Fault> result) {
  if (!id) return;
  lines_->write(rpc::line(rpc::Response{.id = *id, .result = std::move(result)}));
}

rpc::Fault ServeServer::unknownMethod(const std::string& name) const {
  std::string known;
  for (const auto& [method, run] : methods_) known += method + ", ";
  return fault(rpc::kMethodNotFound,
               fmt::format("there is no method '{}'; there are {}cancel", name, known));
}

}  // namespace strata
