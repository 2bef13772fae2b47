#include "core/store/imported.h"

#include "core/base/error.h"
#include "core/curves/tool_run.h"
#include "core/run/experiment.h"

namespace strata {

std::string_view importedFrom(std::string_view preset) {
  const std::string_view family = kImportedFamily;
  if (!preset.starts_with(family) || !preset.substr(family.size()).starts_with('/')) return {};
  return preset.substr(family.size() + 1);
}

std::string_view titleOfTool(std::string_view tool) {
  if (tool == kTensorBoard) return "TensorBoard";
  return tool == kJoeyNmt ? "JoeyNMT" : tool;
}

SeriesDirection directionIn(std::string_view preset, std::string_view series) {
  if (!importedFrom(preset).empty()) return directionOf(series);
  return higherIsBetter(std::string(series)) ? SeriesDirection::kHigher : SeriesDirection::kLower;
}

bool hasKnownUnit(std::string_view preset, std::string_view series) {
  const std::string_view tool = importedFrom(preset);
  if (tool.empty()) return true;
  return tool != kTensorBoard &&
         !(series.starts_with(tool) && series.substr(tool.size()).starts_with('/'));
}

void requireModel(const RunSummary& run) {
  const std::string tool = importedFrom(run);
  if (tool.empty()) return;
  throw usageError("the run '{}' was imported from {} and has no model", run.name,
                   titleOfTool(tool));
}

}  // namespace strata
