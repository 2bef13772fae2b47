#include "core/base/json.h"

#include <utility>

#include "core/base/bounded_builder.h"
#include "core/base/text_limits.h"

namespace strata {
namespace {

constexpr std::size_t kLongestReason = 300;  // bytes of the parser's message

// Passes the parser's events to a builder.
class JsonReader : public nlohmann::json_sax<Json> {
 public:
  explicit JsonReader(const TextLimits& limits) : builder_(limits) {}

  bool null() override { return scalar(nullptr); }
  bool boolean(bool value) override { return scalar(value); }
  bool number_integer(number_integer_t value) override { return scalar(value); }
  bool number_unsigned(number_unsigned_t value) override { return scalar(value); }
  bool number_float(number_float_t value, const string_t&) override { return scalar(value); }
  bool string(string_t& value) override { return scalar(std::move(value)); }
  bool binary(binary_t&) override { return false; }  // JSON has no binary values
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    builder_.key(name);
    return true;
  }
  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::json::exception& error) override {
    const std::string_view what = error.what();  // ends with the text read last, of any length
    throw Error("not valid JSON: {}", what.substr(0, kLongestReason));
  }
  Json take() { return builder_.take(); }

 private:
  bool scalar(Json value) {
    builder_.scalar(std::move(value));
    return true;
  }
  bool open(Json container) {
    builder_.open(std::move(container));
    return true;
  }
  bool close() {
    builder_.close();
    return true;
  }

  BoundedBuilder builder_;
};

}  // namespace

Json parseJson(std::string_view text, std::string_view where, const TextLimits& limits) {
  if (text.size() > limits.bytes)
    throw LimitError("{}: has {} bytes; JSON is read up to {} bytes", where, text.size(),
                     limits.bytes);
  JsonReader reader(limits);
  try {
    Json::sax_parse(text, &reader);
  } catch (const LimitError& error) {
    throw LimitError("{}: {}", where, error.what());
  } catch (const Error& error) {
    throw Error("{}: {}", where, error.what());
  }
  return reader.take();
}

std::optional<Json> tryParseJson(std::string_view text, const TextLimits& limits) {
  try {
    return parseJson(text, "JSON", limits);
  } catch (const Error&) {
    return std::nullopt;
  }
}

Json readJson(const std::filesystem::path& path) {
  return parseJson(readBounded(path, TextLimits{}.bytes), path.string());
}

}  // namespace strata
