#include "core/run/request_params.h"

#include <algorithm>

#include "core/run/jsonrpc.h"

namespace strata {

RequestParams::RequestParams(const std::string& method, const Json& params)
    : StrictMap(
          [](const std::string&, const std::string& message) {
            throw rpc::Invalid(rpc::kInvalidParams, message);
          },
          "", params, method) {}

void RequestParams::refuse(const std::string& message) const {
  throw rpc::Invalid(rpc::kInvalidParams, fmt::format("{}: {}", what(), message));
}

const Json& RequestParams::object(const std::string& name) {
  const Json& value = any(name);
  if (!value.is_object()) refuse(name, "must be an object");
  return value;
}

const Json& RequestParams::textOrTexts(const std::string& name) {
  const Json& value = any(name);
  const auto isText = [](const Json& item) { return item.is_string(); };
  if (!isText(value) && !(value.is_array() && std::all_of(value.begin(), value.end(), isText)))
    refuse(name, "must be a string or a list of strings");
  return value;
}

}  // namespace strata
