#pragma once
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <variant>
#include <vector>

#include "app/mcp/tool.h"
#include "app/server/lines.h"
#include "core/run/jsonrpc.h"

namespace strata::mcp {

// The versions of the Model Context Protocol that are spoken, newest first.
inline constexpr std::string_view kVersions[] = {"2025-06-18", "2025-03-26", "2024-11-05"};

// A Model Context Protocol server over two descriptors, one message per line. One thread reads and
// answers all but tools/call, whose tools run in threads of their own: a call that waits delays no
// other. A cancelled call is asked to stop and is not answered.
class Server {
 public:
  // `instructions`: what an assistant should know before it calls a tool.
  Server(std::vector<Tool> tools, std::string instructions);

  // Serves until the end of the input or until the reader of the answers has closed, then stops the
  // calls that are running, and returns.
  void serve(int input, int output);

 private:
  // The answers to a batch, which are written together (version 2025-03-26 only).
  struct Batch {
    std::size_t open = 0;
    Json answers = Json::array();
  };
  using BatchPointer = std::shared_ptr<Batch>;  // null: a message by itself
  using Result = std::variant<Json, rpc::Fault>;
  struct Call {
    Json id, params;
    const Tool* tool = nullptr;
    BatchPointer batch = {};
    std::stop_source stop = {};
    bool done = false;
    std::jthread thread = {};
  };

  void take(const std::string& line);
  void takeMessage(const Json& message, const BatchPointer& batch);
  void takeRequest(const rpc::Request& request, const BatchPointer& batch);
  Result answerTo(const rpc::Request& request);
  Json initialize(const Json& params);
  Json toolList(const Json& params) const;
  void start(const rpc::Request& request, const BatchPointer& batch);
  void run(Call& call);
  Json callTool(const Call& call) const;
  void sendProgress(const Call& call, double done, double total, const std::string& message) const;
  void cancel(const Json& params);
  void removeDone();
  // Ends a message of a batch: with its answer, or none.
  void settle(const BatchPointer& batch, const std::optional<rpc::Response>& answer);

  std::vector<Tool> tools_;
  std::string instructions_;
  std::string version_;  // empty before `initialize`
  std::unique_ptr<ServeLines> lines_;

  std::mutex mutex_;  // guards the calls' `done` and the batches
  std::list<Call> calls_;
};

}  // namespace strata::mcp
