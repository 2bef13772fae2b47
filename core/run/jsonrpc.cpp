#include "core/run/jsonrpc.h"

#include <algorithm>
#include <initializer_list>

#include "core/base/text_limits.h"

namespace strata::rpc {
namespace {

constexpr std::size_t kMaximumMethod = 100;  // characters

bool isId(const Json& value) {
  return value.is_number_integer() || value.is_string();
}

void onlyMembers(const Json& object, std::initializer_list<std::string_view> known,
                 const Json& id) {
  for (const auto& [name, value] : object.items()) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw Invalid(kInvalidRequest, fmt::format("a message has no member '{}'", name), id);
    }
  }
}

Request readRequest(const Json& object, const Json& id) {
  onlyMembers(object, {"jsonrpc", "id", "method", "params"}, id);
  Request request;
  if (object.contains("id")) {
    if (!isId(object["id"])) throw Invalid(kInvalidRequest, "an id must be an integer or a string");
    request.id = object["id"];
  }
  const Json& method = object["method"];
  if (!method.is_string() || method.get_ref<const std::string&>().empty() ||
      method.get_ref<const std::string&>().size() > kMaximumMethod) {
    throw Invalid(kInvalidRequest, "a method must be a string of 1 to 100 characters", id);
  }
  request.method = method.get<std::string>();
  if (object.contains("params")) request.params = object["params"];
  if (!request.params.is_structured()) {
    throw Invalid(kInvalidRequest, "params must be an object or an array", id);
  }
  return request;
}

Fault readFault(const Json& error, const Json& id) {
  if (!error.is_object() || !error.contains("code") || !error.contains("message") ||
      !error["code"].is_number_integer() || !error["message"].is_string()) {
    throw Invalid(kInvalidRequest, "an error must have a code and a message", id);
  }
  onlyMembers(error, {"code", "message", "data"}, id);
  return {.code = error["code"].get<int>(),
          .message = error["message"].get<std::string>(),
          .data = error.contains("data") ? error["data"] : Json()};
}

Response readResponse(const Json& object, const Json& id) {
  onlyMembers(object, {"jsonrpc", "id", "result", "error"}, id);
  if (!object.contains("id") || (!isId(object["id"]) && !object["id"].is_null())) {
    throw Invalid(kInvalidRequest, "a response needs the id of its call");
  }
  if (object.contains("result") == object.contains("error")) {
    throw Invalid(kInvalidRequest, "a response must have either a result or an error", id);
  }
  if (object.contains("error"))
    return {.id = object["id"], .result = readFault(object["error"], id)};
  return {.id = object["id"], .result = object["result"]};
}

std::string lineOf(const Json& message) {
  return message.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

Json read(std::string_view line, const Limits& limits) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  try {
    return parseJson(line, "the message", {.bytes = limits.bytes, .depth = limits.depth});
  } catch (const LimitError& error) {
    throw Invalid(kInvalidRequest, error.what());
  } catch (const Error&) {
    throw Invalid(kParseError, "the line is not JSON");
  }
}

Message parse(std::string_view line, const Limits& limits) {
  return messageFrom(read(line, limits));
}

Message messageFrom(const Json& object) {
  if (!object.is_object())
    throw Invalid(kInvalidRequest, "a message must be a JSON object; batches are not accepted");
  const Json id = object.contains("id") && isId(object["id"]) ? object["id"] : Json();
  if (!object.contains("jsonrpc") || object["jsonrpc"] != "2.0") {
    throw Invalid(kInvalidRequest, "a message needs \"jsonrpc\": \"2.0\"", id);
  }
  if (object.contains("method")) return readRequest(object, id);
  return readResponse(object, id);
}

std::string line(const Request& request) {
  Json message{{"jsonrpc", "2.0"}};
  if (request.id) message["id"] = *request.id;
  message["method"] = request.method;
  message["params"] = request.params;
  return lineOf(message);
}

std::string line(const Response& response) {
  return lineOf(jsonOf(response));
}

Json jsonOf(const Response& response) {
  Json message{{"jsonrpc", "2.0"}, {"id", response.id}};
  if (const auto* fault = std::get_if<Fault>(&response.result)) {
    message["error"] = {{"code", fault->code}, {"message", fault->message}};
    if (!fault->data.is_null()) message["error"]["data"] = fault->data;
  } else {
    message["result"] = std::get<Json>(response.result);
  }
  return message;
}

}  // namespace strata::rpc
