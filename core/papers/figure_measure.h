#pragma once
#include <optional>
#include <vector>

#include "core/papers/figure_data.h"
#include "core/papers/paper_figure.h"
#include "core/papers/paper_plan.h"

namespace strata {

// The cells that a figure needs: panels x series x points, panels outermost.
std::vector<PlannedCell> planFigure(const PaperFigure& figure, const PaperPlanner& planner);

// A figure's data from the runs in the workspace; missing runs and values are listed.
FigureData measureFigure(Workspace& workspace, const PaperFigure& figure,
                         const PaperPlanner& planner,
                         const std::optional<VocabularySizes>& vocabulary);

}  // namespace strata
