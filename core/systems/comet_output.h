// What comet-score prints.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/systems/score_files.h"

namespace strata {

// Whether lines are "FILE<TAB>Segment N<TAB>score: X", or, of --only_system, "FILE<TAB>score: X".
bool looksLikeCometOutput(const std::vector<std::string>& lines);

// A list for each file, in the order of the segments. Other lines (warnings, progress) are left out
// and said. Segments that are not 0 to n-1, damaged lines and files without segments are Errors; a
// system's score that is not the mean of its segments' is warned of.
ScoreFile readCometOutput(const std::vector<std::string>& lines, const std::filesystem::path& path);

}  // namespace strata
