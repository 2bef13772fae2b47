// What a run's translation of one of its dataset's evaluation sets is kept as (core/store/outputs).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/data/dataset.h"
#include "core/store/outputs.h"
#include "core/store/runs.h"

namespace strata {

// "beam5.gnmt-1.6", with ".posunk" behind it where unknown words were replaced: a word for files.
std::string decodeName(int beam, const std::string& lengthRule, bool posunk);
// "step-00012000", "last20-step-00012000" of an average over several.
std::string stepName(std::int64_t step, std::size_t averaged = 1);
// Of the checkpoints' manifests and the dataset: all that the text depends on beside its name.
Json outputDigests(const std::vector<std::filesystem::path>& checkpoints, const Dataset& dataset);

// Scores the output's text (sacreBLEU's BLEU with its defaults), counts the look where the set is a
// test set, and then stores it. Gives {"score", "signature"}.
Json keepOutput(Workspace& workspace, const RunSummary& run, const Dataset& dataset,
                StoredOutput output);

}  // namespace strata
