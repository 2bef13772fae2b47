#pragma once
#include <string>
#include <vector>

#include "core/data/prepare_fields.h"

namespace strata {

// A preparation as the names of files suggest it, and the contents of those that may hold both
// sides: languages, training text, sets, the dataset's name. What cannot be told is empty.
struct FileGuess {
  PrepareOptions options;
  std::vector<std::string> unused;  // files that belong to no pair
};

// `places` are files, archives (their members are used) and folders (the files in them, not below).
// Throws if one does not exist or an archive cannot be read.
FileGuess guessFiles(const std::vector<std::string>& places);

}  // namespace strata
