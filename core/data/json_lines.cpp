#include "core/data/json_lines.h"

#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/text/words.h"

namespace strata {
namespace {

// Names of columns that say what a text is.
std::vector<std::string_view> columnsOf(TextRole role) {
  switch (role) {
    case TextRole::kSource:
      return {"source", "src", "source_text"};
    case TextRole::kReference:
      return {"target", "tgt", "reference", "ref", "target_text"};
    case TextRole::kOutput:
      return {"hypothesis", "hyp", "translation", "mt", "output", "prediction"};
  }
  return {};
}

std::string keysOf(const Json& texts) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : texts.items()) {
    if (value.is_string() && keys.size() < 20) keys.push_back(key);
  }
  return keys.empty() ? "no texts" : fmt::format("the texts {}", fmt::join(keys, ", "));
}

bool isJsonBlank(std::string_view line) {
  return trimmed(line, " \t\r").empty();
}

}  // namespace

JsonLines::JsonLines(std::unique_ptr<LineSource> lines, TextChoice choice, bool quiet)
    : lines_(std::move(lines)), choice_(std::move(choice)), quiet_(quiet) {}

// The text of a language, or of a role if the language names none; null: there is none.
const std::string* JsonLines::find(const Json& texts, const std::string& language,
                                   TextRole role) const {
  const std::string* found = nullptr;
  for (const auto& [key, value] : texts.items()) {
    if (!value.is_string() || language.empty()) continue;
    if (key == language) return &value.get_ref<const std::string&>();
    if (!isSameLanguage(key, language)) continue;
    if (found != nullptr)
      throw usageError("{}: line {}: {} may be several of {}; name one of them", name(),
                       lineNumber(), language, keysOf(texts));
    found = &value.get_ref<const std::string&>();
  }
  if (found != nullptr) return found;
  for (const std::string_view column : columnsOf(role)) {
    const auto at = texts.find(std::string(column));
    if (at != texts.end() && at->is_string()) return &at->get_ref<const std::string&>();
  }
  return nullptr;
}

// The only text, unless it is in another language than the one that is meant.
const std::string* JsonLines::onlyText(const Json& texts) const {
  const std::string* only = nullptr;
  for (const auto& [key, value] : texts.items()) {
    if (!value.is_string()) continue;
    if (only != nullptr || choice_.bothSides) return nullptr;
    if (!choice_.language.empty() && isLanguageCode(key)) return nullptr;
    only = &value.get_ref<const std::string&>();
  }
  return only;
}

const std::string& JsonLines::textIn(const Json& value) const {
  if (value.is_string() && !choice_.bothSides) return value.get_ref<const std::string&>();
  if (value.is_string()) {
    throw usageError(
        "{}: line {}: holds one text, and both sides are to be read from it; give the "
        "other side's file",
        name(), lineNumber());
  }
  if (!value.is_object())
    throw Error(
        "{}: line {}: {} is neither a string nor an object with texts; JSON lines have one "
        "of these per line",
        name(), lineNumber(),
        value.is_array() ? "a list (jq -c '.[]' makes lines of it)" : "this value");
  const auto translation = value.find("translation");
  const bool nested = translation != value.end() && translation->is_object();
  const Json& texts = nested ? *translation : value;
  const std::string* text = find(texts, choice_.language, choice_.role);
  if (text == nullptr) text = onlyText(texts);
  if (text == nullptr) {
    const char* option =
        choice_.role == TextRole::kSource ? "--source-language" : "--target-language";
    throw usageError("{}: line {}: {}; it has {}", name(), lineNumber(),
                     choice_.language.empty()
                         ? fmt::format("which text is meant? Name its key with {}", option)
                         : fmt::format("has no text {}", choice_.language),
                     keysOf(texts));
  }
  return *text;
}

bool JsonLines::next(std::string_view& line) {
  std::string_view written;
  do {
    if (!lines_->next(written)) {
      const bool note = lineEnds_ > 0 && !quiet_ && !std::exchange(finished_, true);
      if (note) spdlog::warn("{}", notes().back());
      return false;
    }
  } while (isJsonBlank(written));
  Json value;
  try {
    value = parseJson(written, name());
  } catch (const Error& error) {
    throw Error("{}: line {}: is not one of JSON lines, each of which is a value of its own ({})",
                name(), lineNumber(), error.what());
  }
  text_ = textIn(value);
  const auto ends = [](char c) { return c == '\n' || c == '\r' || c == '\0'; };
  if (std::any_of(text_.begin(), text_.end(), ends)) {
    std::replace_if(text_.begin(), text_.end(), ends, ' ');
    ++lineEnds_;
  }
  line = text_;
  return true;
}

std::vector<std::string> JsonLines::notes() const {
  std::vector<std::string> all = lines_->notes();
  if (lineEnds_ > 0)
    all.push_back(fmt::format("{}: line ends within {} texts became spaces", name(), lineEnds_));
  return all;
}

}  // namespace strata
