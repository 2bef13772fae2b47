#pragma once
#include <string>
#include <vector>

#include "core/base/json.h"

namespace strata {

// Dotted paths of keys in a tree of mappings: "training.batch.size".

// "path.key", or just the key if the path is empty.
std::string dotted(const std::string& path, const std::string& key);

// The value at a path; null if there is none.
const Json* findAt(const Json& tree, const std::string& path);
// The value at a path, created if absent.
Json& placeAt(Json& tree, const std::string& path);
// Removes it, if there is one.
void eraseAt(Json& tree, const std::string& path);

// The candidate that is most similar to a misspelt word; empty if there is no candidate. A key
// under the wrong section is as close as its last part is.
std::string nearestOf(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace strata
