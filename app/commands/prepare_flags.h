#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/commands/verbs.h"
#include "core/base/json.h"
#include "core/data/prepare.h"
#include "core/data/preview.h"

namespace strata {

// What says how a dataset is prepared: files or the places of a recipe's text, and options.
struct PrepareFlags {
  std::vector<std::string> from;
  std::vector<std::string> train, valid, test, references, joins;
  std::vector<std::int64_t> vocabularySize;
  PrepareOptions options;
};

// The flags of `data prepare` and `data preview`.
std::shared_ptr<PrepareFlags> addPrepareFlags(CLI::App& verb);

// The preparation that they say, once the verb's line has been read: of the files that they name,
// or of a recipe.
PrepareOptions prepareOptions(PrepareFlags& flags);
PrepareOptions prepareOptions(CLI::App& verb, PrepareFlags& flags, const std::string& recipe);
// Only the options, without files.
PrepareOptions textOptions(PrepareFlags& flags);

void addPreviewCommand(CLI::App& data, const GlobalOptions& global);  // below `data`
void printFigures(const TextFigures& figures);

}  // namespace strata
