#pragma once
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "core/base/json.h"

namespace strata::mcp {

// One call of a tool. Calls run at the same time, each in a thread of its own.
struct ToolCall {
  const Json& arguments;  // an object
  std::stop_token stop;   // the client has cancelled the call, or has gone
  // Tells the client, if it has asked for that, how far the call is. `done` must grow.
  std::function<void(double done, double total, const std::string& message)> progress;
};

// A tool that an assistant can call. Schemas are JSON Schemas of objects.
struct Tool {
  std::string name, title, description;
  Json input;
  Json output;
  bool readOnly = true;      // it changes nothing in the workspace
  bool destructive = false;  // it ends or replaces what is there
  // Its result. An Error is told to the assistant, Cancelled is not answered.
  std::function<Json(const ToolCall& call)> run;
};

}  // namespace strata::mcp
