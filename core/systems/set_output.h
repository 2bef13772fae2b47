// Stores a run's translation of an evaluation set of its dataset (see core/store/outputs).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/data/dataset.h"
#include "core/store/outputs.h"
#include "core/store/runs.h"

namespace strata {

// "beam5.gnmt-1.6", followed by ".posunk" if unknown words were replaced; used in file names.
std::string decodeName(int beam, const std::string& lengthRule, bool posunk);
// "step-00012000", "last20-step-00012000" of an average over several.
std::string stepName(std::int64_t step, std::size_t averaged = 1);
// Digests of the checkpoints' manifests and of the dataset: together with the name they determine
// the text.
Json outputDigests(const std::vector<std::filesystem::path>& checkpoints, const Dataset& dataset);

// Scores the output's text (sacreBLEU's BLEU with its defaults, and the run's scoring.case), counts
// the evaluation if the set is a test set, and then stores it. Returns {"score", "signature"}.
Json keepOutput(Workspace& workspace, const RunSummary& run, const Dataset& dataset,
                StoredOutput output);

}  // namespace strata
