#include "core/run/key_reader.h"

namespace strata {
namespace {

constexpr std::int64_t kSmallestVocabulary = 5;  // the four special tokens and a word

}  // namespace

KeyReader::KeyReader(const Json& object, Place place) : object_(object), place_(std::move(place)) {
  if (!object.is_object())
    throw usageError("'{}' must be a mapping, not {}", place_.prefix, object.dump());
}

const Json* KeyReader::find(const char* name) {
  known_.emplace_back(name);
  const auto at = object_.find(name);
  return at == object_.end() || at->is_null() ? nullptr : &*at;
}

std::vector<std::int64_t> PerLayer::over(std::int64_t layers) const {
  if (!isList) return std::vector<std::int64_t>(static_cast<std::size_t>(layers), values.front());
  return static_cast<std::int64_t>(values.size()) == layers ? values : std::vector<std::int64_t>{};
}

void KeyReader::read(const char* name, PerLayer& value) {
  const Json* at = find(name);
  if (at == nullptr) return;
  const auto fits = [](const Json& number) {
    return number.is_number_integer() && number.get<std::int64_t>() >= 1 &&
           number.get<std::int64_t>() <= std::int64_t{1} << 31;
  };
  value.isList = at->is_array();
  const bool good =
      value.isList ? !at->empty() && std::all_of(at->begin(), at->end(), fits) : fits(*at);
  if (!good) throw wrong(name, "an integer of at least 1, or a list with one per layer", *at);
  value.values = value.isList ? at->get<std::vector<std::int64_t>>()
                              : std::vector<std::int64_t>{at->get<std::int64_t>()};
}

void KeyReader::read(const char* name, std::int64_t& value, std::int64_t least) {
  const Json* at = find(name);
  if (at == nullptr) return;
  if (!at->is_number_integer()) throw wrong(name, "an integer", *at);
  value = at->get<std::int64_t>();
  if (value < least || value > std::int64_t{1} << 31)
    throw wrong(name, fmt::format("at least {}", least), *at);
}

void KeyReader::read(const char* name, bool& value) {
  const Json* at = find(name);
  if (at == nullptr) return;
  if (!at->is_boolean()) throw wrong(name, "true or false", *at);
  value = at->get<bool>();
}

void KeyReader::checkFamily() {
  const Json* family = find("family");
  if (family == nullptr || *family != place_.family) {
    throw usageError("'family' must be {}, not {}", place_.family,
                     family == nullptr ? "absent" : family->dump());
  }
}

void KeyReader::readHeader(std::int64_t& sourceVocabulary, std::int64_t& targetVocabulary) {
  const Json* format = find("format");
  if (format == nullptr || *format != 1) {
    throw usageError("'format' must be 1, not {}", format == nullptr ? "absent" : format->dump());
  }
  read("src_vocab", sourceVocabulary);
  read("tgt_vocab", targetVocabulary);
  if (sourceVocabulary < kSmallestVocabulary)
    throw usageError("'src_vocab' must be at least 5: the four special tokens and a word");
  if (targetVocabulary < kSmallestVocabulary)
    throw usageError("'tgt_vocab' must be at least 5: the four special tokens and a word");
}

void KeyReader::finish() const {
  for (const auto& [name, value] : object_.items()) {
    if (std::find(known_.begin(), known_.end(), name) == known_.end()) {
      throw usageError("unknown key '{}{}' for family {}", place_.prefix, name, place_.family);
    }
  }
}

Error KeyReader::wrong(const char* name, const std::string& expected, const Json& value) const {
  return usageError("'{}{}' must be {}, not {}", place_.prefix, name, expected, value.dump());
}

void refuseProblems(const std::vector<ConfigProblem>& problems) {
  if (!problems.empty()) throw usageError("'{}': {}", problems[0].path, problems[0].message);
}

ConfigKey integerKey(const std::string& name, std::int64_t value, std::string help) {
  ConfigKey key{.path = "model." + name,
                .type = ConfigKey::Type::kInt,
                .defaultValue = value,
                .help = std::move(help)};
  key.minimum = 1;
  key.maximum = 65536;
  return key;
}

ConfigKey perLayerKey(const std::string& name, Json value, std::string help) {
  ConfigKey key = integerKey(name, 1, std::move(help));
  key.type = ConfigKey::Type::kIntOrList;
  key.defaultValue = std::move(value);
  return key;
}

ConfigKey switchKey(const std::string& name, Json value, std::string help) {
  return {.path = "model." + name,
          .type = ConfigKey::Type::kBool,
          .defaultValue = std::move(value),
          .help = std::move(help)};
}

ConfigKey choiceKey(const std::string& name, std::vector<std::string> choices, std::string help) {
  ConfigKey key{.path = "model." + name,
                .type = ConfigKey::Type::kChoice,
                .defaultValue = choices.front(),
                .help = std::move(help)};
  key.choices = std::move(choices);
  return key;
}

}  // namespace strata
