#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/paper_measure.h"
#include "app/paper_plan.h"
#include "core/inside/recorded_step.h"
#include "core/report/figure_report.h"
#include "core/run/paper_figure.h"

namespace strata {

// The cells that a figure needs: panels x series x points, in this order.
std::vector<PlannedCell> planFigure(const PaperFigure& figure, const PaperPlanner& planner);

// A figure's data from the runs at hand; what they lack is listed, nothing is made up.
FigureData measureFigure(Workspace& workspace, const PaperFigure& figure,
                         const PaperPlanner& planner,
                         const std::optional<VocabularySizes>& vocabulary);

// The figures that are of recordings of internals rather than of scores and scalars.
struct RecordedRun {
  std::string series;
  RecordedStep step;  // the newest
};
void drawRecordings(const PaperFigure& figure, const std::vector<RecordedRun>& runs,
                    FigureData& data);

}  // namespace strata
