#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/data/prepare.h"

namespace strata {

// A recipe file: what a public corpus consists of and how its standard version is made.
struct Recipe {
  std::string name, title, licence, origin;
  std::string get;  // one line: how to get the files
  // Everything that prepareDataset needs; locations are still the recipe's file names.
  PrepareOptions options;
  std::vector<std::string> optionalFiles;  // names that may be absent; the parts and sets that need
                                           // them are then left out
  Json document;                           // as written
};

// Reads a recipe (strict: unknown keys, wrong types and values are usage errors that name file,
// line and key).
Recipe parseRecipe(std::string_view text, std::string_view source);

// Finds the recipe's files in what the user gave: files, folders (with everything below, links not
// followed) and archives. A name matches a file or member of that name, also with .gz, .bz2 or .xz.
// Missing and ambiguous names are usage errors that list them and say how to get them.
PrepareOptions resolveRecipe(const Recipe& recipe, const std::vector<std::filesystem::path>& from);

}  // namespace strata
