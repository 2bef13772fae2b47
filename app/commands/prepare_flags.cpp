#include "app/commands/prepare_flags.h"

#include <algorithm>
#include <ranges>
#include <type_traits>
#include <utility>

#include "app/commands/sentence_options.h"
#include "core/base/error.h"
#include "core/data/prepare_fields.h"
#include "core/data/recipe.h"

namespace strata {
namespace {

// Splits "NAME=REST"; otherwise a usage error that shows the expected form.
std::pair<std::string, std::string> assignment(const std::string& text, std::string_view flag,
                                               std::string_view form) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw usageError("{} {}: expected {}", flag, text, form);
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<std::string> splitAt(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (const auto part : std::views::split(text, separator)) {
    if (!part.empty()) parts.emplace_back(part.begin(), part.end());
  }
  return parts;
}

SetInput setOf(const std::string& text, bool test, const PrepareFlags& flags) {
  const auto [name, files] = assignment(text, test ? "--test" : "--valid", "NAME=PREFIX");
  SetInput set{.name = name, .test = test};
  std::vector<TextInput> references;
  for (const std::string& given : flags.references) {
    const auto [of, list] = assignment(given, "--references", "NAME=FILE,FILE...");
    if (of != name) continue;
    for (const std::string& file : splitAt(list, ',')) references.push_back({.location = file});
  }
  if (references.empty()) {
    set.parts.push_back(pairNamed(files, flags.options));
    return set;
  }
  PairInput part{.source = sourceNamed(files, flags.options)};
  part.targets = std::move(references);
  set.parts.push_back(std::move(part));
  return set;
}

void checkReferences(const PrepareFlags& flags) {
  for (const std::string& given : flags.references) {
    const std::string name = assignment(given, "--references", "NAME=FILE,FILE...").first;
    const auto& sets = flags.options.sets;
    if (std::ranges::find(sets, name, &SetInput::name) == sets.end()) {
      throw usageError("--references {}: there is no set '{}'; name it with --valid or --test",
                       given, name);
    }
  }
}

// Files and sets named by the flags.
void readSets(PrepareFlags& flags) {
  PrepareOptions& options = flags.options;
  if (options.sourceLanguage.empty() || options.targetLanguage.empty())
    throw usageError("both languages are needed: --source and --target");
  for (const std::string& files : flags.train) options.train.push_back(pairNamed(files, options));
  for (const std::string& set : flags.valid) options.sets.push_back(setOf(set, false, flags));
  for (const std::string& set : flags.test) options.sets.push_back(setOf(set, true, flags));
  checkReferences(flags);
  for (const std::string& text : flags.joins) {
    const auto [name, sets] = assignment(text, "--join", "NEW=NAME+NAME...");
    options.joins.push_back({.name = name, .sets = splitAt(sets, '+')});
  }
}

// Options from a recipe and the flags that override it.
void readRecipe(CLI::App& verb, PrepareFlags& flags, const std::string& name) {
  for (const char* flag :
       {"--train", "--valid", "--test", "--references", "--join", "--source", "--target"}) {
    if (verb.count(flag) > 0)
      throw usageError("{} cannot be used with a recipe, which already names its files", flag);
  }
  const Recipe recipe = findRecipe(name);
  if (flags.from.empty())
    throw usageError("--from is missing. How to get the files of {}: {}", recipe.name, recipe.get);
  PrepareOptions& options = flags.options;
  options = resolveRecipe(recipe, {flags.from.begin(), flags.from.end()});
  for (CLI::Option* given : verb.get_options([](CLI::Option* each) { return each->count() > 0; })) {
    given->run_callback();  // assigns its value again
    const std::string flag = given->get_name();
    if (flag != "recipe" && flag != "--from" && flag != "--name") options.expected.enforced = false;
  }
  if (verb.count("--codes") > 0 && verb.count("--bpe") == 0) options.bpeMerges = 0;
}

// The options that the window's form has too.
void addFields(CLI::App& verb, PrepareOptions& options) {
  for (const PrepareField& field : prepareFields()) {
    const auto add = [&]<typename Value>(Value PrepareOptions::*member) {
      Value& value = options.*member;
      if constexpr (std::is_same_v<Value, std::string>) {
        verb.add_option(field.flag, value, field.help)
            ->check(
                CLI::IsMember(std::vector<std::string>(field.choices.begin(), field.choices.end())))
            ->capture_default_str();
      } else if constexpr (std::is_same_v<Value, bool>) {
        if (field.choices.empty()) {
          verb.add_flag(field.flag, value, field.help);
          return;
        }
        const std::string off = field.choices[0], on = field.choices[1];
        verb.add_option_function<std::string>(
                field.flag, [&value, on](const std::string& given) { value = given == on; },
                field.help)
            ->check(CLI::IsMember({off, on}))
            ->default_str(off);
      } else {
        verb.add_option(field.flag, value, field.help)->check(CLI::NonNegativeNumber);
      }
    };
    std::visit(add, field.value);
  }
}

void addTextFlags(CLI::App& verb, PrepareFlags& flags) {
  PrepareOptions& options = flags.options;
  verb.add_option("--source", options.sourceLanguage, "Source language (de, en, ...)");
  verb.add_option("--target", options.targetLanguage, "Target language");
  addFields(verb, options);
  verb.add_option("--codes", options.codes, "Use these BPE codes")->check(CLI::ExistingFile);
  verb.add_option("--source-vocabulary", options.sourceVocabulary,
                  "Use this vocabulary (one word and count per line)")
      ->check(CLI::ExistingFile);
  verb.add_option("--target-vocabulary", options.targetVocabulary, "Use this vocabulary")
      ->check(CLI::ExistingFile);
  verb.add_option("--vocabulary-size", flags.vocabularySize,
                  "S[,T]: keep the most frequent words per side; the others become <unk>")
      ->delimiter(',')
      ->expected(1, 2)
      ->check(CLI::NonNegativeNumber);
  verb.add_option("--seed", options.seed, "Seed for sampling")->capture_default_str();
}

}  // namespace

std::shared_ptr<PrepareFlags> addPrepareFlags(CLI::App& verb) {
  auto flags = std::make_shared<PrepareFlags>();
  verb.add_option("--from", flags->from,
                  "With a recipe: files, folders and archives that contain its text");
  verb.add_option("--name", flags->options.name, "Name of the dataset; a recipe has one");
  verb.add_option("--train", flags->train,
                  "PREFIX of PREFIX.de and PREFIX.en (also .gz, .bz2, .xz, .xml, .sgm, "
                  "ARCHIVE:PREFIX), the two files as SOURCE,TARGET, or one file with both sides "
                  "(.tmx, .jsonl, .tsv, WMT's .xml); may repeat");
  verb.add_option("--valid", flags->valid, "NAME=PREFIX of an evaluation set; may repeat");
  verb.add_option("--test", flags->test, "NAME=PREFIX of a test set; may repeat");
  verb.add_option("--references", flags->references, "NAME=FILE,FILE...: the references of a set");
  verb.add_option("--join", flags->joins, "NEW=NAME+NAME...: concatenate sets into a new one");
  addTextFlags(verb, *flags);
  addSentenceOptions(verb, flags->options.reading, {.languages = false});
  return flags;
}

PrepareOptions textOptions(PrepareFlags& flags) {
  PrepareOptions& options = flags.options;
  if (!flags.vocabularySize.empty()) {
    options.sourceVocabularySize = flags.vocabularySize.front();
    options.targetVocabularySize = flags.vocabularySize.back();
  }
  return options;
}

PrepareOptions prepareOptions(PrepareFlags& flags) {
  readSets(flags);
  return textOptions(flags);
}

PrepareOptions prepareOptions(CLI::App& verb, PrepareFlags& flags, const std::string& recipe) {
  readRecipe(verb, flags, recipe);
  return textOptions(flags);
}

}  // namespace strata
