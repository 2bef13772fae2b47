#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/word_counter.h"

namespace strata {

// The flags of subword-nmt's `learn-bpe`.
struct BpeLearnOptions {
  std::int64_t merges =
      10000;  // maximum number of merges; with totalSymbols, merges and characters together
  bool totalSymbols =
      false;  // subtracts the number of characters (word-internal and word-final) from `merges`
  std::int64_t minFrequency = 2;  // >= 1; learning stops when no pair is this frequent
};

struct BpeLearned {
  std::string codes;  // the codes file, format 0.2, header line included
  std::int64_t merges = 0;
  std::int64_t internalCharacters = 0, finalCharacters = 0;
  bool stoppedEarly = false;  // because no pair had minFrequency any more
};

// Learns merges from word counts; equal to subword-nmt's `learn-bpe`, including the effects of its
// pruning.
BpeLearned learnBpe(const WordCounter& words, const BpeLearnOptions& options);

// Like `learn-joint-bpe-and-vocab`: learns from all inputs together, then counts the units of each
// input.
struct JointBpe {
  BpeLearned learned;
  std::vector<WordCounter> vocabularies;  // units of each input, with separators
};
JointBpe learnJointBpe(const std::vector<std::filesystem::path>& inputs,
                       const BpeLearnOptions& options, std::string_view separator = "@@");

}  // namespace strata
