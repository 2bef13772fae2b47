#include "core/data/overlap.h"

#include <map>

#include "core/base/digest.h"
#include "core/data/lines.h"

namespace strata {
namespace {

// Order matters, so that (a, b) and (b, a) differ.
std::uint64_t combined(std::uint64_t source, std::uint64_t target) {
  return source * 0x9E3779B97F4A7C15u + (target ^ (target >> 29));
}

}  // namespace

std::size_t OverlapIndex::addSet(const std::string& name) {
  names_.push_back(name);
  sizes_.push_back(0);
  return names_.size() - 1;
}

void OverlapIndex::addSentence(std::size_t set, std::string_view source,
                               const std::vector<std::string_view>& references) {
  const auto number = static_cast<std::uint32_t>(sentences_.size());
  sentences_.push_back({.set = static_cast<std::uint32_t>(set), .number = sizes_[set]++});
  const std::uint64_t sourceHash = checksum64(source);
  if (!hasNoWords(source)) sources_[sourceHash].push_back(number);
  for (const std::string_view reference : references) {
    if (hasNoWords(reference)) continue;
    const std::uint64_t targetHash = checksum64(reference);
    targets_[targetHash].push_back(number);
    if (!hasNoWords(source)) pairs_[combined(sourceHash, targetHash)].push_back(number);
  }
}

bool OverlapIndex::note(std::string_view source, std::string_view target) {
  return !sentences_.empty() && note(checksum64(source), checksum64(target));
}

bool OverlapIndex::note(std::uint64_t sourceHash, std::uint64_t targetHash) {
  const bool inSources = mark(sources_, sourceHash, &Sentence::source);
  const bool inTargets = mark(targets_, targetHash, &Sentence::target);
  if (inSources && inTargets) mark(pairs_, combined(sourceHash, targetHash), &Sentence::pair);
  return inSources || inTargets;
}

bool OverlapIndex::mark(const Index& index, std::uint64_t hash, bool Sentence::*found) {
  const auto numbers = index.find(hash);
  if (numbers == index.end()) return false;
  for (const auto number : numbers->second) sentences_[number].*found = true;
  return true;
}

std::vector<OverlapMatch> OverlapIndex::matches(std::string_view source,
                                                std::string_view target) const {
  std::map<std::uint32_t, OverlapMatch> found;
  const auto collect = [&](const Index& index, std::string_view text, bool OverlapMatch::*side) {
    const auto numbers = index.find(checksum64(text));
    if (numbers == index.end()) return;
    for (const auto number : numbers->second) {
      OverlapMatch& match = found[number];
      match.set = sentences_[number].set;
      match.sentence = sentences_[number].number;
      match.*side = true;
    }
  };
  collect(sources_, source, &OverlapMatch::source);
  collect(targets_, target, &OverlapMatch::target);
  std::vector<OverlapMatch> matches;
  for (const auto& [number, match] : found) matches.push_back(match);
  return matches;
}

std::vector<OverlapCounts> OverlapIndex::counts() const {
  std::vector<OverlapCounts> counts(names_.size());
  for (std::size_t i = 0; i < names_.size(); ++i) counts[i].set = names_[i];
  for (const Sentence& sentence : sentences_) {
    OverlapCounts& of = counts[sentence.set];
    ++of.sentences;
    of.source += sentence.source ? 1 : 0;
    of.target += sentence.target ? 1 : 0;
    of.pair += sentence.pair ? 1 : 0;
  }
  return counts;
}

}  // namespace strata
