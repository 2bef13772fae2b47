// The tables and figures of the papers, built into the program together with their presets.
#pragma once
#include <string>
#include <vector>

#include "core/papers/paper_figure.h"
#include "core/papers/paper_table.h"

namespace strata {

// Grouped by paper, in the order of the files.
const std::vector<PaperTable>& paperTables();
const std::vector<PaperFigure>& paperFigures();
// Null if the id does not exist.
const PaperTable* findPaperTable(const std::string& id);
const PaperFigure* findPaperFigure(const std::string& id);
// All ids, tables first.
std::vector<std::string> paperIds();
// {"tables": [{"id", "title", "task", "recipe", "scorer", "rows"}], "figures": [{"id", "title",
// "kind"}]}
Json paperIndex();

// References to presets that do not exist: "table 'mlrf/table2', row 'Enc-AVG': there is no preset
// 'mlrf/enc-avgg'; the nearest is 'mlrf/enc-avg'". Checks only names that start with `family` and
// '/'; `presets`: those that exist.
std::vector<std::string> missingPresets(const std::string& family,
                                        const std::vector<std::string>& presets);

}  // namespace strata
