#pragma once
#include <string>

#include "core/base/strict_map.h"

namespace strata {

// The members of a request's params, read one by one. What is wrong with them is thrown as
// rpc::Invalid with the code for invalid params; messages name method and member. The params must
// outlive this object.
class RequestParams : public StrictMap {
 public:
  RequestParams(const std::string& method, const Json& params);

  const Json& object(const std::string& name);
  // A string or a list of strings.
  const Json& textOrTexts(const std::string& name);

  using StrictMap::refuse;
  // Throws rpc::Invalid: "METHOD: message".
  [[noreturn]] void refuse(const std::string& message) const;
};

}  // namespace strata
