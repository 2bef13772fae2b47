#include "core/run/request_params.h"

#include <algorithm>

#include "core/run/jsonrpc.h"

namespace strata {
namespace {

bool isTexts(const Json& value) {
  return value.is_array() &&
         std::all_of(value.begin(), value.end(), [](const Json& item) { return item.is_string(); });
}

}  // namespace

RequestParams::RequestParams(const std::string& method, const Json& params)
    : method_(method), params_(params) {
  if (!params_.is_object()) refuse("params must be an object with named members");
}

void RequestParams::refuse(const std::string& message) const {
  throw rpc::Invalid(rpc::kInvalidParams, fmt::format("{}: {}", method_, message));
}

const Json* RequestParams::find(const std::string& name) {
  known_.insert(name);
  const auto found = params_.find(name);
  return found == params_.end() ? nullptr : &*found;
}

const Json& RequestParams::at(const std::string& name) {
  const Json* value = find(name);
  if (value == nullptr) refuse(fmt::format("the member '{}' is missing", name));
  return *value;
}

std::string RequestParams::text(const std::string& name) {
  const Json& value = at(name);
  if (!value.is_string()) refuse(fmt::format("'{}' must be a string", name));
  return value.get<std::string>();
}

std::string RequestParams::text(const std::string& name, const std::string& absent) {
  return find(name) == nullptr ? absent : text(name);
}

std::int64_t RequestParams::integer(const std::string& name, std::int64_t absent,
                                    std::int64_t minimum, std::int64_t maximum) {
  const Json* value = find(name);
  if (value == nullptr) return absent;
  if (!value->is_number_integer() || *value < minimum || *value > maximum)
    refuse(fmt::format("'{}' must be an integer from {} to {}", name, minimum, maximum));
  return value->get<std::int64_t>();
}

double RequestParams::number(const std::string& name, double absent, double minimum,
                             double maximum) {
  const Json* value = find(name);
  if (value == nullptr) return absent;
  if (!value->is_number() || *value < minimum || *value > maximum)
    refuse(fmt::format("'{}' must be a number from {} to {}", name, minimum, maximum));
  return value->get<double>();
}

bool RequestParams::flag(const std::string& name, bool absent) {
  const Json* value = find(name);
  if (value == nullptr) return absent;
  if (!value->is_boolean()) refuse(fmt::format("'{}' must be true or false", name));
  return value->get<bool>();
}

std::vector<std::string> RequestParams::texts(const std::string& name) {
  const Json* value = find(name);
  if (value == nullptr) return {};
  if (!isTexts(*value)) refuse(fmt::format("'{}' must be a list of strings", name));
  return value->get<std::vector<std::string>>();
}

std::vector<std::int64_t> RequestParams::integers(const std::string& name, std::size_t count,
                                                  std::int64_t minimum, std::int64_t maximum) {
  const Json& value = at(name);
  const auto fits = [&](const Json& each) {
    return each.is_number_integer() && each >= minimum && each <= maximum;
  };
  if (!value.is_array() || value.size() != count || !std::all_of(value.begin(), value.end(), fits))
    refuse(fmt::format("'{}' must be a list of {} integers from {} to {}", name, count, minimum,
                       maximum));
  return value.get<std::vector<std::int64_t>>();
}

const Json& RequestParams::object(const std::string& name) {
  const Json& value = at(name);
  if (!value.is_object()) refuse(fmt::format("'{}' must be an object", name));
  return value;
}

const Json& RequestParams::textOrTexts(const std::string& name) {
  const Json& value = at(name);
  if (!value.is_string() && !isTexts(value))
    refuse(fmt::format("'{}' must be a string or a list of strings", name));
  return value;
}

void RequestParams::done() const {
  for (const auto& [name, value] : params_.items()) {
    if (!known_.contains(name)) refuse(fmt::format("unknown member '{}'", name));
  }
}

}  // namespace strata
