#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace strata {

// Sentences of one evaluation set that also occur in train, compared as tokens.
struct OverlapCounts {
  std::string set;
  std::int64_t sentences = 0;  // of the set
  std::int64_t source = 0;     // whose source is a source in train
  std::int64_t target = 0;     // of which a reference is a target in train
  std::int64_t pair = 0;       // whose source occurs with one of its references in train
};

// A sentence of a set that a training pair repeats.
struct OverlapMatch {
  std::size_t set = 0;
  std::int64_t sentence = 0;  // of the set, from 0
  bool source = false, target = false;
};

// Finds evaluation sentences in a training text that is streamed. Memory is proportional to the
// evaluation sets' hashes.
class OverlapIndex {
 public:
  // Sets are numbered in the order of these calls, from 0.
  std::size_t addSet(const std::string& name);
  void addSentence(std::size_t set, std::string_view source,
                   const std::vector<std::string_view>& references);

  // Checks one training pair; true if it shares its source or its target with a sentence of any
  // set. Blank lines share nothing.
  bool note(std::string_view source, std::string_view target);
  bool note(std::uint64_t sourceHash, std::uint64_t targetHash);  // checksum64 of both
  // The sentences that this training pair repeats, in the order of addSentence().
  std::vector<OverlapMatch> matches(std::string_view source, std::string_view target) const;
  std::vector<OverlapCounts> counts() const;

 private:
  struct Sentence {
    std::uint32_t set = 0, number = 0;  // of the sentence in its set
    bool source = false, target = false, pair = false;
  };
  using Index = std::unordered_map<std::uint64_t, std::vector<std::uint32_t>>;  // hash -> sentences

  // Notes for the sentences with this hash that they were found; false if there are none.
  bool mark(const Index& index, std::uint64_t hash, bool Sentence::*found);

  std::vector<std::string> names_;
  std::vector<std::uint32_t> sizes_;  // sentences of each set
  std::vector<Sentence> sentences_;
  Index sources_, targets_, pairs_;
};

}  // namespace strata
