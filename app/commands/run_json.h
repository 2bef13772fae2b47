// What the workspace says of a run as JSON: `runs --json` and the tools of `mcp`.
#pragma once
#include "core/base/json.h"
#include "core/store/looks.h"
#include "core/store/runs.h"
#include "core/store/scalars.h"
#include "core/store/sql/sql_query.h"

namespace strata {

Json toJson(const RunSummary& run);
Json toJson(const SeriesSummary& series);
Json toJson(const StoredCheckpoint& checkpoint);
Json toJson(const TestLook& look);
Json sqlJson(const SqlValue& value);  // null also for an infinite number

}  // namespace strata
