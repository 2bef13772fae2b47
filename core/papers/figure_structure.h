#pragma once
#include <optional>

#include "core/papers/figure_data.h"
#include "core/papers/paper_plan.h"

namespace strata {

// Draws the networks of a figure that shows structures, or counts in them what a table of
// properties states. Neither needs a run. `vocabulary`: instead of the declared sizes.
void describeModels(const PaperFigure& figure, const PaperPlanner& planner,
                    const std::optional<VocabularySizes>& vocabulary, FigureData& data);

}  // namespace strata
