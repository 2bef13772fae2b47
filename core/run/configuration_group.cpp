#include "core/run/configuration_group.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "core/base/digest.h"

namespace strata {
namespace {

void addValues(const Json& value, const std::string& path, std::map<std::string, Json>& values) {
  if (!value.is_object() || value.empty()) {
    values[path] = value;
    return;
  }
  for (const auto& [key, part] : value.items())
    addValues(part, path.empty() ? key : path + "." + key, values);
}

}  // namespace

std::map<std::string, Json> configurationValues(const Json& config) {
  std::map<std::string, Json> values;
  addValues(config, "", values);
  return values;
}

std::string settingText(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::vector<std::string> configurationDifferences(const Json& before, const Json& now) {
  const auto one = configurationValues(before), other = configurationValues(now);
  const auto shown = [](const std::map<std::string, Json>& values, const std::string& key) {
    const auto found = values.find(key);
    return found == values.end() ? std::string("absent") : settingText(found->second);
  };
  std::set<std::string> keys;
  for (const auto* values : {&one, &other}) {
    for (const auto& [key, value] : *values) keys.insert(key);
  }
  std::vector<std::string> differ;
  for (const std::string& key : keys) {
    const auto left = one.find(key), right = other.find(key);
    if (left != one.end() && right != other.end() && left->second == right->second) continue;
    differ.push_back(fmt::format("{}: {} -> {}", key, shown(one, key), shown(other, key)));
  }
  return differ;
}

std::string differencesText(std::vector<std::string> differences) {
  constexpr std::size_t kMost = 8;
  const std::size_t left = differences.size() > kMost ? differences.size() - kMost : 0;
  differences.resize(differences.size() - left);
  return fmt::format("{}{}", fmt::join(differences, "; "),
                     left > 0 ? fmt::format("; and {} more", left) : "");
}

std::string configurationGroup(const Json& config) {
  std::string text;
  for (const auto& [path, value] : configurationValues(config)) {
    // Histograms and scores of text change nothing of what is trained, and runs of earlier programs
    // do not have these keys.
    if (path != "seed" && path != "name" && path != "recording.histogram_every" &&
        path != "scoring.case")
      text += path + "=" + value.dump() + "\n";
  }
  return digestOf(text);
}

}  // namespace strata
