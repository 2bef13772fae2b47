#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/text/word_counter.h"

namespace strata {

// The words of a corpus as symbols and the counts of their adjacent pairs, updated as pairs are
// merged.
//
// The counts are those of subword-nmt's learner, which differ from true counts in two ways that its
// codes depend on: an existing symbol equal to a merge's result is counted again in the words that
// the merge changes; and pairs rarer than a threshold are pruned now and then and restart from zero
// when they occur again, until the full table ("big" counts) has to be consulted.
class BpePairs {
 public:
  using Pair = std::int32_t;

  explicit BpePairs(const WordCounter& words);

  std::int64_t internalCharacters() const { return internalCharacters_; }
  std::int64_t finalCharacters() const { return finalCharacters_; }

  // The pair with the highest count, the greatest (left, right) among equals; nothing if none is
  // left. `step` is the number of merges so far.
  std::optional<Pair> best(std::int64_t step);
  void merge(Pair pair, std::int64_t step);

  std::int64_t count(Pair pair) const { return pairs_[static_cast<std::size_t>(pair)].count; }
  const std::string& left(Pair pair) const {
    return text(pairs_[static_cast<std::size_t>(pair)].left);
  }
  const std::string& right(Pair pair) const {
    return text(pairs_[static_cast<std::size_t>(pair)].right);
  }

 private:
  using Symbol = std::int32_t;
  struct Occurrence {
    std::int32_t word;
    std::int32_t change;  // change of the number of times that the pair occurs in the word
  };
  struct PairState {
    Symbol left, right;
    std::int64_t count = 0;  // valid while `listed`
    std::int64_t big = 0;    // as of its last pruning
    bool listed = false;
    bool raised = false;  // its count grew in the current merge
    std::vector<Occurrence> occurrences;
  };
  struct Word {
    std::uint32_t begin, size;  // in symbols_
    std::int64_t count;
  };
  struct Candidate {
    std::int64_t count;
    Pair pair;
  };

  const std::string& text(Symbol symbol) const { return texts_[static_cast<std::size_t>(symbol)]; }
  PairState& state(Pair pair) { return pairs_[static_cast<std::size_t>(pair)]; }
  bool before(const Candidate& a, const Candidate& b) const;
  void readWords(const WordCounter& words);
  void countPairs();
  Symbol intern(std::string text);
  Pair pairOf(Symbol left, Symbol right);
  void growTable();
  void change(Symbol left, Symbol right, std::int32_t word, std::int32_t sign);
  void collectWords(Pair pair);
  void mergeInWord(Pair pair, Symbol merged, std::int32_t word);
  void uncountOld(Symbol left, Symbol right, std::int32_t word);
  void countNew(Symbol merged, std::int32_t word);
  void push(Candidate candidate);
  Candidate pop();
  std::optional<Pair> highest();
  void setAside(double threshold);
  void listAll();

  std::int64_t internalCharacters_ = 0, finalCharacters_ = 0;
  std::vector<std::string> texts_;
  std::unordered_map<std::string, Symbol> symbolIds_;
  std::vector<Symbol> symbols_;
  std::vector<Word> words_;

  std::vector<PairState> pairs_;
  std::vector<std::uint64_t> keys_;  // open addressing: left << 32 | right
  std::vector<Pair> table_;          // parallel to keys_; -1: free
  std::vector<Pair> listed_;
  std::vector<Pair> raised_;
  std::vector<Candidate>
      heap_;  // an entry's count is at least the pair's; at least one entry per listed pair
  double threshold_ = 0;

  std::vector<std::int32_t>
      wordChanges_;  // scratch of collectWords, one cell per word, zero between calls
  std::vector<char> wordSeen_;
  std::vector<std::int32_t> touched_;
  std::vector<Symbol> old_;
};

}  // namespace strata
