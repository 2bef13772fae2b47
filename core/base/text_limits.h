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

// What bounds a text that is read as JSON or YAML: whatever is in it, reading it takes seconds and
// about 1 GB of memory at most.
struct TextLimits {
  std::size_t bytes = 64u << 20;     // the largest that the program writes have a few MiB
  int depth = 100;                   // values are copied and written by recursion on an 8 MiB stack
  std::int64_t values = 10'000'000;  // keys count as well; of up to 100 bytes each
};
// YAML is written by hand, and yaml-cpp takes some 0.3 us a byte.
constexpr TextLimits kYamlLimits{.bytes = 8u << 20, .values = 1'000'000};

// A text is beyond a limit; the message names both.
class LimitError : public Error {
  using Error::Error;
};

// Reads JSON within limits of the caller's own. Throws LimitError.
Json parseJson(std::string_view text, std::string_view where, const TextLimits& limits);

// JSON that may be damaged: a line of a log, a message, a saved state. None where it is no JSON or
// beyond the limits.
std::optional<Json> tryParseJson(std::string_view text, const TextLimits& limits = {});

// A file's bytes. LimitError where it has more, of which no more are read.
std::string readBounded(const std::filesystem::path& path, std::size_t bytes);

// A file of JSON or YAML, within the limits.
Json readJson(const std::filesystem::path& path);
YamlDocument readYaml(const std::filesystem::path& path);

}  // namespace strata
