#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/base/json.h"

namespace strata {

// Limits on text that is read as JSON or YAML: with any content, reading takes seconds and about 1
// GB of memory at most.
struct TextLimits {
  std::size_t bytes = 64u << 20;     // the largest files of this program have a few MiB
  int depth = 100;                   // values are copied and written by recursion on an 8 MiB stack
  std::int64_t values = 10'000'000;  // keys count as well; up to 100 bytes each
};
// YAML is written by hand, and yaml-cpp needs about 0.3 us per byte.
constexpr TextLimits kYamlLimits{.bytes = 8u << 20, .values = 1'000'000};

// A text exceeds a limit; the message names both.
class LimitError : public Error {
  using Error::Error;
};

// Reads JSON within the caller's limits. Throws LimitError.
Json parseJson(std::string_view text, std::string_view where, const TextLimits& limits);

// JSON that may be damaged: a line of a log, a message, a saved state. None if it is invalid or
// exceeds the limits.
std::optional<Json> tryParseJson(std::string_view text, const TextLimits& limits = {});

// A file's bytes. Throws LimitError, without reading further, if it is larger.
std::string readBounded(const std::filesystem::path& path, std::size_t bytes);

// Reads a JSON or YAML file within the limits.
Json readJson(const std::filesystem::path& path);
YamlDocument readYaml(const std::filesystem::path& path);

}  // namespace strata
