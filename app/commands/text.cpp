// strata-run text ...: filters from standard input to standard output; the output of each is
// identical to that of a reference tool, if there is one.
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands/verbs.h"
#include "core/base/error.h"
#include "core/base/named_output.h"
#include "core/text/bpe.h"
#include "core/text/bpe_learner.h"
#include "core/text/casing.h"
#include "core/text/character_classes.h"
#include "core/text/detokenizer.h"
#include "core/text/language.h"
#include "core/text/line_stream.h"
#include "core/text/punctuation.h"
#include "core/text/segmentation.h"
#include "core/text/tokenizer.h"
#include "core/text/truecaser.h"
#include "core/text/word_counter.h"

namespace strata {
namespace {

LineWriter standardOutput() {
  return {STDOUT_FILENO, "standard output"};
}

// Calls use(line, hadNewline) for each line of standard input.
template <typename Use>
void forEachLine(Use use) {
  LineReader input(STDIN_FILENO, "standard input");
  for (std::string_view line; input.next(line);) use(line, input.hadNewline());
}

// Writes what apply(line, hadNewline, out) makes of each line of standard input: it replaces `out`.
// Whether a last line without \n gets one is as in the filter's reference tool: some never add it,
// some always, some only if the line does not pass through unchanged. Needs memory for the longest
// line only.
template <typename Apply>
void replaceLines(Apply apply) {
  LineWriter output = standardOutput();
  std::string out;
  forEachLine([&](std::string_view line, bool hadNewline) {
    apply(line, hadNewline, out);
    output.buffer() += out;
    output.flushIfLarge();
  });
  output.flush();
}

// As the reference truecasing tools read: the line without its last character, which is the \n if
// there is one.
std::string_view withoutLastCharacter(std::string_view line, bool hadNewline) {
  if (hadNewline || line.empty()) return line;
  std::size_t end = line.size();
  decodeUtf8Before(line, end);
  return line.substr(0, end);
}

void write(std::string_view text) {
  LineWriter output = standardOutput();
  output.buffer() += text;
  output.flush();
}

WordCounter countStandardInput() {
  WordCounter words;
  forEachLine([&](std::string_view line, bool) { words.addLine(line); });
  return words;
}

CLI::App* addFilter(CLI::App& text, const std::string& name, const std::string& what,
                    const std::string& example) {
  CLI::App* filter = text.add_subcommand(name, what);
  filter->footer("Example:\n  strata-run text " + name + " " + example);
  return filter;
}

// `run` is called when the filter has been chosen.
template <typename Run>
void onRun(CLI::App* filter, const GlobalOptions& global, Run run) {
  filter->callback([filter, run, &global] {
    if (global.json)
      throw usageError("text {} writes text, not JSON: leave out --json", filter->get_name());
    run();
  });
}

// --tokenizer of the filters that split text and join tokens.
std::shared_ptr<std::string> addTokenizerOption(CLI::App* filter) {
  std::vector<std::string> names(kTokenizers.begin(), kTokenizers.end());
  std::erase(names, "none");
  const auto tokenizer = std::make_shared<std::string>(names.front());
  filter
      ->add_option("--tokenizer", *tokenizer,
                   "moses, or icu for a language without spaces (--language zh, ja, th, ...)")
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  return tokenizer;
}

// Whether ICU's word boundaries are wanted.
bool isSegmented(const std::string& tokenizer, const std::string& language) {
  if (tokenizer == "icu" && !isWrittenWithoutSpaces(language)) {
    throw usageError(
        "--tokenizer icu: {} is not the code of a language that is written without spaces; give "
        "--language zh, ja, th, lo, km or my",
        language);
  }
  return tokenizer == "icu";
}

// --language of the filters that change the case of letters.
std::shared_ptr<std::string> addCasingOption(CLI::App* filter) {
  const auto language = std::make_shared<std::string>();
  filter->add_option("--language", *language,
                     "Follow this language's own rules, if it has some: az, el, lt, nl, tr "
                     "(Turkish I becomes dotless i)");
  return language;
}

void addTokenize(CLI::App& text, const GlobalOptions& global) {
  CLI::App* filter =
      addFilter(text, "tokenize", "Split text into tokens, like Moses's tokenizer.perl, or by ICU",
                "--language de < raw.de > tokens.de\n"
                "  strata-run text tokenize --tokenizer icu --language zh < raw.zh > tokens.zh");
  const auto options = std::make_shared<TokenizerOptions>();
  const auto noEscape = std::make_shared<bool>(false);
  const auto chosen = addTokenizerOption(filter);
  filter->add_option("--language", options->language, "Language code")->capture_default_str();
  filter->add_flag("--aggressive", options->aggressive, "Split hyphens inside words");
  filter->add_flag("--no-escape", *noEscape, "Leave & | < > ' \" [ ] as they are");
  onRun(filter, global, [options, noEscape, chosen] {
    if (isSegmented(*chosen, options->language)) {
      if (options->aggressive || *noEscape)
        throw usageError("--aggressive and --no-escape are options of --tokenizer moses");
      return replaceLines([](std::string_view line, bool hadNewline, std::string& out) {
        segment(line, out);
        if (hadNewline) out.push_back('\n');
      });
    }
    options->escape = !*noEscape;
    const Tokenizer tokenizer(*options);
    replaceLines([&](std::string_view line, bool hadNewline, std::string& out) {
      tokenizer.tokenize(line, out);
      if (hadNewline || !isBlank(line)) out.push_back('\n');
    });
  });
}

void addDetokenize(CLI::App& text, const GlobalOptions& global) {
  CLI::App* filter = addFilter(
      text, "detokenize", "Join tokens to text, like Moses's detokenizer.perl, or without spaces",
      "--language en < tokens.en > text.en\n"
      "  strata-run text detokenize --tokenizer icu --language zh < tokens.zh > text.zh");
  const auto options = std::make_shared<DetokenizerOptions>();
  const auto chosen = addTokenizerOption(filter);
  filter->add_option("--language", options->language, "Language code")->capture_default_str();
  onRun(filter, global, [options, chosen] {
    if (isSegmented(*chosen, options->language)) {
      return replaceLines([](std::string_view line, bool hadNewline, std::string& out) {
        joinSegments(line, out);
        if (hadNewline) out.push_back('\n');
      });
    }
    const Detokenizer detokenizer(*options);
    replaceLines([&](std::string_view line, bool hadNewline, std::string& out) {
      detokenizer.detokenize(line, out);
      if (hadNewline || !detokenizer.passesThrough(line)) out.push_back('\n');
    });
  });
}

void addNormalize(CLI::App& text, const GlobalOptions& global) {
  CLI::App* filter =
      addFilter(text, "normalize", "Normalize punctuation, like Moses's normalize-punctuation.perl",
                "--language fr < raw.fr > normal.fr");
  const auto options = std::make_shared<PunctuationOptions>();
  filter->add_option("--language", options->language, "Language code")->capture_default_str();
  filter->add_flag("--penn", options->penn, "Leave ` and '' as they are");
  onRun(filter, global, [options] {
    const PunctuationNormalizer normalizer(*options);
    std::string whole;
    replaceLines([&](std::string_view line, bool hadNewline, std::string& out) {
      whole.assign(line);
      if (hadNewline) whole.push_back('\n');
      normalizer.normalize(whole, out);
    });
  });
}

void addLowercase(CLI::App& text, const GlobalOptions& global) {
  CLI::App* filter = addFilter(text, "lowercase", "Lowercase text, like Moses's lowercase.perl",
                               "< tokens.en > lower.en");
  const auto language = addCasingOption(filter);
  onRun(filter, global, [language] {
    const std::string casing = casingOf(*language);
    replaceLines([&](std::string_view line, bool hadNewline, std::string& out) {
      lowercaseIn(casing, line, out);
      if (hadNewline) out.push_back('\n');
    });
  });
}

void addTruecaseTrain(CLI::App& text, const GlobalOptions& global) {
  CLI::App* filter =
      addFilter(text, "truecase-train",
                "Learn a truecasing model from tokenised text, like Moses's train-truecaser.perl",
                "--model truecase.de < tokens.de");
  const auto model = std::make_shared<std::string>();
  filter->add_option("--model", *model, "File to write the model to")->required();
  const auto language = addCasingOption(filter);
  onRun(filter, global, [model, language] {
    TruecaserTrainer trainer(casingOf(*language));
    forEachLine([&](std::string_view line, bool hadNewline) {
      trainer.add(withoutLastCharacter(line, hadNewline));
    });
    writeNamedOutput(*model, trainer.model());
  });
}

void addTruecase(CLI::App& text, const GlobalOptions& global) {
  CLI::App* filter = addFilter(
      text, "truecase", "Write sentence starts in their usual casing, like Moses's truecase.perl",
      "--model truecase.de < tokens.de > truecased.de");
  const auto model = std::make_shared<std::string>();
  filter->add_option("--model", *model, "Model from text truecase-train")->required();
  const auto language = addCasingOption(filter);
  onRun(filter, global, [model, language] {
    const Truecaser truecaser(std::filesystem::path(*model), casingOf(*language));
    replaceLines([&](std::string_view line, bool hadNewline, std::string& out) {
      truecaser.truecase(withoutLastCharacter(line, hadNewline), out);
      out.push_back('\n');
    });
  });
}

void addDetruecase(CLI::App& text, const GlobalOptions& global) {
  CLI::App* filter =
      addFilter(text, "detruecase", "Capitalize sentence starts, like Moses's detruecase.perl",
                "< truecased.de > tokens.de");
  const auto language = addCasingOption(filter);
  onRun(filter, global, [language] {
    const std::string casing = casingOf(*language);
    replaceLines([&](std::string_view line, bool, std::string& out) {
      detruecaseIn(casing, line, out);
      out.push_back('\n');
    });
  });
}

void reportEarlyStop(const BpeLearned& learned, const BpeLearnOptions& options) {
  if (learned.stoppedEarly) {
    spdlog::warn("no remaining pair occurs {} times: stopped after {} merges", options.minFrequency,
                 learned.merges);
  }
}

void addLearnOptions(CLI::App* filter, BpeLearnOptions& options) {
  filter->add_option("--merges", options.merges, "Number of merges to learn")
      ->required()
      ->check(CLI::NonNegativeNumber);
  filter->add_flag("--total-symbols", options.totalSymbols, "Count the characters as merges too");
  filter->add_option("--min-frequency", options.minFrequency, "Stop when no pair is this frequent")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
}

void addBpeLearn(CLI::App& text, const GlobalOptions& global) {
  CLI::App* filter = addFilter(text, "bpe-learn", "Learn BPE codes, like subword-nmt's learn-bpe",
                               "--merges 10000 < tokens.both > codes");
  const auto options = std::make_shared<BpeLearnOptions>();
  addLearnOptions(filter, *options);
  onRun(filter, global, [options] {
    const BpeLearned learned = learnBpe(countStandardInput(), *options);
    reportEarlyStop(learned, *options);
    write(learned.codes);
  });
}

void addBpeLearnJoint(CLI::App& text, const GlobalOptions& global) {
  struct Files {
    std::vector<std::string> inputs;
    std::string output;
    std::vector<std::string> vocabularies;
  };
  CLI::App* filter = addFilter(
      text, "bpe-learn-joint",
      "Learn BPE codes from several files and the vocabulary of each, like "
      "learn-joint-bpe-and-vocab",
      "--inputs tokens.de tokens.en --merges 10000 --output codes --vocabulary vocab.de vocab.en");
  const auto options = std::make_shared<BpeLearnOptions>();
  const auto files = std::make_shared<Files>();
  addLearnOptions(filter, *options);
  filter->add_option("--inputs", files->inputs, "Tokenised text files")
      ->required()
      ->expected(1, -1);
  filter->add_option("--output", files->output, "File to write the codes to")->required();
  filter
      ->add_option("--vocabulary", files->vocabularies,
                   "One file per input to write its vocabulary to")
      ->required()
      ->expected(1, -1);
  onRun(filter, global, [options, files] {
    if (files->inputs.size() != files->vocabularies.size()) {
      throw usageError(
          "text bpe-learn-joint: {} inputs but {} vocabularies; give one --vocabulary per input",
          files->inputs.size(), files->vocabularies.size());
    }
    const JointBpe joint = learnJointBpe({files->inputs.begin(), files->inputs.end()}, *options);
    reportEarlyStop(joint.learned, *options);
    writeNamedOutput(files->output, joint.learned.codes);
    for (std::size_t i = 0; i < joint.vocabularies.size(); ++i) {
      writeNamedOutput(files->vocabularies[i], joint.vocabularies[i].toText());
    }
  });
}

void addBpeApply(CLI::App& text, const GlobalOptions& global) {
  struct Options {
    BpeOptions bpe;
    std::string codes;
    std::string vocabulary;
    std::int64_t threshold = 0;
  };
  CLI::App* filter =
      addFilter(text, "bpe-apply", "Split words into subword units, like subword-nmt's apply-bpe",
                "--codes codes < tokens.de > units.de");
  const auto options = std::make_shared<Options>();
  filter->add_option("--codes", options->codes, "Codes from text bpe-learn")->required();
  filter->add_option("--merges", options->bpe.merges, "Use only the first N merges")
      ->check(CLI::NonNegativeNumber);
  filter
      ->add_option("--separator", options->bpe.separator, "Marks every unit of a word but its last")
      ->capture_default_str();
  auto* vocabulary =
      filter->add_option("--vocabulary", options->vocabulary,
                         "Split units that are not in this file (one word and count per line)");
  filter
      ->add_option("--vocabulary-threshold", options->threshold,
                   "Ignore words of --vocabulary with fewer occurrences")
      ->check(CLI::NonNegativeNumber)
      ->needs(vocabulary);
  filter
      ->add_option("--glossary", options->bpe.glossary,
                   "Regular expressions of units that are not split")
      ->expected(1, -1);
  filter
      ->add_option("--dropout", options->bpe.dropout,
                   "BPE-dropout: skip each merge with this probability")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0));
  filter->add_option("--seed", options->bpe.seed, "Seed of --dropout")->capture_default_str();
  onRun(filter, global, [options] {
    Bpe bpe = Bpe::read(options->codes, options->bpe);
    if (!options->vocabulary.empty()) {
      bpe.setVocabulary(readBpeVocabulary(options->vocabulary, options->threshold));
    }
    replaceLines([&](std::string_view line, bool hadNewline, std::string& out) {
      out.clear();
      bpe.apply(line, out);
      if (hadNewline) out.push_back('\n');
    });
  });
}

void addVocab(CLI::App& text, const GlobalOptions& global) {
  CLI::App* filter =
      addFilter(text, "vocab", "Count words, most frequent first, like subword-nmt's get-vocab",
                "< units.de > vocab.de");
  onRun(filter, global, [] { write(countStandardInput().toText()); });
}

}  // namespace

void addTextCommand(CLI::App& app, const GlobalOptions& global) {
  CLI::App* text =
      app.add_subcommand("text", "Text filters from standard input to standard output");
  text->require_subcommand(1);
  text->footer(
      "Example:\n  strata-run text tokenize --language de < raw.de | strata-run text lowercase");
  addTokenize(*text, global);
  addDetokenize(*text, global);
  addNormalize(*text, global);
  addLowercase(*text, global);
  addTruecaseTrain(*text, global);
  addTruecase(*text, global);
  addDetruecase(*text, global);
  addBpeLearn(*text, global);
  addBpeLearnJoint(*text, global);
  addBpeApply(*text, global);
  addVocab(*text, global);
  addCleanCommand(*text, global);
}

}  // namespace strata
