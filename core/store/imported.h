#pragma once
#include <string>
#include <string_view>

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

// Throws a usage error that says so if the run was imported and has no model.
void requireModel(const RunSummary& run);

}  // namespace strata
