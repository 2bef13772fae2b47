#pragma once
#include <filesystem>
#include <optional>
#include <vector>

#include "core/papers/paper_engine.h"
#include "core/papers/paper_plan.h"
#include "core/store/planned_runs.h"

namespace strata {

// The recordings of a run that a figure draws: of the sentences that it names, by the run's chosen
// checkpoint, with teacher forcing on the first reference. While training only the first sentences
// of the validation set are recorded. Stored next to the translations of that set.
struct NeededRecording {
  const RunSummary* run = nullptr;  // finished, with a checkpoint
  std::filesystem::path checkpoint, folder;

  bool isMade() const;
};

// In the order of the cell's runs; none for an unfinished run. Empty if the cell draws none.
std::vector<std::optional<NeededRecording>> neededRecordings(const PlannedCell& cell,
                                                             const RunsByName& runs);
void makeRecording(const PaperEngine& engine, const PlannedCell& cell,
                   const NeededRecording& needed);

}  // namespace strata
