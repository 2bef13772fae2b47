#pragma once
#include <string>
#include <vector>

#include "core/data/system_output.h"
#include "core/systems/test_sets.h"

namespace strata {

// Warnings about translations that are about to be imported as text of this state: lines without a
// word, remaining subword marks, tokens where the references are none, no capital letters where the
// references have some, sources or references of another test set.
std::vector<std::string> importWarnings(const std::string& file, const SystemOutput& output,
                                        const TestSet& set, TextState state);

}  // namespace strata
