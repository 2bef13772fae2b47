#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "app/server/lines.h"
#include "core/base/json.h"
#include "core/run/jsonrpc.h"

namespace strata {

// The implementation of a method. Its exceptions become error responses.
struct ServeMethod {
  std::function<Json(const Json& params, const std::stop_token& stop)> run;
  // Answered directly by the reading thread, even while another call runs; must only take
  // milliseconds.
  bool light = false;
};

// A JSON-RPC 2.0 server over two descriptors, one message per line. One thread reads and answers
// light methods and `cancel`; another runs the other calls, one at a time in order of arrival. A
// cancelled call fails at once with rpc::kCancelled; its computation is asked to stop and its
// result is discarded. A call with "latest": true in its params cancels the unanswered calls of its
// method, so that the latest input wins.
class ServeServer {
 public:
  explicit ServeServer(std::map<std::string, ServeMethod> methods, const rpc::Limits& limits = {});

  // Serves until the end of the input, answers all pending calls, and returns. Returns early if the
  // reader of the answers has closed.
  void serve(int input, int output);

 private:
  struct Call {
    rpc::Request request;
    std::size_t bytes = 0;  // size of its line
    std::stop_source stop;
    bool answered = false;
  };
  using CallPointer = std::shared_ptr<Call>;

  void take(const std::string& line);
  void takeRequest(rpc::Request request, std::size_t bytes);
  void queue(rpc::Request request, std::size_t bytes);
  void cancel(const rpc::Request& request);
  void supersede(const std::string& method);
  std::vector<CallPointer> cancelCalls(const std::function<bool(const Call&)>& which);
  void work(const std::stop_token& ended);
  void finish();
  std::variant<Json, rpc::Fault> result(const ServeMethod& method, const Json& params,
                                        const std::stop_token& stop) const;
  void answer(const std::optional<Json>& id, std::variant<Json, rpc::Fault> result);
  rpc::Fault unknownMethod(const std::string& name) const;

  std::map<std::string, ServeMethod> methods_;
  rpc::Limits limits_;
  std::unique_ptr<ServeLines> lines_;

  std::mutex mutex_;  // guards the members below
  std::condition_variable_any changed_;
  std::deque<CallPointer> waiting_;
  CallPointer current_;
  std::size_t waitingBytes_ = 0;
};

}  // namespace strata
