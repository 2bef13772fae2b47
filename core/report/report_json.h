// Tables and charts as JSON, so that one program shows exactly what another has made.
#pragma once
#include "core/base/json.h"
#include "core/report/svg_charts.h"
#include "core/report/table.h"

namespace strata {

// {"caption", "columns": [{"title", "right"}], "rows": [[TEXT or {"text", "value"}]], "marked"}
Json toJson(const Table& table);
// Reads it back: texts and values are the same, marks of cells are part of the text. JSON of
// another form is an Error.
Table tableFrom(const Json& json);

// {"title", "x", "y", "series": [{"name", "points": [[X, Y]], "band": [[LOW, HIGH]], ...}],
// "marks": [{"x", "label", "series"}]}; values that are not finite are null.
Json toJson(const LineChart& chart);
LineChart lineChartFrom(const Json& json);

}  // namespace strata
