#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/base/json.h"

namespace strata {

// YAML is written by hand, and yaml-cpp needs about 0.3 us per byte.
constexpr TextLimits kYamlLimits{.bytes = 8u << 20, .values = 1'000'000};

// A text exceeds a limit; the message names both.
class LimitError : public Error {
  using Error::Error;
};

// JSON that may be damaged: a line of a log, a message, a saved state. None if it is invalid or
// exceeds the limits.
std::optional<Json> tryParseJson(std::string_view text, const TextLimits& limits = {});

// A file's bytes. Throws LimitError, without reading further, if it is larger.
std::string readBounded(const std::filesystem::path& path, std::size_t bytes);

// Reads a JSON or YAML file within the limits.
Json readJson(const std::filesystem::path& path);
YamlDocument readYaml(const std::filesystem::path& path);

}  // namespace strata
