#pragma once
#include <string>
#include <vector>

#include "core/data/formats.h"

namespace strata {

// How a verb's files of sentences are read. The same for all of its files.
struct SentenceOptions {
  TextFormat format = TextFormat::kAuto;
  std::string sourceLanguage = {}, targetLanguage = {};  // empty: not said
  std::string translator = {};                           // of references; empty: all
  std::string system = {};                               // of outputs; empty: the only one
  int sourceColumn = 0, targetColumn = 0;                // of .tsv and kTsv, from 1; 0: none

  // A file with the options that concern this role.
  TextInput input(const std::string& location, TextRole role) const;
};

// All sentences of a file.
struct SentenceText {
  std::string name;  // of the file
  std::vector<std::string> lines;
  std::vector<SegmentKey> keys = {};  // one per line; empty: the file names no segments
};

// All that are left of a source.
SentenceText allSentences(LineSource& lines);
// Reads the one text that is meant; notes are logged.
SentenceText readSentences(const TextInput& input);
// Reads all texts that may be meant: the references of several translators.
std::vector<SentenceText> readAllSentences(const TextInput& input);

// The versions (translators) that a choice may mean: one, perhaps without a name, in all formats
// but those of evaluation sets.
std::vector<std::string> versionsIn(const TextInput& input);

// Languages of the sides of a file that may hold both, the source's first: of an evaluation set, a
// TMX file's first unit, the first of JSON lines. None if it does not say, or cannot be read.
std::vector<std::string> languagesIn(const std::string& location);

// Gives `text` the order of `first` if documents and segments name the sentences of both, and says
// so. Segments that are missing or double are an Error that names them.
void putInOrder(const SentenceText& first, SentenceText& text);

}  // namespace strata
