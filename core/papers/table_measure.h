#pragma once
#include <optional>

#include "core/papers/measured_table.h"
#include "core/papers/paper_plan.h"
#include "core/store/workspace.h"

namespace strata {

// Measures a table from the runs in the workspace. Parameters are counted for `vocabulary`, else
// for the vocabularies of the datasets that cells are measured on, else for the paper's.
MeasuredTable measureTable(Workspace& workspace, const PaperTable& table,
                           const PaperPlanner& planner,
                           const std::optional<VocabularySizes>& vocabulary);

}  // namespace strata
