// Tables of sentence scores: columns separated by tabs.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/systems/score_files.h"

namespace strata {

// A number; NaN for what stands for a missing one (None, null, NaN, nothing, ...); nothing for
// other texts.
std::optional<double> scoreValue(std::string_view text);
// Whether it is a number that is not missing.
bool isScore(std::string_view text);

// The titles of the columns: the cells of the first line if it has no number, else numbers from 1.
std::vector<std::string> tableColumns(const std::vector<std::string>& lines,
                                      const std::filesystem::path& path);

// The scores of a table, as the options choose its columns. Without a choice:
//   scores  the only column of numbers that does not number the sentences. A column is one of
//           numbers if half of it is, so that a cell that is none is named, not the column passed
//           over
//   ids     the column whose title says so (id, segment_id, line, ...), or in a table without
//           titles the first one, if it counts
// Ids must be 0 to n-1 or 1 to n, of each system or of the whole file, alone or at the ends of
// names that begin alike (seg-12), and order the rows. Other names keep the file's order, which is
// warned of; a name that occurs twice, and numbers that do not fit, are Errors.
ScoreFile readScoreTable(const std::vector<std::string>& lines, const std::filesystem::path& path,
                         const ScoreFileOptions& options);

// The list of this name; appended if there is none.
ScoreList& listNamed(ScoreFile& file, const std::string& name);

}  // namespace strata
