#include "core/text/bpe_learner.h"

#include "core/base/error.h"
#include "core/text/bpe.h"
#include "core/text/bpe_pairs.h"
#include "core/text/line_stream.h"

namespace strata {

BpeLearned learnBpe(const WordCounter& words, const BpeLearnOptions& options) {
  if (options.minFrequency < 1) {
    throw usageError("the minimum frequency of a pair is {}; it must be at least 1",
                     options.minFrequency);
  }
  BpePairs pairs(words);
  BpeLearned learned;
  learned.codes = "#version: 0.2\n";
  learned.internalCharacters = pairs.internalCharacters();
  learned.finalCharacters = pairs.finalCharacters();
  std::int64_t wanted = options.merges;
  if (options.totalSymbols) wanted -= learned.internalCharacters + learned.finalCharacters;
  for (; learned.merges < wanted; ++learned.merges) {
    const auto best = pairs.best(learned.merges);
    if (!best || pairs.count(*best) < options.minFrequency) {
      learned.stoppedEarly = true;
      break;
    }
    learned.codes += fmt::format("{} {}\n", pairs.left(*best), pairs.right(*best));
    pairs.merge(*best, learned.merges);
  }
  return learned;
}

JointBpe learnJointBpe(const std::vector<std::filesystem::path>& inputs,
                       const BpeLearnOptions& options, std::string_view separator) {
  WordCounter words;
  for (const auto& path : inputs) {
    LineReader lines(path);
    for (std::string_view line; lines.next(line);) words.addLine(line);
  }
  JointBpe joint{learnBpe(words, options), {}};
  BpeOptions applied;
  applied.separator = separator;
  Bpe bpe(joint.learned.codes, "learned codes", applied);
  std::string units;
  for (const auto& path : inputs) {
    WordCounter& counter = joint.vocabularies.emplace_back();
    LineReader lines(path);
    for (std::string_view line; lines.next(line);) {
      units.clear();
      bpe.apply(line, units);
      counter.addLine(units);
    }
  }
  return joint;
}

}  // namespace strata
