#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/json.h"

namespace strata {

// Reads the members of a request's params one by one. Wrong types, values out of range, missing and
// unknown members throw rpc::Invalid with the code for invalid params; messages name method and
// member. The params must outlive this object. `absent` is the value of a missing member.
class RequestParams {
 public:
  RequestParams(const std::string& method, const Json& params);

  bool has(const std::string& name) const { return params_.contains(name); }
  std::string text(const std::string& name);
  std::string text(const std::string& name, const std::string& absent);
  std::int64_t integer(const std::string& name, std::int64_t absent, std::int64_t minimum,
                       std::int64_t maximum);
  double number(const std::string& name, double absent, double minimum, double maximum);
  bool flag(const std::string& name, bool absent);
  std::vector<std::string> texts(const std::string& name);  // empty if absent
  // Exactly `count` integers in this range.
  std::vector<std::int64_t> integers(const std::string& name, std::size_t count,
                                     std::int64_t minimum, std::int64_t maximum);
  const Json& object(const std::string& name);
  const Json& any(const std::string& name) { return at(name); }  // of any type
  // A string or a list of strings.
  const Json& textOrTexts(const std::string& name);
  // Marks a member that is read elsewhere as known.
  void known(const std::string& name) { known_.insert(name); }

  // Throws if there are unread members.
  void done() const;
  // Throws rpc::Invalid with the message.
  [[noreturn]] void refuse(const std::string& message) const;

 private:
  const Json* find(const std::string& name);
  const Json& at(const std::string& name);

  std::string method_;
  const Json& params_;
  std::set<std::string> known_;
};

}  // namespace strata
