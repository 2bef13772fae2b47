#pragma once
#include <string>
#include <vector>

#include "core/data/dataset.h"
#include "core/run/experiment.h"

namespace strata {

// Sentences that the model of an experiment has no positions for, in all that is read before the
// run has ended: one text for each set, and one for the training text. Recorded sentences and those
// of tuning are of these sets; a sample of the training text has only those that fit. Reads no
// corpus if the model has no such limit, and the training text only if data.max_length does not
// keep within it.
std::vector<std::string> lengthProblems(const ExperimentSpec& spec, const Dataset& dataset);

}  // namespace strata
