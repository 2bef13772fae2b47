// JSON Schemas of tools' arguments and results.
#pragma once
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include "core/base/json.h"

namespace strata::mcp {

Json textSchema(const std::string& description);
Json choiceSchema(const std::vector<std::string>& choices, const std::string& description);
Json flagSchema(const std::string& description);
Json numberSchema(const std::string& description);  // or null
Json integerSchema(const std::string& description, std::int64_t minimum, std::int64_t maximum);
Json listSchema(const Json& item, const std::string& description);

// Arguments: nothing but these members is accepted.
Json argumentsSchema(const Json& properties, const std::vector<std::string>& required = {});
// A result, or an object in it, which may have more members than are described.
Json resultSchema(const Json& properties, const std::vector<std::string>& required);

}  // namespace strata::mcp
