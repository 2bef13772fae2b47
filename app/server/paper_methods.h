#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "app/server/server.h"

namespace strata {

// The methods presets (core/run/serve_protocol.h) and tables, which serve the papers' files built
// into the program. VOCABULARY stands for `dataset? | vocabulary?: [SOURCE, TARGET]`, the sizes
// (specials included) for which parameters are counted; default: the paper's. Params and results:
//   tables   {}               -> {tables: [{id, title, task, recipe, scorer, rows}],
//            figures: [{id, title, kind}]}, as `strata-run paper list`
//   tables   {id, VOCABULARY} -> a table as in `strata-run paper show`, without measured values:
//            {table, title, ..., vocabulary, columns: [{key, title, ...}],
//            rows: [{name, preset, printed: {COLUMN}, parameters, ...}], notes};
//            or a figure: {figure, title, kind, ..., vocabulary, panels: [{key, title, ...}],
//            series: [{name, points: [{x, row, preset, parameters, printed: {PANEL}}]}], notes}
std::map<std::string, ServeMethod> paperMethods(const std::filesystem::path& workspace);

}  // namespace strata
