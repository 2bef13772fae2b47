#include "core/base/json.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "core/base/error.h"

namespace strata {
namespace {

constexpr int kMaxDepth = 64;

bool looksNumeric(std::string_view text) {
  if (text.empty()) return false;
  const std::size_t start = text[0] == '-' || text[0] == '+' ? 1 : 0;
  return start < text.size() &&
         (std::isdigit(static_cast<unsigned char>(text[start])) || text[start] == '.');
}

Json plainScalar(const std::string& text) {
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL")
    return nullptr;
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  if (text == ".inf" || text == "+.inf") return std::numeric_limits<double>::infinity();
  if (text == "-.inf") return -std::numeric_limits<double>::infinity();
  if (!looksNumeric(text)) return text;
  const char* first = text.data() + (text[0] == '+' ? 1 : 0);
  const char* last = text.data() + text.size();
  std::int64_t integer = 0;
  if (auto [end, code] = std::from_chars(first, last, integer); code == std::errc() && end == last)
    return integer;
  double number = 0;
  if (auto [end, code] = std::from_chars(first, last, number); code == std::errc() && end == last)
    return number;
  return text;
}

class YamlReader {
 public:
  explicit YamlReader(YamlDocument& document) : document_(document) {}

  Json read(const YAML::Node& node, const std::string& path, int depth) {
    const int line = node.Mark().line + 1;
    if (!path.empty()) document_.lines[path] = line;
    if (depth > kMaxDepth) throw fail(line, "nested too deeply");
    if (!node.Tag().empty() && node.Tag() != "?" && node.Tag() != "!")
      throw fail(line, "tags are not accepted");
    switch (node.Type()) {
      case YAML::NodeType::Scalar:
        // yaml-cpp marks quoted scalars with the tag "!".
        return node.Tag() == "!" ? Json(node.Scalar()) : plainScalar(node.Scalar());
      case YAML::NodeType::Sequence:
        return readSequence(node, path, depth);
      case YAML::NodeType::Map:
        return readMap(node, path, depth);
      default:
        return nullptr;
    }
  }

 private:
  Json readSequence(const YAML::Node& node, const std::string& path, int depth) {
    Json result = Json::array();
    for (std::size_t i = 0; i < node.size(); ++i) {
      result.push_back(read(node[i], join(path, std::to_string(i)), depth + 1));
    }
    return result;
  }

  Json readMap(const YAML::Node& node, const std::string& path, int depth) {
    Json result = Json::object();
    for (const auto& entry : node) {
      const int line = entry.first.Mark().line + 1;
      if (!entry.first.IsScalar()) throw fail(line, "a key must be a word");
      const std::string key = entry.first.Scalar();
      if (result.contains(key)) throw fail(line, fmt::format("the key '{}' is given twice", key));
      result[key] = read(entry.second, join(path, key), depth + 1);
      document_.lines[join(path, key)] = line;
    }
    return result;
  }

  static std::string join(const std::string& path, const std::string& key) {
    return path.empty() ? key : path + "." + key;
  }

  Error fail(int line, const std::string& what) const {
    return usageError("{}:{}: {}", document_.source, line, what);
  }

  YamlDocument& document_;
};

bool isSafePlain(const std::string& text) {
  if (text.empty() || plainScalar(text) != Json(text)) return false;
  if (text.front() == ' ' || text.back() == ' ' || text.back() == ':') return false;
  if (std::string_view("-?:,[]{}#&*!|>'\"%@`").find(text.front()) != std::string_view::npos)
    return false;
  if (text.find(": ") != std::string::npos || text.find(" #") != std::string::npos) return false;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 ||
        std::string_view(",[]{}").find(c) != std::string_view::npos)
      return false;
  }
  return true;
}

std::string scalarToYaml(const Json& value) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    return isSafePlain(text) ? text : value.dump();
  }
  if (value.is_number_float() && std::isinf(value.get<double>()))
    return value.get<double>() > 0 ? ".inf" : "-.inf";
  return value.dump();
}

bool isFlow(const Json& value) {
  if (!value.is_structured() || value.empty()) return true;
  if (value.is_object()) return false;
  for (const auto& item : value) {
    if (item.is_structured()) return false;
  }
  return true;
}

std::string flowToYaml(const Json& value) {
  if (!value.is_structured()) return scalarToYaml(value);
  if (value.empty()) return value.is_array() ? "[]" : "{}";
  std::string out = "[";
  for (const auto& item : value) out += (out.size() > 1 ? ", " : "") + scalarToYaml(item);
  return out + "]";
}

void writeBlock(const Json& value, int indent, std::string& out) {
  const std::string pad(static_cast<std::size_t>(indent), ' ');
  if (value.is_object()) {
    for (const auto& [key, item] : value.items()) {
      out += pad + scalarToYaml(Json(key)) + ":";
      if (isFlow(item)) {
        out += " " + flowToYaml(item) + "\n";
      } else {
        out += "\n";
        writeBlock(item, indent + 2, out);
      }
    }
    return;
  }
  for (const auto& item : value) {
    if (isFlow(item)) {
      out += pad + "- " + flowToYaml(item) + "\n";
      continue;
    }
    std::string nested;
    writeBlock(item, indent + 2, nested);
    nested.replace(static_cast<std::size_t>(indent), 2, "- ");
    out += nested;
  }
}

}  // namespace

Json parseJson(std::string_view text, std::string_view where) {
  try {
    return Json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    throw Error("{}: not valid JSON: {}", where, error.what());
  }
}

std::string YamlDocument::where(const std::string& path) const {
  for (std::string at = path; !at.empty();) {
    if (const auto found = lines.find(at); found != lines.end())
      return fmt::format("{}:{}", source, found->second);
    const auto dot = at.rfind('.');
    at = dot == std::string::npos ? "" : at.substr(0, dot);
  }
  return source;
}

YamlDocument parseYaml(std::string_view text, std::string_view source) {
  YamlDocument document{.value = nullptr, .lines = {}, .source = std::string(source)};
  try {
    const auto nodes = YAML::LoadAll(std::string(text));
    if (nodes.size() > 1)
      throw usageError("{}: holds {} YAML documents, only one is accepted", source, nodes.size());
    if (!nodes.empty()) document.value = YamlReader(document).read(nodes[0], "", 0);
  } catch (const YAML::Exception& error) {
    throw usageError("{}:{}: not valid YAML: {}", source, error.mark.line + 1, error.msg);
  }
  return document;
}

std::string toYaml(const Json& value) {
  if (isFlow(value)) return flowToYaml(value) + "\n";
  std::string out;
  writeBlock(value, 0, out);
  return out;
}

}  // namespace strata
