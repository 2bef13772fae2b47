#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/base/error.h"
#include "core/base/json.h"

namespace strata {

// JSON-RPC 2.0, one message per line of UTF-8. Ids are integers or strings; batches are not
// accepted.
namespace rpc {

constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kMethodNotFound = -32601;
constexpr int kInvalidParams = -32602;
constexpr int kInternalError = -32603;
constexpr int kFailed = -32000;     // an Error: the message is for people
constexpr int kCancelled = -32800;  // the call was cancelled by `cancel`

struct Limits {
  std::size_t bytes = 16u << 20;  // of a line
  int depth = 64;                 // of nested values
};

// A call, or a notification if there is no id.
struct Request {
  std::optional<Json> id;
  std::string method;
  Json params = Json::object();  // an object or an array
};

struct Fault {
  int code = kFailed;
  std::string message;
  Json data;  // null: none
};

// The answer to the call with this id (null if the call could not be read).
struct Response {
  Json id;
  std::variant<Json, Fault> result;
};

using Message = std::variant<Request, Response>;

// A message that breaks the rules: what to answer, with the id if it could be read.
class Invalid : public Error {
 public:
  Invalid(int code, const std::string& message, Json id = nullptr)
      : Error(message), code_(code), id_(std::move(id)) {}
  int code() const { return code_; }
  const Json& id() const { return id_; }

 private:
  int code_;
  Json id_;
};

// Reads one line (with or without its newline). Throws Invalid for anything but exactly one
// message: members that the protocol does not have, wrong types, too long, too deep.
Message parse(std::string_view line, const Limits& limits = {});

// The same in two steps, for a protocol with batches: the line's JSON, and the message that it is.
Json read(std::string_view line, const Limits& limits = {});
Message messageFrom(const Json& object);

// What `line` writes.
Json jsonOf(const Response& response);

// The message as one line with its newline. Bytes that are not UTF-8 become U+FFFD, so that a line
// is always valid.
std::string line(const Request& request);
std::string line(const Response& response);

}  // namespace rpc
}  // namespace strata
