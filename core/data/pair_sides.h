#pragma once
#include <memory>
#include <vector>

#include "core/data/prepare.h"

namespace strata {

// The same preparation with what its files need to be read: which text of a file with several is
// the source and which the target, by the languages, and a target for each translator that a set's
// file of references has. Only files of evaluation sets are opened. Sides that are not there are
// usage errors.
PrepareOptions withSides(PrepareOptions options);

// Opens the source and the first `references` targets; those whose segments are named by document
// and id get the order of the first such file.
std::vector<std::unique_ptr<LineSource>> openPair(const PairInput& pair, std::size_t references);

}  // namespace strata
