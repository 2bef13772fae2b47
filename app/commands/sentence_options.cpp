#include "app/commands/sentence_options.h"

#include <fmt/ranges.h>

#include <string>

namespace strata {

void addSentenceOptions(CLI::App& verb, SentenceOptions& options, const SentenceFiles& files) {
  verb.add_option_function<std::string>(
          files.format,
          [&options](const std::string& name) { options.format = textFormatOf(name); },
          "Format of the files of sentences (docs/other-tools.md); lines takes every line as it is")
      ->check(CLI::IsMember(textFormatNames()))
      ->default_str("auto");
  if (files.languages && files.source) {
    verb.add_option("--source-language", options.sourceLanguage,
                    "Language of the source, in files of several (also a key of JSON lines)");
  }
  if (files.languages && files.target) {
    verb.add_option("--target-language", options.targetLanguage,
                    "Language of the target, in files of several (also a key of JSON lines)");
  }
  if (files.source) {
    verb.add_option("--source-column", options.sourceColumn, "Column of the source, in TSV, from 1")
        ->check(CLI::PositiveNumber);
  }
  if (files.target) {
    verb.add_option("--target-column", options.targetColumn, "Column of the target, in TSV, from 1")
        ->check(CLI::PositiveNumber);
  }
  if (files.references) {
    verb.add_option("--translator", options.translator,
                    "The reference that is meant, in files with several (default: all of them)");
  }
  if (files.outputs) {
    verb.add_option("--output-of", options.system,
                    "The system whose output is meant, in files with several");
  }
}

}  // namespace strata
