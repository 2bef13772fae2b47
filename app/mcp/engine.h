#pragma once
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/json.h"

namespace strata::mcp {

// A child process `strata-run serve` (core/run/serve_protocol.h), which has the models. It is
// started at the first call, again after it has died, and ends with this object. For any thread.
class Engine {
 public:
  // Arguments of strata-run: {"--workspace", DIR, "serve"}
  explicit Engine(std::vector<std::string> arguments);
  ~Engine();

  // The result of a request. Its error is an Error with the engine's message; a call that is
  // running when the child dies is not repeated. On a stop request it is cancelled in the child,
  // and Cancelled is thrown.
  Json call(const std::string& method, const Json& params, const std::stop_token& stop);

 private:
  class Child;

  std::vector<std::string> arguments_;
  std::mutex mutex_;  // guards the pointer
  std::shared_ptr<Child> child_;
};

}  // namespace strata::mcp
