#pragma once
#include <string>
#include <vector>

#include "core/inside/recorded_step.h"
#include "core/papers/figure_data.h"
#include "core/papers/paper_figure.h"

namespace strata {

// Without dataset and series.
inline FigurePanel emptyPanel(const PaperPanel& panel) {
  return {.key = panel.key, .title = panel.title, .yTitle = panel.yTitle};
}

// For figures of recorded internals (gates, attention weights) rather than scores and scalars.
struct RecordedRun {
  std::string series;
  std::string set;  // whose sentences they are; empty: the one that the run validates on
  RecordedStep step;
};
// Whether a figure draws a recording.
bool isDrawn(const RecordingInfo& info);
void drawRecordings(const PaperFigure& figure, const std::vector<RecordedRun>& runs,
                    FigureData& data);

}  // namespace strata
