#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/data/dataset.h"
#include "core/data/prepare.h"

namespace strata {

// A recipe file: the parts of a public corpus and how its standard version is created.
struct Recipe {
  std::string name, title, licence, origin;
  std::string get;  // one line: how to get the files
  // Everything but the files that prepareDataset needs.
  PrepareOptions options;
  struct Part {
    PairInput files;  // locations are names to look for; "A | B" names alternatives, of which the
                      // first existing one is used
    bool optional = false;  // left out if its files do not exist
  };
  struct Set {
    std::string name;
    bool test = false;
    std::vector<Part> parts;
  };
  std::vector<Part> train;
  std::vector<Set> sets;
  Json document;  // as written
};

// Reads a recipe. Unknown keys, wrong types and values are usage errors that name file, line and
// key.
Recipe parseRecipe(std::string_view text, std::string_view source);

// The recipes that are built into the program, by name in alphabetical order.
std::vector<std::string> builtInRecipes();
// None of this name: nothing.
std::optional<Recipe> builtInRecipe(const std::string& name);
// Whether this is a built-in recipe's name or a YAML file.
bool isRecipe(const std::string& place);
// The recipe of a file or a built-in one. Unknown names are usage errors that list the built-in
// ones.
Recipe findRecipe(const std::string& name);
// Whether a dataset is what a recipe prepares, options and counts included.
bool isMadeBy(const Dataset& dataset, const Recipe& recipe);

// Finds the recipe's files in what the user gave: files, folders (everything below, links not
// followed) and archives, also archives inside such folders. A name matches a file or member whose
// path ends in it, also with .gz, .bz2 or .xz appended; a plain file is preferred to an archive's
// member. Missing and ambiguous names are usage errors that list them and say how to get them. If
// optional parts are missing, sets without parts, joins of them and the counts that they change are
// left out.
PrepareOptions resolveRecipe(const Recipe& recipe, const std::vector<std::filesystem::path>& from);

}  // namespace strata
