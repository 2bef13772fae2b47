#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "app/server/server.h"

namespace strata {

// presets (core/run/serve_protocol.h) and tables: what the papers' folders hold, built into the
// program. VOCABULARY stands for
// `dataset? | vocabulary?: [SOURCE, TARGET]`, the sizes (specials included) that parameters are
// counted for. Shapes of params and results:
//   tables   {}               -> {tables: [{id, title, task, recipe, scorer, rows}],
//            figures: [{id, title, kind}]}, as `strata-run paper list`
//   tables   {id, VOCABULARY} -> a table as `strata-run paper show` has it, but for what is
//            measured: {table, title, ..., vocabulary, columns: [{key, title, ...}], rows: [{name,
//            preset, printed: {COLUMN}, parameters, ...}], notes}; or a figure {figure, title,
//            kind,
//            ..., vocabulary, panels: [{key, title, ...}], series: [{name, points: [{x, row,
//            preset, parameters, printed: {PANEL}}]}], notes}. Without sizes the paper's are taken.
std::map<std::string, ServeMethod> paperMethods(const std::filesystem::path& workspace);

}  // namespace strata
