#pragma once
#include <string>
#include <vector>

#include "core/data/system_output.h"
#include "core/systems/test_sets.h"

namespace strata {

// What a person should know of translations that are about to be stored as some of a test set:
// lines without a word, marks of subwords that are left, sources or references of another test set.
std::vector<std::string> importWarnings(const std::string& file, const SystemOutput& output,
                                        const TestSet& set);

}  // namespace strata
