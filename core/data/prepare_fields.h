#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/data/prepare.h"

namespace strata {

// An option of a preparation: a flag of `data prepare`, a field of the window's form.
struct PrepareField {
  using Count = std::int64_t PrepareOptions::*;
  using Flag = bool PrepareOptions::*;
  using Number = double PrepareOptions::*;
  using Choice = std::string PrepareOptions::*;

  const char* flag;   // "--bpe"
  const char* title;  // in the form: "BPE merges"
  const char* help;
  std::variant<Count, Flag, Number, Choice> value;
  std::vector<const char*> choices = {};  // of a Choice; a Flag with choices takes "off" or "on"
  bool usual = false;                     // shown without being asked for
};
std::span<const PrepareField> prepareFields();

// The files of --train, --valid and --test: PREFIX, which stands for PREFIX.LANGUAGE of both
// languages, the two files, separated by a comma, or one file whose name says that it may have both
// sides (formatByName).
PairInput pairNamed(const std::string& text, const PrepareOptions& options);
// Only the source; with a comma the file before it.
TextInput sourceNamed(const std::string& text, const PrepareOptions& options);

// What a preparation is made from: files, or a recipe with the places of its text.
struct PrepareCall {
  PrepareOptions options;
  std::string recipe = {};             // empty: the files of `options`
  std::vector<std::string> from = {};  // of a recipe
};

// The arguments of strata-run that prepare this. With a recipe only the name is taken from the
// options. Throws a usage error for a file whose name has a comma and does not end in its language.
std::vector<std::string> prepareArguments(const PrepareCall& call);

// The fields that such arguments set; others, and values that are none, are passed over.
PrepareOptions fieldsOf(const std::vector<std::string>& arguments);

}  // namespace strata
