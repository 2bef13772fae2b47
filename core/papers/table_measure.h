#pragma once
#include <optional>

#include "core/papers/measured_table.h"
#include "core/papers/paper_plan.h"
#include "core/store/workspace.h"

namespace strata {

// What the workspace holds of a table. Parameters are counted for `vocabulary`, or for those of the
// datasets that cells are measured on; the paper's where there is none.
MeasuredTable measureTable(Workspace& workspace, const PaperTable& table,
                           const PaperPlanner& planner,
                           const std::optional<VocabularySizes>& vocabulary);

}  // namespace strata
