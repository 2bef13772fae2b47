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

// What a method does. Its errors become the call's fault.
struct ServeMethod {
  std::function<Json(const Json& params, const std::stop_token& stop)> run;
  // Answered at once by the reading thread, also while another call computes; takes milliseconds.
  bool light = false;
};

// A JSON-RPC 2.0 server over two descriptors, one message a line. One thread reads and answers
// light methods and `cancel`; another runs the other calls, one at a time in the order of their
// arrival. A cancelled call fails at once with rpc::kCancelled; its computation is asked to stop
// and what it still gives is thrown away. A call whose params hold "latest": true gives up the
// unanswered calls of its method, so that the latest input wins.
class ServeServer {
 public:
  explicit ServeServer(std::map<std::string, ServeMethod> methods, const rpc::Limits& limits = {});

  // Serves until the input ends, answers what was asked before, and returns. Returns early when
  // nobody reads the answers any more.
  void serve(int input, int output);

 private:
  struct Call {
    rpc::Request request;
    std::size_t bytes = 0;  // of its line
    std::stop_source stop;
    bool answered = false;
  };
  using CallPointer = std::shared_ptr<Call>;

  void take(const std::string& line);
  void takeRequest(rpc::Request request, std::size_t bytes);
  void queue(rpc::Request request, std::size_t bytes);
  void cancel(const rpc::Request& request);
  void supersede(const std::string& method);
  std::vector<CallPointer> giveUp(const std::function<bool(const Call&)>& which);
  void work(const std::stop_token& ended);
  void finish();
  std::variant<Json, rpc::Fault> result(const ServeMethod& method, const Json& params,
                                        const std::stop_token& stop) const;
  void answer(const std::optional<Json>& id, std::variant<Json, rpc::Fault> result);
  rpc::Fault unknownMethod(const std::string& name) const;

  std::map<std::string, ServeMethod> methods_;
  rpc::Limits limits_;
  std::unique_ptr<ServeLines> lines_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  std::deque<CallPointer> waiting_;
  CallPointer current_;
  std::size_t waitingBytes_ = 0;
};

}  // namespace strata
