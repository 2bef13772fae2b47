#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace strata {

// Keys keep their order.
using Json = nlohmann::ordered_json;

template <typename Value>
Json orNull(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// A list of what `each` makes of the items.
template <typename Items, typename Each>
Json jsonList(const Items& items, const Each& each) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(Json(each(item)));
  return list;
}

// Limits on text that is read as JSON or YAML: with any content, reading takes seconds and about 1
// GB of memory at most.
struct TextLimits {
  std::size_t bytes = 64u << 20;     // the largest files of this program have a few MiB
  int depth = 100;                   // values are copied and written by recursion on an 8 MiB stack
  std::int64_t values = 10'000'000;  // keys count as well; up to 100 bytes each
};

// Parses JSON. `where` names the source in the error, which gives line and column. Throws
// LimitError (core/base/text_limits.h) beyond the limits.
Json parseJson(std::string_view text, std::string_view where, const TextLimits& limits = {});

// A YAML document as JSON with the line of every value. Scalars: quoted ones are strings; plain
// ones become null, boolean, integer or number as in YAML 1.2's core schema, else strings. Aliases,
// tags, duplicate keys and multiple documents are errors, so that a file cannot surprise or execute
// anything.
struct YamlDocument {
  Json value;
  std::map<std::string, int>
      lines;  // dotted path ("training.batch.size", "phases.0.epochs") -> 1-based line
  // Numbers whose digits the value does not keep, by path: "39.40".
  std::map<std::string, std::string> numerals = {};
  std::string source;  // the name given to parseYaml

  // "file:line" of a path, or of its nearest parent that has a line.
  std::string where(const std::string& path) const;
};
YamlDocument parseYaml(std::string_view text, std::string_view source);

// Block-style YAML that parseYaml reads back as the same value.
std::string toYaml(const Json& value);

}  // namespace strata
