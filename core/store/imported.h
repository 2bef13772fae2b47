#pragma once
#include <string>
#include <string_view>

#include "core/run/series_direction.h"
#include "core/store/runs.h"

namespace strata {

// The family of runs that another tool trained: they have curves, and no model.
inline constexpr const char* kImportedFamily = "imported";

// "fairseq" of the preset of a run whose curves come from fairseq; empty: Strata trained it.
std::string_view importedFrom(std::string_view preset);
inline std::string importedFrom(const RunSummary& run) {
  return std::string(importedFrom(std::string_view(run.preset)));
}

// "TensorBoard" of "tensorboard".
std::string_view titleOfTool(std::string_view tool);

// Which values of a series are better in a run of the preset, unless it was given at the import: in
// one that another tool trained as far as the name tells; in others higherIsBetter says.
SeriesDirection directionIn(std::string_view preset, std::string_view series);

// Whether a series of a run of the preset has the meaning and the unit that its name has in Strata.
// Of TensorBoard's tags nobody knows it; a series with its tool's name is in its tool's unit
// (docs/other-tools.md).
bool hasKnownUnit(std::string_view preset, std::string_view series);

// How the index says it: 1 is higher, -1 lower, 0 unknown.
inline int signOf(SeriesDirection direction) {
  return direction == SeriesDirection::kUnknown  ? 0
         : direction == SeriesDirection::kHigher ? 1
                                                 : -1;
}
inline SeriesDirection directionOfSign(std::int64_t sign) {
  return sign == 0  ? SeriesDirection::kUnknown
         : sign > 0 ? SeriesDirection::kHigher
                    : SeriesDirection::kLower;
}

// Throws a usage error that says so if the run was imported and has no model.
void requireModel(const RunSummary& run);

}  // namespace strata
