#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "core/base/bounded_builder.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/parse_number.h"
#include "core/base/text_limits.h"
#include "core/base/utf8.h"

namespace strata {
namespace {

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
  const std::string_view digits = std::string_view(text).substr(text[0] == '+' ? 1 : 0);
  if (const auto integer = parseNumber<std::int64_t>(digits)) return *integer;
  if (const auto number = parseNumber<double>(digits)) return *number;
  return text;
}

// Limit for keys. YAML reads a key without "?" of up to 1024 characters, and an escaped byte takes
// six.
constexpr std::size_t kMaxKeyBytes = 128;

// Limit on the bytes of all paths whose line is kept: a key is part of the path of each value below
// it.
constexpr std::size_t kMaxPathBytes = 64u << 20;

// Takes the parser's events one by one: nothing that a text asks for, such as endless documents or
// aliases of aliases, is built before it is known to be acceptable.
class YamlReader : public YAML::EventHandler {
 public:
  explicit YamlReader(YamlDocument& document) : document_(document), builder_(kYamlLimits) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    at(mark);
    if (++documents_ > 1) throw fail("a second YAML document begins here; only one is accepted");
  }
  void OnDocumentEnd() override { document_.value = builder_.take(); }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    at(mark);
    if (isKey()) throw fail("a key must be a word");
    scalar(nullptr);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    at(mark);
    throw fail("aliases are not accepted");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& value) override {
    at(mark);
    checkTag(tag);
    if (!isValidUtf8(value)) throw fail("contains bytes that are not UTF-8");
    if (isKey()) return key(value);
    if (tag == "!") return scalar(Json(value));  // yaml-cpp marks quoted ones with "!"
    Json read = plainScalar(value);
    if (read.is_number() && read.dump() != value) keepNumeral(value);
    scalar(std::move(read));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, Json::array());
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, Json::object());
  }
  void OnMapEnd() override { close(); }

  int line() const { return line_; }  // of the newest event, from 1

 private:
  // An open container, with the path of its next value.
  struct Level {
    bool isMap;
    std::string path;    // of the map or sequence
    std::string key;     // of a map: key of the next value
    bool named = false;  // `key` has been read
    std::size_t items = 0;
  };

  void at(const YAML::Mark& mark) { line_ = mark.line + 1; }

  bool isKey() const { return !levels_.empty() && levels_.back().isMap && !levels_.back().named; }

  void key(const std::string& name) {
    if (name.size() > kMaxKeyBytes)
      throw fail(
          fmt::format("a key has {} bytes, at most {} are allowed", name.size(), kMaxKeyBytes));
    if (!builder_.key(name)) throw fail(fmt::format("the key '{}' is given twice", name));
    levels_.back().key = name;
    levels_.back().named = true;
    keepLine();
  }

  // Of the next value.
  std::string countedPath() {
    std::string path = nextPath();
    pathBytes_ += path.size();
    if (pathBytes_ > kMaxPathBytes) throw LimitError("has keys that are too long in total");
    return path;
  }
  void keepLine() { document_.lines[countedPath()] = line_; }
  void keepNumeral(const std::string& text) { document_.numerals[countedPath()] = text; }

  std::string nextPath() const {
    if (levels_.empty()) return "";
    const Level& level = levels_.back();
    const std::string name = level.isMap ? level.key : std::to_string(level.items);
    return level.path.empty() ? name : level.path + "." + name;
  }

  // A value begins. In a map it has the line of its key.
  void begin() {
    if (!levels_.empty() && !levels_.back().isMap) keepLine();
  }

  void finish() {
    if (levels_.empty()) return;
    levels_.back().named = false;
    ++levels_.back().items;
  }

  void scalar(Json value) {
    begin();
    builder_.scalar(std::move(value));
    finish();
  }

  void open(const YAML::Mark& mark, const std::string& tag, Json container) {
    at(mark);
    checkTag(tag);
    if (isKey()) throw fail("a key must be a word");
    begin();
    const bool isMap = container.is_object();
    builder_.open(std::move(container));
    levels_.push_back({.isMap = isMap, .path = nextPath(), .key = {}});
  }

  void close() {
    builder_.close();
    levels_.pop_back();
    finish();
  }

  void checkTag(const std::string& tag) const {
    if (!tag.empty() && tag != "?" && tag != "!") throw fail("tags are not accepted");
  }

  Error fail(const std::string& what) const {
    return usageError("{}:{}: {}", document_.source, line_, what);
  }

  YamlDocument& document_;
  BoundedBuilder builder_;
  std::vector<Level> levels_;
  std::size_t pathBytes_ = 0;
  int line_ = 1, documents_ = 0;
};

bool isSafePlain(const std::string& text) {
  if (text.empty() || plainScalar(text) != Json(text)) return false;
  if (text.starts_with("\xEF\xBB\xBF")) return false;  // a byte order mark at the start is dropped
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
  return std::none_of(value.begin(), value.end(),
                      [](const Json& item) { return item.is_structured(); });
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
  YamlDocument document{
      .value = nullptr, .lines = {}, .numerals = {}, .source = std::string(source)};
  if (text.size() > kYamlLimits.bytes)
    throw usageError("{}: has {} bytes; YAML is read up to {} bytes", source, text.size(),
                     kYamlLimits.bytes);
  YamlReader reader(document);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(reader)) {
    }
  } catch (const YAML::Exception& error) {
    throw usageError("{}:{}: not valid YAML: {}", source, error.mark.line + 1, error.msg);
  } catch (const LimitError& error) {
    throw usageError("{}:{}: {}", source, reader.line(), error.what());
  }
  return document;
}

YamlDocument readYaml(const std::filesystem::path& path) {
  std::string text;
  try {
    text = readBounded(path, kYamlLimits.bytes);
  } catch (const LimitError& error) {
    throw usageError("{}", error.what());
  }
  return parseYaml(text, path.string());
}

std::string toYaml(const Json& value) {
  if (isFlow(value)) return flowToYaml(value) + "\n";
  std::string out;
  writeBlock(value, 0, out);
  return out;
}

}  // namespace strata
