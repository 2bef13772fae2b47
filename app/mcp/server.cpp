#include "app/mcp/server.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "core/base/error.h"
#include "core/base/error_message.h"
#include "core/base/log.h"
#include "core/base/progress.h"
#include "core/base/version.h"

namespace strata::mcp {
namespace {

constexpr std::size_t kMostCalls = 32;  // at the same time

rpc::Fault fault(int code, std::string message) {
  return {.code = code, .message = std::move(message), .data = {}};
}

Json memberOf(const Json& object, const char* name) {
  return object.is_object() && object.contains(name) ? object[name] : Json();
}

Json failure(const std::string& message) {
  return {{"content", Json::array({{{"type", "text"}, {"text", message}}})}, {"isError", true}};
}

}  // namespace

Server::Server(std::vector<Tool> tools, std::string instructions)
    : tools_(std::move(tools)), instructions_(std::move(instructions)) {}

void Server::serve(int input, int output) {
  lines_ = std::make_unique<ServeLines>(input, output, rpc::Limits{}.bytes);
  std::string line;
  for (;;) {
    const auto read = lines_->read(line);
    if (read == ServeLines::Read::kEnd || read == ServeLines::Read::kGone) break;
    if (read == ServeLines::Read::kTooLong) {
      settle({}, rpc::Response{.id = nullptr,
                               .result = fault(rpc::kInvalidRequest,
                                               fmt::format("the message has more than {} bytes",
                                                           rpc::Limits{}.bytes))});
    } else if (line.find_first_not_of(" \t\r") != std::string::npos) {
      take(line);
    }
  }
  for (Call& call : calls_) call.stop.request_stop();
  calls_.clear();  // joins their threads
}

void Server::take(const std::string& line) {
  Json message;
  try {
    message = rpc::read(line);
  } catch (const rpc::Invalid& error) {
    return settle({}, rpc::Response{.id = nullptr, .result = fault(error.code(), error.what())});
  }
  if (!message.is_array() || message.empty() || version_ != "2025-03-26")
    return takeMessage(message, {});
  const auto batch = std::make_shared<Batch>();
  batch->open = message.size();
  for (const Json& each : message) takeMessage(each, batch);
}

void Server::takeMessage(const Json& message, const BatchPointer& batch) {
  try {
    const rpc::Message read = rpc::messageFrom(message);
    // The server sends no requests, so a response answers nothing.
    if (const auto* request = std::get_if<rpc::Request>(&read)) return takeRequest(*request, batch);
    settle(batch, {});
  } catch (const rpc::Invalid& error) {
    settle(batch, rpc::Response{.id = error.id(), .result = fault(error.code(), error.what())});
  }
}

void Server::takeRequest(const rpc::Request& request, const BatchPointer& batch) {
  if (!request.id) {
    if (request.method == "notifications/cancelled") cancel(request.params);
    return settle(batch, {});
  }
  removeDone();
  try {
    if (!request.params.is_object())
      throw rpc::Invalid(rpc::kInvalidParams, request.method + ": params must be an object");
    if (request.method == "tools/call" && !version_.empty()) return start(request, batch);
    settle(batch, rpc::Response{.id = *request.id, .result = answerTo(request)});
  } catch (const rpc::Invalid& error) {
    settle(batch, rpc::Response{.id = *request.id, .result = fault(error.code(), error.what())});
  }
}

Server::Result Server::answerTo(const rpc::Request& request) {
  if (request.method == "initialize") return initialize(request.params);
  if (request.method == "ping") return Json::object();
  if (version_.empty())
    throw rpc::Invalid(rpc::kInvalidRequest,
                       fmt::format("{}: the session must begin with initialize", request.method));
  if (request.method == "tools/list") return toolList(request.params);
  return fault(rpc::kMethodNotFound, fmt::format("there is no method '{}'; there are initialize, "
                                                 "ping, tools/list and tools/call",
                                                 request.method));
}

Json Server::initialize(const Json& params) {
  const Json wanted = memberOf(params, "protocolVersion");
  if (!wanted.is_string())
    throw rpc::Invalid(rpc::kInvalidParams, "initialize: 'protocolVersion' must be a string");
  if (!version_.empty())
    throw rpc::Invalid(rpc::kInvalidRequest, "initialize: the session has begun already");
  const auto known = std::ranges::find(kVersions, wanted.get<std::string>());
  version_ = known == std::end(kVersions) ? kVersions[0] : *known;
  return {{"protocolVersion", version_},
          {"capabilities", {{"tools", Json::object()}}},
          {"serverInfo", {{"name", "strata"}, {"title", "Strata"}, {"version", programVersion()}}},
          {"instructions", instructions_}};
}

// Members that the session's version does not have are left out.
Json Server::toolList(const Json& params) const {
  if (params.contains("cursor"))
    throw rpc::Invalid(rpc::kInvalidParams,
                       "tools/list: all tools are on one page, give no cursor");
  Json list = Json::array();
  for (const Tool& tool : tools_) {
    Json each{{"name", tool.name}, {"description", tool.description}, {"inputSchema", tool.input}};
    if (version_ > "2024-11-05") {
      each["annotations"] = {{"title", tool.title},
                             {"readOnlyHint", tool.readOnly},
                             {"destructiveHint", tool.destructive},
                             {"openWorldHint", false}};
    }
    if (version_ > "2025-03-26") {
      each["title"] = tool.title;
      each["outputSchema"] = tool.output;
    }
    list.push_back(std::move(each));
  }
  return {{"tools", std::move(list)}};
}

void Server::start(const rpc::Request& request, const BatchPointer& batch) {
  const Json name = memberOf(request.params, "name");
  const auto tool =
      std::ranges::find_if(tools_, [&](const Tool& each) { return each.name == name; });
  if (tool == tools_.end()) {
    throw rpc::Invalid(rpc::kInvalidParams,
                       fmt::format("there is no tool {}; tools/list names all", name.dump()));
  }
  const Json arguments = memberOf(request.params, "arguments");
  if (!arguments.is_null() && !arguments.is_object())
    throw rpc::Invalid(rpc::kInvalidParams, "tools/call: 'arguments' must be an object");
  if (std::ranges::any_of(calls_, [&](const Call& call) { return call.id == *request.id; }))
    throw rpc::Invalid(rpc::kInvalidRequest, "a call with this id is running");
  if (calls_.size() >= kMostCalls)
    throw rpc::Invalid(rpc::kFailed,
                       fmt::format("{} calls are running; wait for an answer", kMostCalls));
  Call& call = calls_.emplace_back();
  call.id = *request.id;
  call.params = request.params;
  call.tool = &*tool;
  call.batch = batch;
  call.thread = std::jthread([this, &call] { run(call); });
}

void Server::run(Call& call) {
  Json result;
  bool answered = true;
  try {
    result = callTool(call);
  } catch (const Cancelled&) {
    answered = false;
  } catch (const Error& error) {  // rpc::Invalid, too: the assistant can correct its arguments
    result = failure(error.what());
  } catch (const std::exception& error) {
    spdlog::error("internal error: {}", messageOf(error));
    result = failure("internal error: " + messageOf(error));
  }
  if (answered) {
    settle(call.batch, rpc::Response{.id = call.id, .result = std::move(result)});
  } else {
    settle(call.batch, {});
  }
  const std::lock_guard lock(mutex_);
  call.done = true;
}

Json Server::callTool(const Call& call) const {
  const Json given = memberOf(call.params, "arguments");
  const Json arguments = given.is_null() ? Json::object() : given;
  Json result = call.tool->run(
      {.arguments = arguments,
       .stop = call.stop.get_token(),
       .progress = [this, &call](double done, double total, const std::string& message) {
         sendProgress(call, done, total, message);
       }});
  const std::string text = result.dump(-1, ' ', false, Json::error_handler_t::replace);
  Json answer{{"content", Json::array({{{"type", "text"}, {"text", text}}})}};
  if (version_ > "2025-03-26") answer["structuredContent"] = std::move(result);
  answer["isError"] = false;
  return answer;
}

void Server::sendProgress(const Call& call, double done, double total,
                          const std::string& message) const {
  const Json token = memberOf(memberOf(call.params, "_meta"), "progressToken");
  if (!token.is_string() && !token.is_number_integer()) return;
  if (call.stop.stop_requested()) return;
  Json params{{"progressToken", token}, {"progress", done}, {"total", total}};
  if (version_ > "2024-11-05") params["message"] = message;
  lines_->write(rpc::line(
      rpc::Request{.id = {}, .method = "notifications/progress", .params = std::move(params)}));
}

void Server::cancel(const Json& params) {
  const Json id = memberOf(params, "requestId");
  for (Call& call : calls_) {
    if (call.id == id) call.stop.request_stop();
  }
}

void Server::removeDone() {
  std::list<Call> done;  // their threads are joined without the lock
  const std::lock_guard lock(mutex_);
  for (auto at = calls_.begin(); at != calls_.end();) {
    const auto next = std::next(at);
    if (at->done) done.splice(done.end(), calls_, at);
    at = next;
  }
}

void Server::settle(const BatchPointer& batch, const std::optional<rpc::Response>& answer) {
  if (batch == nullptr) {
    if (answer) lines_->write(rpc::line(*answer));
    return;
  }
  const std::lock_guard lock(mutex_);
  if (answer) batch->answers.push_back(rpc::jsonOf(*answer));
  if (--batch->open > 0 || batch->answers.empty()) return;
  lines_->write(batch->answers.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace strata::mcp
