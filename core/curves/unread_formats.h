#pragma once
#include <filesystem>
#include <optional>
#include <string_view>

#include "core/curves/tool_run.h"

namespace strata {

// A format of figures of trainings that is known, but not read.
struct UnreadFormat {
  std::filesystem::path file;  // that has it
  std::string_view name;       // "Marian's log"
  std::string_view advice;     // what to do instead
};

// The format of a file by its beginning and its name, or of a folder by the first file in it, or in
// folders in it, that has one; none: it is unknown, or cannot be read. Looks at no more than 64 KiB
// of a file and a few hundred files. Throws Cancelled only.
std::optional<UnreadFormat> unreadFormatOf(const std::filesystem::path& path,
                                           const ReadOptions& options = {});

}  // namespace strata
