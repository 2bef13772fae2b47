#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/progress.h"

namespace strata {

// Writes progress on stderr for a program that reads it: a line of JSON at most five times per
// second, {"progress": "reading train", "done": 1200, "total": 0, "unit": "pairs"}.
std::unique_ptr<Progress> lineProgress();

// The last of these lines in what a process has written.
struct ProgressLine {
  std::string what, unit;
  std::int64_t done = 0, total = 0;  // total 0: unknown
};
std::optional<ProgressLine> lastProgress(std::string_view text);

}  // namespace strata
