#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/server/loaded_models.h"
#include "core/decode/translator.h"
#include "core/decode/unknown_words.h"

namespace strata {

struct LinesToTranslate {
  std::vector<std::string> lines;          // raw text
  std::vector<std::string> prefixes = {};  // raw text that translations begin with; empty: none
  TranslateOptions options = {};           // its progress is set here
  std::optional<Lexicon> lexicon = {};     // replaces each <unk>
  AlignmentOptions alignment = {};         // with a lexicon: the attention that aligns words
};

// A line that is not translated as it is, and why: "has 1302 source tokens, ...".
struct LongLine {
  std::size_t line = 0;  // from 0
  std::string what;
};

// Lines and their translations.
struct TranslatedLines {
  std::vector<std::string> lines;
  TextPipeline* text = nullptr;
  std::unique_ptr<UnknownWords> unknownWords;    // null: <unk> stays
  std::vector<std::vector<Hypothesis>> results;  // of each line, best first
  double seconds = 0;                            // of the search
  std::vector<LongLine> tooLong = {};            // in their order

  // Tokens of a hypothesis of a line, BPE joined and <unk> replaced.
  std::string tokens(std::size_t line, const Hypothesis& hypothesis) const;
  // Of every line's best hypothesis.
  std::vector<std::string> bestTokens() const;
};

// Translates with progress on the terminal; a warning names each line that is too long for the
// model and what options.search.tooLong makes of it. Borrows the model, which must have a text
// pipeline.
TranslatedLines translateLines(const ServedModel& served, LinesToTranslate asked);

}  // namespace strata
