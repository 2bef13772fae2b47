#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace strata {

// With this value of the environment variable STRATA_PROGRESS, terminalProgress() writes lines for
// programs instead of a bar for people, whether or not stderr is a terminal.
inline constexpr const char* kProgressVariable = "STRATA_PROGRESS";
inline constexpr const char* kProgressAsLines = "lines";

// The progress of a process as one line of its stderr:
// {"progress": "Translating", "done": 12, "total": 1000, "unit": "sentences"}
struct ProgressLine {
  std::string what, unit;
  std::int64_t done = 0;
  std::int64_t total = 0;  // 0: unknown

  bool operator==(const ProgressLine&) const = default;
};
std::string toText(const ProgressLine& line);  // without a line end
// Empty: it is another line.
std::optional<ProgressLine> progressLineFrom(std::string_view text);
// The last of them in what a process has written; a line that is still being written is none.
std::optional<ProgressLine> lastProgress(std::string_view text);

}  // namespace strata
