#include "core/data/generator/generator.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/data/generator/plan.h"
#include "core/data/generator/planner.h"

namespace strata::generator {
namespace {

constexpr int kPairTries = 20000;  // sentences to try until one has the required length or contrast

// Index of the main word of each meaning: in a compound the last noun, otherwise the first word.
std::map<int, int> mainWords(const std::vector<Word>& words) {
  std::map<int, int> result;
  for (int i = 0; i < static_cast<int>(words.size()); ++i) {
    const auto& word = words[static_cast<std::size_t>(i)];
    if (word.meaning < 0) continue;
    const bool dependent =
        std::string_view(word.relation).starts_with("compound") || word.head == word.meaning;
    if (!dependent) result[word.meaning] = i;
  }
  return result;
}

// -1 if no word has this meaning.
int indexOf(int meaning, const std::map<int, int>& mains) {
  const auto found = mains.find(meaning);
  return found == mains.end() ? -1 : found->second;
}

std::vector<GoldToken> goldOf(const std::vector<Word>& words) {
  const auto mains = mainWords(words);
  std::vector<GoldToken> gold;
  for (const auto& word : words) {
    const int antecedent = word.antecedent != nullptr ? word.antecedent->meaning : -1;
    gold.push_back({.head = indexOf(word.head, mains),
                    .relation = word.relation,
                    .kind = word.kind,
                    .antecedent = indexOf(antecedent, mains)});
  }
  return gold;
}

std::vector<std::pair<int, int>> align(const std::vector<Word>& german,
                                       const std::vector<Word>& english) {
  std::vector<std::pair<int, int>> links;
  for (int i = 0; i < static_cast<int>(german.size()); ++i) {
    for (int j = 0; j < static_cast<int>(english.size()); ++j) {
      const int meaning = german[static_cast<std::size_t>(i)].meaning;
      if (meaning >= 0 && meaning == english[static_cast<std::size_t>(j)].meaning)
        links.emplace_back(i, j);
    }
  }
  return links;
}

std::vector<std::string> texts(const std::vector<Word>& words) {
  std::vector<std::string> result;
  for (const auto& word : words) result.push_back(word.text);
  return result;
}

std::string joined(const std::vector<Word>& words) {
  return fmt::format("{}", fmt::join(texts(words), " "));
}

// The only index at which two sentences differ, or -1.
int onlyDifference(const std::vector<Word>& a, const std::vector<Word>& b) {
  if (a.size() != b.size()) return -1;
  int index = -1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].text == b[i].text) continue;
    if (index >= 0) return -1;
    index = static_cast<int>(i);
  }
  return index;
}

// With fewer words some class of nouns or kind of clause would have none for a split.
constexpr std::int64_t kFewestNouns = 24, kFewestVerbs = 24, kFewestAdjectives = 12;

void checkCounts(const WordCounts& counts) {
  const Lexicon& all = Lexicon::get();
  const auto checkOne = [](const char* option, std::int64_t given, std::int64_t fewest,
                           std::size_t most) {
    if (given == 0 || (given >= fewest && given <= static_cast<std::int64_t>(most))) return;
    throw usageError("{} {}: expected {} to {} words, or 0 for all", option, given, fewest, most);
  };
  checkOne("--nouns", counts.nouns, kFewestNouns, all.nouns.size());
  checkOne("--verbs", counts.verbs, kFewestVerbs, all.verbs.size());
  checkOne("--adjectives", counts.adjectives, kFewestAdjectives, all.adjectives.size());
}

}  // namespace

void check(const GeneratorOptions& options) {
  if (options.size < 1) throw usageError("--size {}: expected at least 1 pair", options.size);
  if (options.minLength < 1 || options.maxLength < options.minLength || options.maxLength < 6) {
    throw usageError("--length {},{}: expected MIN,MAX in words with 1 <= MIN <= MAX and MAX >= 6",
                     options.minLength, options.maxLength);
  }
  if (options.depth < 0 || options.depth > 4)
    throw usageError("--depth {}: expected 0 to 4 nested clauses", options.depth);
  if (!(options.ambiguity >= 0 && options.ambiguity <= 1))
    throw usageError("--ambiguity {}: expected a number from 0 to 1", options.ambiguity);
  checkCounts(options.words);
  if (options.merges < 1) throw usageError("--merges {}: expected at least 1", options.merges);
}

struct SentenceGenerator::State {
  State(const GeneratorOptions& given, Split split)
      : options(given),
        lexicon(Lexicon::get().shortened(given.words)),
        random(given.seed, static_cast<std::uint64_t>(split) + 1),
        planner(options, lexicon, split, random) {}

  GeneratorOptions options;
  Lexicon lexicon;
  RandomStream random;
  Planner planner;
  std::int64_t contrasts = 0;
};

SentenceGenerator::SentenceGenerator(const GeneratorOptions& options, Split split) {
  check(options);
  state_ = std::make_unique<State>(options, split);
}

SentenceGenerator::~SentenceGenerator() = default;

GeneratedPair SentenceGenerator::next() {
  for (int tries = 0; tries < kPairTries; ++tries) {
    const Clause plan = state_->planner.sentence();
    const auto german = writeGerman(plan);
    const int length = static_cast<int>(german.size());
    if (length < state_->options.minLength || length > state_->options.maxLength) continue;
    const auto english = writeEnglish(plan);
    return {texts(german), texts(english), align(german, english), goldOf(german), goldOf(english)};
  }
  throw usageError(
      "--length {},{}: no sentence of this length was found at --depth {}; widen --length",
      state_->options.minLength, state_->options.maxLength, state_->options.depth);
}

ContrastivePair SentenceGenerator::nextContrastive(bool intoGerman) {
  const bool particle = intoGerman && state_->contrasts++ % 2 == 1;
  const auto write = [intoGerman](const Clause& plan) {
    return intoGerman ? writeGerman(plan) : writeEnglish(plan);
  };
  for (int tries = 0; tries < kPairTries; ++tries) {
    Clause plan = state_->planner.sentence();
    const std::string source = joined(intoGerman ? writeEnglish(plan) : writeGerman(plan));
    const auto correct = write(plan);
    const int length = static_cast<int>(correct.size());
    if (length < state_->options.minLength || length > state_->options.maxLength) continue;
    if (particle) {
      if (plan.verb == nullptr || plan.verb->particle.empty()) continue;
      plan.wrongParticle = plan.verb->particle == "an" ? "aus" : "an";
    } else {
      plan.wrongAgreement = true;
    }
    const auto wrong = write(plan);
    const int second = onlyDifference(correct, wrong);
    if (second < 0) continue;
    const int first = indexOf(particle ? plan.meaning : plan.subject->meaning, mainWords(correct));
    if (first < 0 || first == second) continue;
    return {particle ? "particle" : "agreement", std::abs(second - first), source, joined(correct),
            joined(wrong)};
  }
  throw usageError("--length {},{}: no contrastive pair of this length was found; widen --length",
                   state_->options.minLength, state_->options.maxLength);
}

}  // namespace strata::generator
