#include "app/mcp/schema.h"

namespace strata::mcp {

Json textSchema(const std::string& description) {
  return {{"type", "string"}, {"description", description}};
}

Json choiceSchema(const std::vector<std::string>& choices, const std::string& description) {
  return {{"type", "string"}, {"enum", choices}, {"description", description}};
}

Json flagSchema(const std::string& description) {
  return {{"type", "boolean"}, {"description", description}};
}

Json numberSchema(const std::string& description) {
  return {{"type", {"number", "null"}}, {"description", description}};
}

Json integerSchema(const std::string& description, std::int64_t minimum, std::int64_t maximum) {
  return {{"type", "integer"},
          {"minimum", minimum},
          {"maximum", maximum},
          {"description", description}};
}

Json listSchema(const Json& item, const std::string& description) {
  return {{"type", "array"}, {"items", item}, {"description", description}};
}

Json argumentsSchema(const Json& properties, const std::vector<std::string>& required) {
  return {{"type", "object"},
          {"properties", properties},
          {"required", required},
          {"additionalProperties", false}};
}

Json resultSchema(const Json& properties, const std::vector<std::string>& required) {
  return {{"type", "object"}, {"properties", properties}, {"required", required}};
}

}  // namespace strata::mcp
