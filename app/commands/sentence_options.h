// Options of the verbs that read files of sentences.
#pragma once
#include <CLI/CLI.hpp>

#include "core/data/sentences.h"

namespace strata {

// Which files a verb reads, and how the option that names their format is called.
struct SentenceFiles {
  const char* format = "--format";
  bool source = true, target = true;  // sides
  bool references = true, outputs = false;
  bool languages = true;  // has no options of its own that say them
};

// Adds --format, --source-language, --target-language, --source-column, --target-column,
// --translator and --output-of, as far as the verb's files have use for them; `options` must
// outlive the verb.
void addSentenceOptions(CLI::App& verb, SentenceOptions& options, const SentenceFiles& files = {});

}  // namespace strata
