#include "core/data/prepare_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <type_traits>

#include "core/base/error.h"
#include "core/base/parse_number.h"
#include "core/data/byte_source.h"
#include "core/text/language.h"

namespace strata {
namespace {

using Options = PrepareOptions;

// The prefix of two files that end in their languages; empty: they have none in common.
std::string commonPrefix(const std::string& source, const std::string& target,
                         const Options& options) {
  const std::string ends[2] = {"." + options.sourceLanguage, "." + options.targetLanguage};
  if (!source.ends_with(ends[0]) || !target.ends_with(ends[1])) return {};
  const std::string prefix = source.substr(0, source.size() - ends[0].size());
  return prefix == target.substr(0, target.size() - ends[1].size()) &&
                 prefix.find(',') == std::string::npos
             ? prefix
             : std::string();
}

std::string named(const PairInput& files, const Options& options) {
  const std::string &source = files.source.location, &target = files.targets.front().location;
  if (const std::string prefix = commonPrefix(source, target, options); !prefix.empty())
    return prefix;
  for (const std::string& file : {source, target}) {
    if (file.find(',') != std::string::npos)
      throw usageError("{}: the name contains a comma, which separates files here; rename it",
                       file);
  }
  return source + "," + target;
}

// Whether this is a file, not a prefix, and its name says that it may have both sides.
bool holdsBothSides(const std::string& text) {
  std::error_code ignored;
  return formatByName(text) != TextFormat::kAuto &&
         std::filesystem::is_regular_file(fileOfLocation(text), ignored);
}

}  // namespace

std::span<const PrepareField> prepareFields() {
  static const std::array fields{
      PrepareField{"--tokenizer",
                   "Tokenizer",
                   "moses; icu for languages without spaces (zh, ja, th, ...), the other side as "
                   "moses; or none if the text is already tokenized",
                   &Options::tokenizer,
                   {kTokenizers.begin(), kTokenizers.end()},
                   true},
      PrepareField{"--lowercase",
                   "Lowercase",
                   "Lowercase all text, by the languages' own rules",
                   &Options::lowercase,
                   {},
                   true},
      PrepareField{"--truecase",
                   "Truecase",
                   "Learn truecasing models from the training data and apply them",
                   &Options::truecase,
                   {},
                   true},
      PrepareField{"--bpe",
                   "BPE merges",
                   "Number of BPE merges to learn jointly from both sides",
                   &Options::bpeMerges,
                   {},
                   true},
      PrepareField{"--joint-vocabulary",
                   "Joint vocabulary",
                   "One vocabulary for both sides, for shared embeddings and both directions",
                   &Options::jointVocabulary,
                   {},
                   true},
      PrepareField{"--overlap",
                   "Drop duplicates of valid and test",
                   "What to do with training pairs that share a sentence with an evaluation set",
                   &Options::dropOverlap,
                   {"report", "drop-from-train"},
                   true},
      PrepareField{"--max-length",
                   "Longest sentence (words)",
                   "Drop training pairs with more WORDS on a side; 0: no limit",
                   &Options::maxLength,
                   {},
                   true},
      PrepareField{"--ratio",
                   "Largest length ratio",
                   "Drop training pairs in which one side has more than this many times the "
                   "other's words; 0: no limit",
                   &Options::ratio,
                   {},
                   true},
      PrepareField{"--bpe-separate", "BPE for each side",
                   "Learn --bpe merges for each side separately", &Options::bpeSeparate},
      PrepareField{"--bpe-vocabulary-threshold", "BPE vocabulary threshold",
                   "Split units that are rarer than this on their side of the training data",
                   &Options::bpeThreshold},
      PrepareField{"--vocabulary-minimum", "Rarest word kept",
                   "Leave out words that are rarer than this in the training data",
                   &Options::vocabularyMinimum},
      PrepareField{"--max-subwords", "Longest sentence (units)",
                   "Drop training pairs with more units on a side; 0: no limit",
                   &Options::maxSubwords},
      PrepareField{"--valid-sample", "Pairs drawn as valid",
                   "Sample this many pairs from the training data as the set valid",
                   &Options::validSample}};
  return fields;
}

PairInput pairNamed(const std::string& text, const Options& options) {
  const auto comma = text.find(',');
  if (comma != std::string::npos)
    return {.source = {.location = text.substr(0, comma)},
            .targets = {{.location = text.substr(comma + 1)}}};
  if (holdsBothSides(text)) return {.source = {.location = text}, .targets = {{.location = text}}};
  const std::string source = locationOfPrefix(text, options.sourceLanguage);
  const std::string target = locationOfPrefix(text, options.targetLanguage);
  return {.source = {.location = source}, .targets = {{.location = target}}};
}

TextInput sourceNamed(const std::string& text, const Options& options) {
  if (text.find(',') != std::string::npos || holdsBothSides(text))
    return {.location = text.substr(0, text.find(','))};
  return {.location = locationOfPrefix(text, options.sourceLanguage)};
}

std::vector<std::string> prepareArguments(const PrepareCall& call) {
  const Options& options = call.options;
  std::vector<std::string> arguments{"data", "prepare"};
  const auto add = [&](const std::string& flag, const std::string& value) {
    arguments.push_back(flag);
    arguments.push_back(value);
  };
  if (!call.recipe.empty()) {
    arguments.push_back(call.recipe);
    for (const std::string& place : call.from) add("--from", place);
    if (!options.name.empty()) add("--name", options.name);
    return arguments;
  }
  add("--name", options.name);
  add("--source", options.sourceLanguage);
  add("--target", options.targetLanguage);
  for (const PairInput& files : options.train) add("--train", named(files, options));
  for (const SetInput& set : options.sets) {
    for (const PairInput& files : set.parts)
      add(set.test ? "--test" : "--valid", set.name + "=" + named(files, options));
  }
  const Options defaults;
  for (const PrepareField& field : prepareFields()) {
    const auto value = [&]<typename Value>(Value Options::*member) {
      const Value& now = options.*member;
      if (now == defaults.*member) return;
      if constexpr (std::is_same_v<Value, bool>) {
        if (field.choices.empty())
          arguments.push_back(field.flag);
        else
          add(field.flag, field.choices[now ? 1 : 0]);
      } else {
        add(field.flag, fmt::format("{}", now));
      }
    };
    std::visit(value, field.value);
  }
  return arguments;
}

PrepareOptions fieldsOf(const std::vector<std::string>& arguments) {
  Options options;
  for (const PrepareField& field : prepareFields()) {
    const auto flag = std::ranges::find(arguments, field.flag);
    if (flag == arguments.end()) continue;
    const std::string value = flag + 1 == arguments.end() ? "" : *(flag + 1);
    const auto read = [&]<typename Value>(Value Options::*member) {
      if constexpr (std::is_same_v<Value, bool>) {
        options.*member = field.choices.empty() || value == field.choices[1];
      } else if constexpr (std::is_same_v<Value, std::string>) {
        if (std::ranges::find(field.choices, value) != field.choices.end()) options.*member = value;
      } else {
        const auto number = parseNumber<Value>(value);
        if (number && *number >= 0) options.*member = *number;
      }
    };
    std::visit(read, field.value);
  }
  return options;
}

}  // namespace strata
